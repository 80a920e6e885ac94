// SPDX-License-Identifier: BSD-3-Clause
// Where `tofa graph` writes a graph, and in which format.
#pragma once

#include <string>

#include "command_line.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::cli {

struct GraphOutput {
  std::string path;    // empty: standard output
  std::string format;  // empty: what the path's extension says, mtx for standard output
};

void add_graph_output_options(Command& command, GraphOutput& output, bool required);

// Throws Error when the extension says nothing.
std::string output_format(const GraphOutput& output);

void write_graph(const Traffic& traffic, const GraphOutput& output);

}  // namespace tofa::cli
