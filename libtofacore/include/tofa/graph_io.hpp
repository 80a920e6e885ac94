// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing communication graphs. One reader/writer per format, found through a registry
// (src/graph/formats.cpp); the format of a file is recognised by its contents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// How to read a matrix whose two values for a pair are the same. Both directions may have carried
// as much; or each value is the total that the pair exchanged, printed twice, as in published
// matrices.
enum class SymmetricMatrix {
  // Totals where nothing says what is meant: in dense N x N text. A pair's bytes going both ways in
  // exactly equal parts, for all pairs, are rarer than a total in both places, and where they do,
  // all loads are half of what they are, which changes no placement.
  automatic,
  directed,
  totals  // an error when the matrix is not symmetric
};

// The one file that `path` stands for: `path`.bytes.mtx where it is the stem of that, since a
// program or a folder may lie beside its profile under the name that is the stem; else `path`
// itself. Empty where there is neither, and for another directory.
std::string traffic_file(const std::string& path);

// Reads that file, or, where there is none, the files `path`.RANK.prof that Open MPI's own
// monitoring writes, one per rank. A directory stands for the .prof files in it; `grid:8x8x8` is no
// file, see grid_traffic.hpp. Throws Error: unavailable when nothing can be read, bad_input with
// file and line when it is malformed.
Traffic read_traffic(const std::string& path,
                     SymmetricMatrix symmetric = SymmetricMatrix::automatic);

// Parses text that came from `name`, which is only used in messages.
Traffic parse_traffic(std::string_view text, const std::string& name,
                      SymmetricMatrix symmetric = SymmetricMatrix::automatic);

// Format names that write_traffic accepts, e.g. "mtx", "dense", "scotch".
std::vector<std::string> traffic_formats();

// The format that the extension of `path` stands for (.mtx, .grf, ...), empty when it stands for
// none.
std::string traffic_format_for(const std::string& path);

// Writes atomically: a temporary file beside `path`, then a rename.
void write_traffic(const Traffic& traffic, const std::string& path, const std::string& format);
std::string format_traffic(const Traffic& traffic, const std::string& format);

}  // namespace tofa
