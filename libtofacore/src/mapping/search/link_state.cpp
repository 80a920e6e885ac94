// SPDX-License-Identifier: BSD-3-Clause
// Incremental metrics: see link_state.hpp.
#include "mapping/search/link_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mapping/objective.hpp"

namespace tofa {

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
      costs_(task.topology.link_costs()),
      load_(task.topology.links()),
      count_fault_cost_(task.objective->counts_fault_weights),
      routes_(task.topology, plan),
      pending_(task.topology.links()),
      stamp_(task.topology.links()) {
  if (task.outages.suspects() > 0) {
    touches_.resize(task.topology.nodes());
    for (Node node = 0; node < task.topology.nodes(); ++node) {
      log_survival_.push_back(
          std::log(std::max(1 - task.outages.own_probability(node), kLeastSurvival)));
    }
  }
  for (Rank rank = 0; rank < task.graph.ranks(); ++rank) {
    const std::uint32_t here = seating_.entry(rank);
    hold(plan_.node(here), 1);
    for (const auto& [partner, bytes, sent] : task.graph.partners(rank)) {
      send(here, seating_.entry(partner), sent, bytes, 1);
    }
  }
  for (const Link link : changed_) sums_.squared_load += squared_change(link, 0, pending_[link]);
  apply_changes();
  settle();
}

double LinkState::propose(Rank rank, Seat target, double ceiling) {
  moved_ = rank;
  came_from_ = seating_.seat(rank);
  before_ = sums_;
  const Rank other = seating_.occupant(target);
  account_both(rank, other, -1);
  seating_.swap_to(rank, target);
  account_both(rank, other, 1);
  // What the sum of squares will be, and the maximum among the links that change.
  const double busiest = load_.max();
  double max_changed = 0;
  bool relieved = false;
  for (const Link link : changed_) {
    const double load = load_.value(link);
    const double change = pending_[link];
    sums_.squared_load += squared_change(link, load, change);
    max_changed = std::max(max_changed, load + change);
    relieved = relieved || (load == busiest && change < 0);
  }
  if (!relieved) return value(std::max(busiest, max_changed), sums_.squared_load);
  // Some other link may be the busiest now: only the tree knows.
  const double at_least = value(max_changed, sums_.squared_load);
  if (at_least > ceiling) return at_least;
  apply_changes();
  return cost();
}

void LinkState::keep() {
  if (!applied_) apply_changes();
  settle();
}

void LinkState::undo() {
  if (applied_) {
    for (const Link link : changed_) load_.add(link, -pending_[link]);
  }
  seating_.swap_to(moved_, came_from_);
  for (auto it = touched_.rbegin(); it != touched_.rend(); ++it) touch(it->vertex, -it->sign);
  sums_ = before_;
  settle();
}

void LinkState::apply_changes() {
  for (const Link link : changed_) {
    if (pending_[link] != 0) load_.add(link, pending_[link]);
  }
  applied_ = true;
}

// Nothing is under discussion any more.
void LinkState::settle() {
  ++proposal_;
  changed_.clear();
  touched_.clear();
  applied_ = false;
}

double LinkState::value(double max_load, double squared_load) const {
  Metrics metrics;
  metrics.ranks = task_.graph.ranks();
  metrics.bytes = task_.graph.total_bytes();
  metrics.hop_bytes = sums_.hop_bytes;
  metrics.pair_cost = sums_.pair_cost;
  metrics.max_link_load = max_load;
  metrics.squared_load = squared_load;
  metrics.fault_weighted_cost = sums_.fault_cost;
  // Sums of logarithms do not come back to exactly nothing, the count does.
  metrics.abort_probability = touched_suspects_ == 0 ? 0 : -std::expm1(sums_.survival_exponent);
  return objective_value(task_.objective, metrics, task_.abort_cost);
}

void LinkState::account_both(Rank rank, Rank other, int sign) {
  account(rank, kNoRank, sign);
  if (other != kNoRank) account(other, rank, sign);
}

// Adds or takes away a rank and all its traffic, but for that with `except`.
void LinkState::account(Rank rank, Rank except, int sign) {
  const std::uint32_t here = seating_.entry(rank);
  hold(plan_.node(here), sign);
  for (const auto& [partner, bytes, sent] : task_.graph.partners(rank)) {
    if (partner == except) continue;
    const std::uint32_t there = seating_.entry(partner);
    send(here, there, sent, bytes, sign);
    send(there, here, bytes - sent, bytes, sign);
  }
}

// What one of two ranks sends the other. Whatever the direction of their bytes, messages and
// acknowledgements go both ways, so either route counts as in use.
void LinkState::send(std::uint32_t from, std::uint32_t to, Bytes sent, Bytes exchanged, int sign) {
  if (from == to || (sent == 0 && touches_.empty() && !count_fault_cost_)) return;
  const auto route = routes_.route(from, to);
  const double amount = sign * static_cast<double>(sent);
  if (sent > 0) {
    for (const Link link : route) change_load(link, amount);
  }
  if (!touches_.empty()) {
    for (const Link link : route) note_touch(task_.topology.link_source(link), sign);
  }
  sums_.hop_bytes += amount * static_cast<double>(route.size());
  sums_.pair_cost +=
      amount * (costs_ == nullptr ? static_cast<double>(route.size()) : costs_->of_route(route));
  if (count_fault_cost_) {
    sums_.fault_cost += sign * (static_cast<double>(exchanged) / 2) *
                        weights_.weight(plan_.node(from), plan_.node(to));
  }
}

void LinkState::hold(Node node, int sign) {
  note_touch(node, sign);
  const Node host = task_.topology.host(node);
  if (host != node) note_touch(host, sign);
}

void LinkState::note_touch(std::uint32_t vertex, int sign) {
  if (vertex >= touches_.size() || log_survival_[vertex] == 0) return;
  touched_.push_back({vertex, sign});
  touch(vertex, sign);
}

void LinkState::touch(std::uint32_t vertex, int sign) {
  if (sign > 0) {
    if (touches_[vertex]++ > 0) return;
    ++touched_suspects_;
    sums_.survival_exponent += log_survival_[vertex];
  } else {
    if (--touches_[vertex] > 0) return;
    --touched_suspects_;
    sums_.survival_exponent -= log_survival_[vertex];
  }
}

}  // namespace tofa
