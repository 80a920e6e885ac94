// SPDX-License-Identifier: BSD-3-Clause
// A way is risky if and only if it touches a node that is worth avoiding, however that is told.
#include "mapping/search/pair_cost.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/search/suspects.hpp"
#include "support/any_task.hpp"

namespace tofa::pair_cost_test {
namespace {

bool meets_suspect(const Topology& topology, const std::vector<double>& costs, Node from, Node to) {
  const auto is_suspect = [&](std::uint32_t vertex) {
    return vertex < topology.nodes() && costs[vertex] > 0;
  };
  std::vector<Link> route;
  topology.route(from, to, route);
  bool met = is_suspect(topology.host(from)) || is_suspect(topology.host(to));
  for (const Link link : route)
    met = met || is_suspect(topology.link_source(link)) || is_suspect(topology.link_target(link));
  return met;
}

RC_GTEST_PROP(PairCostProperty, SeesWhereAWayMeetsASuspect, ()) {
  test::AnyTask any;
  const MappingTask task = any.task("completion-time");
  const SearchSpace space(task);
  RC_PRE(space.cost().risky());
  const std::vector<double> costs = costs_of_suspects(task);
  for (std::uint32_t a = 0; a < space.plan().entries(); ++a) {
    for (std::uint32_t b = 0; b < space.plan().entries(); ++b) {
      const Node from = space.plan().node(a);
      const Node to = space.plan().node(b);
      const bool meets = meets_suspect(*any.topology, costs, from, to) ||
                         meets_suspect(*any.topology, costs, to, from);
      RC_ASSERT((space.cost().risk_between(a, b) > 0) == meets);
    }
  }
}

}  // namespace
}  // namespace tofa::pair_cost_test
