// SPDX-License-Identifier: BSD-3-Clause
// What a placement was made of and what it is predicted to gain, told to whoever starts the job:
// the same by mpirun's mapper and by srun's plugin.
#pragma once

#include <string>
#include <vector>

#include "tofa/outage.hpp"
#include "tofa/place.hpp"

namespace tofa {

// A node that could have been used, by the name that whoever asks knows it by.
struct ReportedNode {
  std::string name;
  Node node = kNoNode;
  unsigned slots = 0;
};

struct PlacementStory {
  const Placement& placement;
  const OutageMap& outages;
  std::vector<ReportedNode> nodes;  // in the order of the job
  // Where the inputs came from, or what is assumed instead.
  std::string graph, topology, outages_origin;
  Objective objective;
  std::string mapper;  // that was asked for
};

// Lines that begin with `tofa: `.
std::string format_report(const PlacementStory& story);

// The figures in it that a site adds up, as fields of a line of its log (tofa/site_log.hpp).
std::string format_figures(const PlacementStory& story);

}  // namespace tofa
