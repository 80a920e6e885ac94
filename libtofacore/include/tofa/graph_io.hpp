// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing communication graphs. One reader/writer per format, found through a registry
// (src/graph/formats.cpp); the format of a file is recognised by its contents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Reads `path`, or, when there is no such file, what it is the stem of: `path`.bytes.mtx, or the
// files `path`.RANK.prof that Open MPI's own monitoring writes, one per rank. A directory stands
// for the .prof files in it. Throws Error: unavailable when nothing can be read, bad_input with
// file and line when it is malformed.
Traffic read_traffic(const std::string& path);

// Parses text that came from `name`, which is only used in messages.
Traffic parse_traffic(std::string_view text, const std::string& name);

// Format names that write_traffic accepts, e.g. "mtx", "dense", "scotch".
std::vector<std::string> traffic_formats();

// The format that the extension of `path` stands for (.mtx, .grf, ...), empty when it stands for
// none.
std::string traffic_format_for(const std::string& path);

// Writes atomically: a temporary file beside `path`, then a rename.
void write_traffic(const Traffic& traffic, const std::string& path, const std::string& format);
std::string format_traffic(const Traffic& traffic, const std::string& format);

}  // namespace tofa
