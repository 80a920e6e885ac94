// SPDX-License-Identifier: BSD-3-Clause
// Incremental metrics: see link_state.hpp.
#include "mapping/link_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tofa {
namespace {

// Survival of a node that is certain to fail: small enough to lose against anything, large enough
// for logarithms.
constexpr double kLeastSurvival = 1e-12;

}  // namespace

MaxTree::MaxTree(std::size_t values)
    : leaves_(std::bit_ceil(std::max<std::size_t>(values, 1))), tree_(2 * leaves_) {}

void MaxTree::add(std::size_t index, double amount) {
  std::size_t i = leaves_ + index;
  tree_[i] += amount;
  for (i /= 2; i >= 1; i /= 2) {
    const double larger = std::max(tree_[2 * i], tree_[2 * i + 1]);
    if (tree_[i] == larger) break;
    tree_[i] = larger;
  }
}

LinkState::LinkState(const MappingTask& task, const SeatPlan& plan, Seating& seating)
    : task_(task),
      plan_(plan),
      seating_(seating),
      weights_(task.topology, task.outages),
      load_(task.topology.links()),
      count_fault_cost_(task.objective == Objective::fault_weighted),
      pending_(task.topology.links()),
      is_pending_(task.topology.links()) {
  if (task.outages.suspects() > 0) {
    touches_.resize(task.topology.nodes());
    for (Node node = 0; node < task.topology.nodes(); ++node) {
      log_survival_.push_back(
          std::log(std::max(1 - task.outages.own_probability(node), kLeastSurvival)));
    }
  }
  for (Rank rank = 0; rank < task.graph.ranks(); ++rank) {
    const Node here = plan_.node(seating_.place(rank));
    hold(here, 1);
    for (const auto& [partner, bytes] : task.graph.partners(rank)) {
      send(here, plan_.node(seating_.place(partner)), static_cast<double>(bytes) / 2, 1);
    }
  }
  apply_changes();
}

double LinkState::propose(Rank rank, Seat target) {
  moved_ = rank;
  came_from_ = seating_.seat(rank);
  squared_load_before_ = squared_load_;
  const Rank other = seating_.occupant(target);
  account_both(rank, other, -1);
  seating_.swap_to(rank, target);
  account_both(rank, other, 1);
  if (busiest_link_is_relieved()) {
    // Some other link may be the busiest now: only the tree knows.
    apply_changes();
    return cost();
  }
  double max_load = load_.max();
  for (const Link link : changed_)
    max_load = std::max(max_load, load_.value(link) + pending_[link]);
  return value(max_load, pending_squared_load());
}

void LinkState::keep() {
  apply_changes();
}

void LinkState::undo() {
  const Seat target = seating_.seat(moved_);
  const Rank other = seating_.occupant(came_from_);
  account_both(moved_, other, -1);
  seating_.swap_to(moved_, came_from_);
  account_both(moved_, seating_.occupant(target), 1);
  apply_changes();
  squared_load_ = squared_load_before_;
}

bool LinkState::busiest_link_is_relieved() const {
  return std::any_of(changed_.begin(), changed_.end(), [this](Link link) {
    return pending_[link] < 0 && load_.value(link) == load_.max();
  });
}

void LinkState::change_load(Link link, double amount) {
  if (!is_pending_[link]) {
    is_pending_[link] = true;
    changed_.push_back(link);
  }
  pending_[link] += amount;
}

// What squared_load_ will be once the pending changes are applied.
double LinkState::pending_squared_load() const {
  double sum = squared_load_;
  for (const Link link : changed_) {
    sum += pending_[link] * (2 * load_.value(link) + pending_[link]);
  }
  return sum;
}

void LinkState::apply_changes() {
  squared_load_ = pending_squared_load();
  for (const Link link : changed_) {
    if (pending_[link] != 0) load_.add(link, pending_[link]);
    pending_[link] = 0;
    is_pending_[link] = false;
  }
  changed_.clear();
}

double LinkState::value(double max_load, double squared_load) const {
  Metrics metrics;
  metrics.ranks = task_.graph.ranks();
  metrics.bytes = task_.graph.total_bytes();
  metrics.hop_bytes = hop_bytes_;
  metrics.max_link_load = max_load;
  metrics.squared_load = squared_load;
  metrics.fault_weighted_cost = fault_cost_;
  // Sums of logarithms do not come back to exactly nothing, the count does.
  metrics.abort_probability =
      touched_suspects_ == 0 ? 0 : std::max(1 - std::exp(survival_exponent_), kLeastSurvival);
  return judge(task_.objective, metrics);
}

void LinkState::account_both(Rank rank, Rank other, int sign) {
  account(rank, kNoRank, sign);
  if (other != kNoRank) account(other, rank, sign);
}

// Adds or takes away a rank and all its traffic, but for that with `except`.
void LinkState::account(Rank rank, Rank except, int sign) {
  const Node here = plan_.node(seating_.place(rank));
  hold(here, sign);
  for (const auto& [partner, bytes] : task_.graph.partners(rank)) {
    if (partner == except) continue;
    const Node there = plan_.node(seating_.place(partner));
    const double half = static_cast<double>(bytes) / 2;
    send(here, there, half, sign);
    send(there, here, half, sign);
  }
}

void LinkState::send(Node from, Node to, double bytes, int sign) {
  if (from == to) return;
  route_.clear();
  task_.topology.route(from, to, route_);
  const double amount = sign * bytes;
  for (const Link link : route_) {
    change_load(link, amount);
    if (!touches_.empty()) touch(task_.topology.link_source(link), sign);
  }
  hop_bytes_ += amount * static_cast<double>(route_.size());
  if (count_fault_cost_) fault_cost_ += amount * weights_.weight(from, to);
}

void LinkState::hold(Node node, int sign) {
  touch(node, sign);
  const Node host = task_.topology.host(node);
  if (host != node) touch(host, sign);
}

void LinkState::touch(std::uint32_t vertex, int sign) {
  if (vertex >= touches_.size() || log_survival_[vertex] == 0) return;
  if (sign > 0) {
    if (touches_[vertex]++ > 0) return;
    ++touched_suspects_;
    survival_exponent_ += log_survival_[vertex];
  } else {
    if (--touches_[vertex] > 0) return;
    --touched_suspects_;
    survival_exponent_ -= log_survival_[vertex];
  }
}

}  // namespace tofa
