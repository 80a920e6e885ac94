// SPDX-License-Identifier: BSD-3-Clause
// Costs of links and of routes: see link_costs.hpp.
#include "tofa/link_costs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "tofa/topology.hpp"

namespace tofa {
namespace {

constexpr double kStep = 64;
constexpr double kHighest = 1024;

double share_stalled(const LinkUse& use, Link link) {
  return use.stalls.empty() ? 0 : use.stalls[link];
}

double fastest_of(const Topology& topology) {
  double fastest = 0;
  for (Link link = 0; link < topology.links(); ++link)
    fastest = std::max(fastest, bandwidth_of(topology, link));
  return fastest;
}

// Adds what a link says to what the links before it said.
void add(OverRoute& all, double value, bool first) {
  all.sum += value;
  all.min = first ? value : std::min(all.min, value);
  all.max = first ? value : std::max(all.max, value);
}

}  // namespace

double bandwidth_of(const Topology& topology, Link link) {
  const double bandwidth = topology.bandwidth(link);
  return bandwidth > 0 ? bandwidth : kAssumedBandwidth;
}

double bandwidth_left(const Topology& topology, const LinkUse& use, Link link) {
  const double all = bandwidth_of(topology, link);
  const double used = use.bytes_per_second.empty() ? 0 : use.bytes_per_second[link];
  return std::max(all - used, kLeastShareLeft * all);
}

LinkCosts::LinkCosts(std::vector<double> cost, PairCostRule rule)
    : cost_(std::move(cost)),
      rule_(rule),
      plain_(rule.reduction == RouteReduction::sum &&
             std::all_of(cost_.begin(), cost_.end(), [](double value) { return value == 1; })) {}

double LinkCosts::of_route(std::span<const Link> route) const {
  OverRoute all;
  for (std::size_t i = 0; i < route.size(); ++i) add(all, cost_[route[i]], i == 0);
  return all.by(rule_.reduction);
}

LinkCosts link_costs_of(const Topology& topology, const LinkUse& use, PairCostRule rule) {
  // Where nobody measured stalls, the bandwidth that is left counts.
  if (rule.measure == LinkMeasure::stalls && use.stalls.empty())
    rule.measure = LinkMeasure::bandwidth;
  std::vector<double> costs(topology.links(), 1);
  if (rule.measure != LinkMeasure::hops) {
    const double fastest = fastest_of(topology);
    for (Link link = 0; link < topology.links(); ++link) {
      const double share = std::max(1 - share_stalled(use, link), kLeastShareLeft);
      const double left = rule.measure == LinkMeasure::bandwidth
                              ? bandwidth_left(topology, use, link)
                              : share * bandwidth_of(topology, link);
      costs[link] = std::clamp(std::round(kStep * fastest / left) / kStep, 1.0, kHighest);
    }
  }
  return {std::move(costs), rule};
}

void weigh_links(Topology& topology, const LinkUse& use, PairCostRule rule) {
  auto costs = std::make_shared<const LinkCosts>(link_costs_of(topology, use, rule));
  topology.set_link_costs(costs->plain() ? nullptr : std::move(costs));
}

double OverRoute::by(RouteReduction reduction) const {
  switch (reduction) {
    case RouteReduction::sum:
      return sum;
    case RouteReduction::min:
      return min;
    case RouteReduction::max:
      return max;
  }
  return sum;
}

RouteQuery::RouteQuery(const Topology& topology, const LinkUse& use, PairCostRule rule)
    : topology_(topology), use_(use), costs_(link_costs_of(topology, use, rule)) {
  left_.reserve(topology.links());
  for (Link link = 0; link < topology.links(); ++link)
    left_.push_back(bandwidth_left(topology, use, link));
}

RouteState RouteQuery::ask(Node from, Node to) {
  route_.clear();
  topology_.route(from, to, route_);
  RouteState state;
  state.hops = static_cast<unsigned>(route_.size());
  for (std::size_t i = 0; i < route_.size(); ++i) {
    add(state.cost, costs_.cost(route_[i]), i == 0);
    add(state.bandwidth_left, left_[route_[i]], i == 0);
    add(state.stalls, share_stalled(use_, route_[i]), i == 0);
  }
  return state;
}

}  // namespace tofa
