// SPDX-License-Identifier: BSD-3-Clause
// The pieces that a reader of Matrix Market files is made of, for those who have the whole text and
// for those who read a part of the lines.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "graph/data_lines.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

// What the lines above the entries say.
struct MatrixHead {
  Rank ranks = 0;
  std::size_t entries = 0;
  bool reals = false;
  bool symmetric = false;
};

// The banner, comments and the size line. This and the other throw Error, naming file and line.
MatrixHead read_matrix_head(DataLines& lines);

// Whether a text begins as such a file does, in small or large letters.
bool is_matrix_market(std::string_view text);

// The entry of a line, and its mirror image where the matrix is symmetric.
void read_matrix_entry(std::string_view line, const MatrixHead& head, const DataLines& lines,
                       std::vector<TrafficEntry>& entries);

}  // namespace tofa
