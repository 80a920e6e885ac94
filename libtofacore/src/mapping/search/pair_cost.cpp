// SPDX-License-Identifier: BSD-3-Clause
// Costs between entries, tabled where that is affordable.
#include "mapping/search/pair_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/lanes.hpp"
#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/search/marked_nodes.hpp"
#include "mapping/search/suspects.hpp"

namespace tofa {
namespace {

// What one use of a node with an outage probability of about 0.02 weighs, in shares of a rank in
// the traffic: more than most pairs gain by it, yet not so much that a search sees nothing else.
// Nodes less likely to fail weigh less in proportion.
constexpr double kUseShares = 4;
constexpr double kFullCost = 0.4;  // share of the completion time that such a node costs

// In so many steps risks are told apart.
constexpr double kLevels = 32;

// A hop over a link that costs 1, where links differ.
constexpr double kUnitsPerHop = 16;

}  // namespace

bool follows_link_costs(const MappingTask& task) {
  return task.topology.link_costs() != nullptr && task.objective->counts_link_costs;
}

double seconds_to_tabulate(const MappingTask& task) {
  const auto entries = static_cast<double>(task.allocation.size());
  if (task.topology.grid() != nullptr || task.allocation.size() > kMaxTabled) return 0;
  return rates::kTabledPair * entries * entries / 2 / kLanes;
}

PairCost::PairCost(const MappingTask& task, const SeatPlan& plan)
    : topology_(task.topology),
      plan_(plan),
      entries_(plan.entries()),
      weights_(task.topology, task.outages),
      equation_1_(task.outages.suspects() > 0 && task.objective->counts_fault_weights),
      link_costs_(follows_link_costs(task) ? task.topology.link_costs() : nullptr) {
  if (counts_hops()) grid_ = GridDistances::of(topology_);
  if (grid_) {
    keys_.reserve(entries_);
    for (std::uint32_t entry = 0; entry < entries_; ++entry) {
      keys_.push_back(grid_->key(topology_.coordinates(plan.node(entry))));
    }
  }
  if (entries_ <= kMaxTabled && !grid_) tabulate();
  if (task.objective->counts_risks) weigh_suspects(task);
}

// Both ways cost the same, and looking at links takes its time.
void PairCost::tabulate() {
  constexpr std::size_t many = 256;    // entries, that are worth another lane
  const double half = std::sqrt(0.5);  // of all pairs: those of so many entries
  const std::array<std::size_t, kLanes + 1> border = {
      0, static_cast<std::size_t>(half * static_cast<double>(entries_)), entries_};
  table_.resize(entries_ * entries_);
  run_lanes_if(entries_ >= many, [&](unsigned lane) {
    for (std::size_t a = border[lane]; a < border[lane + 1]; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const unsigned cost = compute(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
        table_[a * entries_ + b] = table_[b * entries_ + a] =
            static_cast<std::uint16_t>(std::min(cost, kLargestValue));
      }
    }
  });
}

void PairCost::weigh_suspects(const MappingTask& task) {
  const std::vector<double> costs = costs_of_suspects(task);
  if (costs.empty()) return;
  for (const double cost : costs) {
    const double level = std::ceil(kLevels * std::min(cost / kFullCost, 1.0));
    level_.push_back(static_cast<std::uint8_t>(level));
  }
  census_ = topology_.census_of_weights(level_);
  if (grid_) measure_ways_to_suspects();
  const double share =
      static_cast<double>(task.graph.total_bytes()) / std::max<double>(task.graph.ranks(), 1);
  risk_weight_ = kUseShares / kLevels * std::max(1.0, share);
  if (link_costs_ != nullptr) risk_weight_ *= kUnitsPerHop;
  if (entries_ <= kMaxTabled) risks_ = std::vector<std::atomic<std::uint16_t>>(entries_ * entries_);
}

void PairCost::measure_ways_to_suspects() {
  const Grid& grid = *topology_.grid();
  const auto position = [&](Node node) { return grid.position(topology_.coordinates(node)); };
  std::vector<bool> suspect(grid.positions());
  for (Node node = 0; node < topology_.nodes(); ++node)
    if (level_[node] > 0) suspect[position(node)] = true;
  const std::vector<std::uint32_t> hops = hops_to_marked(grid, suspect);
  hops_to_suspect_.reserve(entries_);
  for (std::uint32_t entry = 0; entry < entries_; ++entry)
    hops_to_suspect_.push_back(hops[position(plan_.node(entry))]);
}

unsigned PairCost::compute(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  if (link_costs_ != nullptr) {
    // The two ways differ, and searches do not know which way the bytes go.
    const double both = cost_of_links(from, to) + cost_of_links(to, from);
    return static_cast<unsigned>(std::lround(both / 2 * kUnitsPerHop));
  }
  if (!equation_1_) return topology_.hops(from, to);
  // Equation 1 may differ with the direction: both count, which makes halves of hops.
  return static_cast<unsigned>(
      std::lround((weights_.weight(from, to) + weights_.weight(to, from)) / topology_.hop_cost()));
}

double PairCost::cost_of_links(Node from, Node to) const {
  std::vector<Link> route;
  topology_.route(from, to, route);
  return link_costs_->of_route(route);
}

unsigned PairCost::compute_risk(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  return risk_on_route(from, to) + risk_on_route(to, from);
}

// Every link counts both its ends, so that a node passed by counts twice what one at the end does.
// Who talks within a node uses it as much as if one of the two were elsewhere: or else ranks would
// hold each other there.
unsigned PairCost::risk_on_route(Node from, Node to) const {
  const Node host = topology_.host(from);
  return host == topology_.host(to) ? level_[host] : census_->count(from, to);
}

}  // namespace tofa
