// SPDX-License-Identifier: BSD-3-Clause
// A picture of who talks to whom: a square of senders against receivers, darker where more bytes
// went, on a logarithmic scale.
#pragma once

#include <string>

#include "tofa/comm_graph.hpp"

namespace tofa::cli {

// A self-contained SVG document of less than 2 MB. Above 512 ranks, or where the document would
// grow larger, a cell of the picture sums several ranks, which a note under it says. Entries must
// be sorted, as Traffic promises.
std::string heatmap_svg(const Traffic& traffic, const std::string& title);

}  // namespace tofa::cli
