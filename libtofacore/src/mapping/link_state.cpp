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
      routes_(task.topology, plan),
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
    const std::uint32_t here = seating_.place(rank);
    hold(plan_.node(here), 1);
    for (const auto& [partner, bytes] : task.graph.partners(rank)) {
      send(here, seating_.place(partner), static_cast<double>(bytes) / 2, 1);
    }
  }
  sums_.squared_load = pending_squared_load();
  apply_changes();
  settle();
}

double LinkState::propose(Rank rank, Seat target) {
  moved_ = rank;
  came_from_ = seating_.seat(rank);
  before_ = sums_;
  const Rank other = seating_.occupant(target);
  account_both(rank, other, -1);
  seating_.swap_to(rank, target);
  account_both(rank, other, 1);
  sums_.squared_load = pending_squared_load();
  if (busiest_link_is_relieved()) {
    // Some other link may be the busiest now: only the tree knows.
    apply_changes();
    return cost();
  }
  double max_load = load_.max();
  for (const Link link : changed_)
    max_load = std::max(max_load, load_.value(link) + pending_[link]);
  return value(max_load, sums_.squared_load);
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

// What the sum of squares will be once the pending changes are applied.
double LinkState::pending_squared_load() const {
  double sum = sums_.squared_load;
  for (const Link link : changed_) {
    sum += pending_[link] * (2 * load_.value(link) + pending_[link]);
  }
  return sum;
}

void LinkState::apply_changes() {
  for (const Link link : changed_) {
    if (pending_[link] != 0) load_.add(link, pending_[link]);
  }
  applied_ = true;
}

// Nothing is under discussion any more.
void LinkState::settle() {
  for (const Link link : changed_) {
    pending_[link] = 0;
    is_pending_[link] = false;
  }
  changed_.clear();
  touched_.clear();
  applied_ = false;
}

double LinkState::value(double max_load, double squared_load) const {
  Metrics metrics;
  metrics.ranks = task_.graph.ranks();
  metrics.bytes = task_.graph.total_bytes();
  metrics.hop_bytes = sums_.hop_bytes;
  metrics.max_link_load = max_load;
  metrics.squared_load = squared_load;
  metrics.fault_weighted_cost = sums_.fault_cost;
  // Sums of logarithms do not come back to exactly nothing, the count does.
  metrics.abort_probability =
      touched_suspects_ == 0 ? 0 : std::max(1 - std::exp(sums_.survival_exponent), kLeastSurvival);
  return judge(task_.objective, metrics);
}

void LinkState::account_both(Rank rank, Rank other, int sign) {
  account(rank, kNoRank, sign);
  if (other != kNoRank) account(other, rank, sign);
}

// Adds or takes away a rank and all its traffic, but for that with `except`.
void LinkState::account(Rank rank, Rank except, int sign) {
  const std::uint32_t here = seating_.place(rank);
  hold(plan_.node(here), sign);
  for (const auto& [partner, bytes] : task_.graph.partners(rank)) {
    if (partner == except) continue;
    const std::uint32_t there = seating_.place(partner);
    const double half = static_cast<double>(bytes) / 2;
    send(here, there, half, sign);
    send(there, here, half, sign);
  }
}

void LinkState::send(std::uint32_t from, std::uint32_t to, double bytes, int sign) {
  if (from == to) return;
  const auto route = routes_.route(from, to);
  const double amount = sign * bytes;
  for (const Link link : route) {
    change_load(link, amount);
    if (!touches_.empty()) note_touch(task_.topology.link_source(link), sign);
  }
  sums_.hop_bytes += amount * static_cast<double>(route.size());
  if (count_fault_cost_) {
    sums_.fault_cost += amount * weights_.weight(plan_.node(from), plan_.node(to));
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
