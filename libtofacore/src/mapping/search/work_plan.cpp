// SPDX-License-Identifier: BSD-3-Clause
// Work in moves: see work_plan.hpp.
#include "mapping/search/work_plan.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/search/move_cost.hpp"
#include "mapping/search/smooth_time.hpp"

namespace tofa {
namespace {

double effort_factor(Effort effort) {
  switch (effort) {
    case Effort::fast:
      return 0.25;
    case Effort::normal:
      return 1;
    case Effort::thorough:
      return 16;
  }
  return 1;
}

// Whether routes have to be walked every time, and that takes longer than planned: of links that
// differ, or of many in a row.
bool walks_far(const MappingTask& task) {
  constexpr std::size_t some = 64;  // pairs of nodes, of which the second is any
  constexpr std::size_t far = 10;   // hops, in the mean
  if (!walks_routes(task)) return false;
  if (task.topology.link_costs() != nullptr) return true;
  const std::size_t entries = task.allocation.size();
  std::size_t hops = 0;
  for (std::size_t i = 0; i < some; ++i) {
    hops += task.topology.hops(task.allocation[i * entries / some].node,
                               task.allocation[(i * i * 7919 + 13) % entries].node);
  }
  return hops > some * far;
}

// Of an anneal on loads; none where the objective counts none, or where there is too little time.
std::uint64_t plan_load_tries(const MappingTask& task, double seconds, double partners) {
  // Of fewer for each rank, a descent finds more; and to add up the loads of links has to be little
  // beside them.
  constexpr double fewest_of_rank = 2;
  constexpr double fewest_of_link = 0.5;
  const double ranks = task.graph.ranks();
  const auto bytes = static_cast<double>(task.graph.total_bytes());
  if (!SmoothTime(task, std::max(1.0, bytes / ranks)).counts()) return 0;
  if (walks_far(task)) return 0;
  const double tries = seconds / seconds_per_load_try(task, partners);
  const double fewest = std::max(fewest_of_rank * ranks, fewest_of_link * task.topology.links());
  return tries < fewest ? 0 : static_cast<std::uint64_t>(tries);
}

// Moves of a rank from which on two lanes find more in an arrangement each.
double fewest_for_two(Rank ranks) {
  constexpr Rank many = 1024;
  return ranks > many ? 20'000 : 3000;
}

}  // namespace

PlannedWork planned_work(const CommGraph& graph, const PlaceOptions& options) {
  constexpr double share_of_limit = 0.4;
  const auto ranks = static_cast<double>(graph.ranks());
  const auto between = [ranks](double low, double high) {
    return std::clamp(ranks - low, 0.0, high - low);
  };
  const double worth = 0.003 + 6e-4 * between(0, 64) + 1.2e-3 * between(64, 128) +
                       2e-4 * std::max(ranks - 128, 0.0) +
                       2e-5 * static_cast<double>(graph.pairs());
  const double most = share_of_limit * options.time_limit_seconds;
  const double seconds = std::min(effort_factor(options.effort) * worth, most);
  // Who gives a limit says how long to wait, of which reading and the like take a part.
  constexpr double share_of_given = 0.9;
  constexpr double share_of_short = 0.5;
  constexpr double beside = 0.04;  // seconds
  // Few ranks have found what there is without more.
  const double worth_of_given =
      options.effort == Effort::thorough ? 1 : 1 + between(128, 512) / (512 - 128);
  const double limit = options.time_limit_seconds;
  const double all = std::min(worth_of_given * effort_factor(options.effort) * worth,
                              std::max(share_of_short * limit, share_of_given * limit - beside));
  const double more = options.limit_was_given ? all - seconds : 0;
  if (options.effort == Effort::thorough) return {seconds, 0, more};
  // What is hard may take as long again. Jobs of up to 512 ranks are to start within 0.3 s, unless
  // somebody agrees to wait longer.
  const double if_hard = options.limit_was_given ? 1 : between(512, 1024) / 512;
  return {seconds, std::min(if_hard * seconds, most - seconds), more};
}

double closing_seconds(const CommGraph& graph, const Topology& topology, double of_default) {
  // Once by distances alone, as the search does, and once as the default was.
  constexpr double times = 2;
  const double nodes = topology.nodes();
  const double writing = rates::kClosingPerNode * nodes;
  const double evaluating = rates::kClosingPerPair * static_cast<double>(graph.pairs()) +
                            rates::kClosingPerFarNode * std::max(0.0, nodes - rates::kNearNodes);
  return writing + std::min(evaluating, times * of_default);
}

double moves_of_a_rank(const MappingTask& task, double moves) {
  constexpr double usual = 512;  // nodes
  const double nodes = static_cast<double>(task.allocation.size());
  return moves / std::max<double>(task.graph.ranks(), 1) / std::max(1.0, nodes / usual);
}

WorkPlan plan_work(const MappingTask& task, double spent) {
  const double ranks = std::max<double>(task.graph.ranks(), 1);
  const double pairs = static_cast<double>(task.graph.pairs());
  const double degree = 2 * pairs / ranks;
  const bool loads_matter = task.objective->counts_loads;
  const double descent_share = loads_matter ? 0.4 : 0;
  // What candidates and the setting up take.
  const double limit = std::max(0.0, task.seconds - spent);
  const double overhead =
      std::min(0.3 * limit, 0.1 * limit + rates::kSetUp + rates::kSetUpPerRank * ranks +
                                rates::kSetUpPerPair * pairs);
  const double partners = task.recognised->partners_of_a_draw();
  const double move = seconds_per_move(task, partners, loads_matter && task.outages.suspects() > 0);
  const double seconds = (0.94 - descent_share) * limit - overhead;
  // Where a mapper has had most of the time, little more than that is found.
  const double more_seconds =
      std::min(1.0, limit / std::max(task.seconds, 1e-9)) * task.more_seconds;
  const double more = (1 - descent_share) * more_seconds;
  const double planned = std::max(1024.0, seconds / move);
  // Knowing more exactly how a task freezes gains nothing beyond so many moves per rank.
  constexpr double enough = 400;
  // With less than so many nothing melts, and a few draws tell more; but the anneal on loads goes
  // by what is measured.
  constexpr double fewest = 30;
  const double some = std::min(0.1 * planned, enough * ranks);
  const double measuring = some < fewest * ranks && !loads_matter ? 0 : some;
  const double moves = planned - measuring + more / move;
  // One long anneal is worth more than two of half the length, up to so many moves. Few ranks
  // freeze soon: they get short anneals first, and longer ones as long as those find something
  // better.
  constexpr double few = 128;
  const double longest =
      ranks <= few ? 3000 * ranks * std::min(1.0, ranks / 64) : 8e4 * ranks * std::max(degree, 4.0);
  const double rounds = std::clamp(std::round(moves / longest), 1.0, 64.0);
  const double descent_seconds = descent_share * (limit + more_seconds);
  const double tries =
      descent_seconds * rates::kDescentTriesPerSecond / std::max(1.0, partners / 8);
  WorkPlan plan{};
  plan.descent = static_cast<std::uint64_t>(tries);
  plan.load_tries = plan_load_tries(task, (1 - WorkPlan::kAfterLoads) * descent_seconds, partners);
  plan.moves_of_descent = static_cast<std::uint64_t>(descent_seconds / move);
  // With few moves per rank there is time for one anneal, and it can only smooth what it starts
  // from.
  const double per_rank = moves_of_a_rank(task, moves);
  plan.together = per_rank < fewest_for_two(task.graph.ranks());
  const double warming = plan.together ? 0 : WorkPlan::kWarming * moves;
  plan.warming = static_cast<std::uint64_t>(warming);
  plan.measuring = static_cast<std::uint64_t>(measuring);
  plan.annealing = static_cast<std::uint64_t>(moves - warming);
  plan.first_round =
      plan.together ? plan.annealing : static_cast<std::uint64_t>((moves - warming) / rounds);
  // Where a mapper had most of the time, it knows what a longer search would find.
  plan.spare =
      spent > 0 ? 0 : static_cast<std::uint64_t>((1 - descent_share) * task.spare_seconds / move);
  plan.growth = ranks <= few ? 1.25 : 1;
  return plan;
}

namespace {

// Their tables alone take seconds.
constexpr Rank kVeryManyRanks = 200'000;
constexpr double kFewestMoves = 64;  // of each

}  // namespace

bool is_worth_searching(const MappingTask& task, const WorkPlan& work) {
  return task.graph.ranks() < kVeryManyRanks ||
         static_cast<double>(work.annealing) >= kFewestMoves * task.graph.ranks();
}

bool has_time_to_search(const MappingTask& task, const WorkPlan& work, double share_of_time) {
  if (task.graph.ranks() < kVeryManyRanks) return true;
  const double tables = rates::kTablesPerPair * static_cast<double>(task.graph.pairs());
  const double left = share_of_time * task.deadline.seconds_left() - tables;
  const double planned = std::max(task.seconds + task.more_seconds, 1e-9);
  return static_cast<double>(work.annealing) * std::min(left / planned, 1.0) >=
         kFewestMoves * task.graph.ranks();
}

}  // namespace tofa
