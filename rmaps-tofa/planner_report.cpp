// SPDX-License-Identifier: BSD-3-Clause
// The job as the report wants it; see planner_report.hpp.
#include "planner_report.hpp"

#include "tofa/placement_report.hpp"

namespace tofa::planner {

namespace {

PlacementStory story_of(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                        const Placement& placement) {
  PlacementStory story{.placement = placement,
                       .outages = inputs.outages,
                       .nodes = {},
                       .graph = inputs.graph_origin,
                       .topology = inputs.topology_origin,
                       .outages_origin = inputs.outages_origin,
                       .objective = settings.place.objective,
                       .mapper = settings.place.mapper};
  for (std::size_t i = 0; i < job.node_count; ++i)
    story.nodes.push_back({job.nodes[i].name, inputs.node_of[i], job.nodes[i].slots});
  return story;
}

}  // namespace

std::string format_report(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                          const Placement& placement) {
  return tofa::format_report(story_of(job, settings, inputs, placement));
}

std::string format_figures(const tofa_job& job, const Settings& settings, const Inputs& inputs,
                           const Placement& placement) {
  return tofa::format_figures(story_of(job, settings, inputs, placement));
}

}  // namespace tofa::planner
