// SPDX-License-Identifier: BSD-3-Clause
// Draws a machine twice, side by side: as it was used before and as it is used after. Load is shown
// by colour and by width, suspect and dead nodes by marks as well as outlines, so that nothing
// depends on telling colours apart.
#pragma once

#include <string>

#include "picture/layout.hpp"
#include "picture/machine_state.hpp"
#include "tofa/outage.hpp"

namespace tofa::cli {

struct Panel {
  std::string title;
  MachineState state;
};

struct Picture {
  std::string title;
  Layout layout;
  Panel before;
  Panel after;
  bool bytes = true;    // what the graph counts, or messages
  bool unlike = false;  // links differ: the busiest counts as if it were as fast as the fastest
};

// A self-contained SVG document. Throws nothing; all text in it is escaped.
std::string picture_svg(const Picture& picture, const OutageMap& outages);

}  // namespace tofa::cli
