// SPDX-License-Identifier: BSD-3-Clause
// What of a profile goes on a page: the graph that was asked for, and the files beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/page.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/message_sizes.hpp"

namespace tofa::cli {

// The graph, then classes of it, then phases and their classes, each in bytes and in messages as
// far as there are files. Sentences about what is left out, and why, go to `notes`.
std::vector<TrafficPart> read_parts(const std::string& graph, SymmetricMatrix symmetric,
                                    std::vector<std::string>& notes);

// Nothing where sizes were not counted; where their file is damaged or of another number of ranks,
// a note says so.
std::optional<MessageSizes> read_sizes(const std::string& graph, Rank ranks,
                                       std::vector<std::string>& notes);

// What the files beside the graph tell of the run; likewise.
PageRun read_run(const std::string& graph, Rank ranks, std::vector<std::string>& notes);

}  // namespace tofa::cli
