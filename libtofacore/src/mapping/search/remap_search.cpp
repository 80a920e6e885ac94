// SPDX-License-Identifier: BSD-3-Clause
// Annealing and descent over who moves where: see remap_search.hpp. First on the sum of bytes times
// hops, which costs little to follow, then on the objective itself. How much is tried follows from
// the number of moves and the traffic, not from the clock, which only ends what would be late.
#include "mapping/search/remap_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "mapping/objective.hpp"
#include "mapping/search/link_state.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kNoEntry = 0xffffffff;
// A rank that moves is tried at this many of the free entries nearest to a partner.
constexpr std::size_t kNearEntries = 16;
constexpr std::uint64_t kQuestionsPerLook = 64;
// Entries up to which the distances of all pairs are in a table: 1 MB.
constexpr std::size_t kMostEntriesInTable = 512;
// Rounding must not keep a descent going.
constexpr double kNoticeable = 1 - 1e-12;

// How much is tried in a round. Work, which is counted in partners looked at, bounds all of them.
struct MoveWork {
  std::uint64_t tries_per_move;
  std::uint64_t least_tries;
  std::uint64_t most_work;
};
constexpr MoveWork kOnDistances{4000, 100'000, 30'000'000};
constexpr MoveWork kOnObjective{300, 10'000, 500'000};
// Few exchanges have soon been tried in every order that matters.
constexpr std::uint64_t kTriesPerExchange = 100;

// Annealing begins and ends at these shares of what an exchange for the worse typically costs;
// later rounds, which begin with what is best so far, are cooler.
constexpr std::array kHeats = {1.0, 0.7, 0.7, 0.35};
constexpr double kFirstTemperature = 0.6;
constexpr double kLastTemperature = 0.1;

// An exchange: the rank takes that seat, whoever sits there takes the rank's.
struct Exchange {
  Rank rank;
  Seat target;
};

// Who moves and where they are; knows which exchanges are allowed.
class Moves {
 public:
  Moves(const MappingTask& task, const SeatPlan& plan, const Mapping& old, const Mapping& start)
      : task_(task), plan_(plan), seating_(plan, start), near_(plan.entries()) {
    std::vector<std::uint32_t> entry_of(task.topology.nodes(), kNoEntry);
    for (std::uint32_t entry = 0; entry < plan.entries(); ++entry)
      entry_of[plan.node(entry)] = entry;
    position_.assign(old.size(), kStays);
    for (Rank rank = 0; rank < old.size(); ++rank) home_.push_back(entry_of[old[rank]]);
    for (Rank rank = 0; rank < old.size(); ++rank) note(rank);
    find_open_seats();
  }

  Seating& seating() { return seating_; }
  const std::vector<Rank>& movers() const { return movers_; }
  const std::vector<Seat>& open_seats() const { return open_; }

  // The seats of those that stayed where the rank comes from.
  std::pair<Seat, Seat> seats_at_home(Rank rank) const {
    const std::uint32_t home = home_[rank];
    if (home == kNoEntry) return {0, 0};
    return {plan_.first_seat(home), plan_.first_seat(home) + plan_.seats_of(home)};
  }

  std::uint64_t count_exchanges() const {
    std::uint64_t count = movers_.size() * open_.size();
    for (const Rank rank : movers_) {
      const auto [first, end] = seats_at_home(rank);
      count += end - first;
    }
    return count;
  }

  // One at random, mostly of a rank towards a partner; none when the draw is not allowed.
  std::optional<Exchange> draw(RandomSource& random) {
    const Rank rank = movers_[random.below(static_cast<std::uint32_t>(movers_.size()))];
    const std::uint32_t way = random.below(6);
    const auto [home, home_end] = seats_at_home(rank);
    Seat target = 0;
    if (way >= 2) {
      const auto partners = task_.graph.partners(rank);
      if (partners.empty()) return {};
      const std::uint32_t there = seating_.entry(
          partners[random.below(static_cast<std::uint32_t>(partners.size()))].partner);
      if (there == home_[rank]) {
        target = home + random.below(home_end - home);
      } else {
        const auto& near = near_entries(there);
        // The nearest most often.
        const auto nearest = random.below(static_cast<std::uint32_t>(near.size())) + 1;
        const std::uint32_t entry = near[random.below(nearest)];
        const Seat first = first_open_[entry];
        target = open_[first + random.below(first_open_[entry + 1] - first)];
      }
    } else if (way == 1 && home < home_end) {
      target = home + random.below(home_end - home);
    } else {
      target = open_[random.below(static_cast<std::uint32_t>(open_.size()))];
    }
    if (plan_.entry_of(target) == seating_.entry(rank)) return {};
    return Exchange{rank, target};
  }

  // After two ranks, of which one may be none, have changed seats.
  void note_both(Rank rank, Rank other) {
    note(rank);
    if (other != kNoRank) note(other);
  }

  // Partners that an exchange looks at, and what the search for near entries has cost.
  std::uint64_t work_of(Exchange exchange) {
    const Rank other = seating_.occupant(exchange.target);
    const std::size_t partners = task_.graph.partners(exchange.rank).size() +
                                 (other == kNoRank ? 0 : task_.graph.partners(other).size());
    return 1 + partners + std::exchange(extra_work_, 0);
  }

 private:
  static constexpr std::size_t kStays = static_cast<std::size_t>(-1);

  void note(Rank rank) {
    const bool moves = seating_.entry(rank) != home_[rank];
    if (moves == (position_[rank] != kStays)) return;
    if (moves) {
      position_[rank] = movers_.size();
      movers_.push_back(rank);
    } else {
      const Rank last = movers_.back();
      movers_[position_[rank]] = last;
      position_[last] = position_[rank];
      movers_.pop_back();
      position_[rank] = kStays;
    }
  }

  // Seats that no rank has kept. They stay the same, whoever moves: nobody comes to a node that
  // others must leave.
  void find_open_seats() {
    std::vector<bool> is_left(plan_.entries());
    for (const Rank rank : movers_) {
      if (home_[rank] != kNoEntry) is_left[home_[rank]] = true;
    }
    for (std::uint32_t entry = 0; entry < plan_.entries(); ++entry) {
      first_open_.push_back(static_cast<Seat>(open_.size()));
      if (is_left[entry]) continue;
      const Seat end = plan_.first_seat(entry) + plan_.seats_of(entry);
      for (Seat seat = plan_.first_seat(entry); seat < end; ++seat) {
        const Rank rank = seating_.occupant(seat);
        if (rank == kNoRank || position_[rank] != kStays) open_.push_back(seat);
      }
      if (open_.size() > first_open_.back()) open_entries_.push_back(entry);
    }
    first_open_.push_back(static_cast<Seat>(open_.size()));
  }

  // The entries with open seats that are nearest to an entry, found when they are first asked for.
  const std::vector<std::uint32_t>& near_entries(std::uint32_t entry) {
    std::vector<std::uint32_t>& near = near_[entry];
    if (!near.empty()) return near;
    extra_work_ += open_entries_.size();
    std::vector<std::pair<unsigned, std::uint32_t>> by_distance;
    by_distance.reserve(open_entries_.size());
    for (const std::uint32_t open : open_entries_)
      by_distance.emplace_back(task_.topology.hops(plan_.node(entry), plan_.node(open)), open);
    const auto wanted = std::min(kNearEntries, by_distance.size());
    std::partial_sort(by_distance.begin(),
                      by_distance.begin() + static_cast<std::ptrdiff_t>(wanted), by_distance.end());
    for (std::size_t i = 0; i < wanted; ++i) near.push_back(by_distance[i].second);
    return near;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  Seating seating_;
  std::vector<std::uint32_t> home_;    // by rank
  std::vector<std::size_t> position_;  // by rank: where in movers_
  std::vector<Rank> movers_;
  std::vector<Seat> open_;
  std::vector<Seat> first_open_;  // by entry: its first in open_; entries() + 1
  std::vector<std::uint32_t> open_entries_;
  std::vector<std::vector<std::uint32_t>> near_;  // by entry
  std::uint64_t extra_work_ = 0;
};

// Bytes times hops, or times the weight of equation 1; followed as LinkState follows the objective.
class DistanceState {
 public:
  DistanceState(const MappingTask& task, const SeatPlan& plan, Seating& seating)
      : task_(task), plan_(plan), seating_(seating), weights_(task.topology, task.outages) {
    if (plan.entries() <= kMostEntriesInTable) fill_table();
    for (Rank rank = 0; rank < task.graph.ranks(); ++rank) {
      for (const CommEdge& edge : task.graph.partners(rank)) {
        if (edge.partner < rank) continue;
        cost_ += static_cast<double>(edge.bytes) *
                 distance(seating.entry(rank), seating.entry(edge.partner));
      }
    }
  }

  double cost() const { return cost_; }

  double propose(Rank rank, Seat target) {
    rank_ = rank;
    came_from_ = seating_.seat(rank);
    const Rank other = seating_.occupant(target);
    const std::uint32_t from = seating_.entry(rank);
    const std::uint32_t to = plan_.entry_of(target);
    change_ = difference(rank, other, from, to);
    if (other != kNoRank) change_ += difference(other, rank, to, from);
    seating_.swap_to(rank, target);
    return cost_ + change_;
  }
  void keep() { cost_ += change_; }
  void undo() { seating_.swap_to(rank_, came_from_); }

 private:
  void fill_table() {
    const auto entries = static_cast<std::uint32_t>(plan_.entries());
    std::vector<float> table;
    table.reserve(std::size_t{entries} * entries);
    for (std::uint32_t a = 0; a < entries; ++a) {
      for (std::uint32_t b = 0; b < entries; ++b)
        table.push_back(static_cast<float>(distance(a, b)));
    }
    table_ = std::move(table);
  }

  double distance(std::uint32_t a, std::uint32_t b) const {
    if (!table_.empty()) return table_[a * plan_.entries() + b];
    if (a == b) return 0;
    if (task_.objective->counts_fault_weights) return weights_.weight(plan_.node(a), plan_.node(b));
    return task_.topology.hops(plan_.node(a), plan_.node(b));
  }

  double difference(Rank rank, Rank except, std::uint32_t from, std::uint32_t to) const {
    double sum = 0;
    for (const CommEdge& edge : task_.graph.partners(rank)) {
      if (edge.partner == except) continue;
      const std::uint32_t there = seating_.entry(edge.partner);
      sum += static_cast<double>(edge.bytes) * (distance(to, there) - distance(from, there));
    }
    return sum;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  Seating& seating_;
  FaultWeights weights_;
  std::vector<float> table_;  // by pair of entries; empty when there are too many
  double cost_ = 0;
  double change_ = 0;
  Rank rank_ = kNoRank;
  Seat came_from_ = 0;
};

// The search on one measure of cost: DistanceState or LinkState.
template <typename State>
class MoveSearch {
 public:
  MoveSearch(const MappingTask& task, const SeatPlan& plan, const MoveWork& effort, Moves& moves)
      : task_(task), plan_(plan), effort_(effort), moves_(moves) {}

  void run() {
    RandomSource random(task_.seed);
    for (const double heat : kHeats) {
      descend();
      anneal(heat, random);
    }
    descend();
  }

 private:
  bool is_over() {
    if (work_ >= effort_.most_work) return true;
    if (++asked_ % kQuestionsPerLook == 0 && task_.deadline.passed()) late_ = true;
    return late_;
  }

  double propose(State& state, Exchange exchange) {
    work_ += moves_.work_of(exchange);
    other_ = moves_.seating().occupant(exchange.target);
    return state.propose(exchange.rank, exchange.target);
  }

  void keep(State& state, Exchange exchange) {
    state.keep();
    moves_.note_both(exchange.rank, other_);
  }

  // Exchanges that are better, until there is none.
  void descend() {
    State state(task_, plan_, moves_.seating());
    double current = state.cost();
    const auto improves = [&](Rank rank, Seat target) {
      const double cost = propose(state, {rank, target});
      if (cost >= current * kNoticeable) {
        state.undo();
        return false;
      }
      keep(state, {rank, target});
      current = cost;
      return true;
    };
    for (bool better = true; better && !is_over();) {
      better = false;
      const std::vector<Rank> movers = moves_.movers();
      for (const Rank rank : movers) {
        // Also where nothing is tried for a rank, to find that out takes a look at all open seats.
        if (is_over()) break;
        better = improve(rank, improves) || better;
      }
    }
  }

  // Tries all seats for a rank that moves, until it does not any more. Free seats of one node are
  // all the same.
  template <typename Improves>
  bool improve(Rank rank, const Improves& improves) {
    bool better = false;
    const Seating& seating = moves_.seating();
    std::uint32_t free_at = kNoEntry;
    for (const Seat seat : moves_.open_seats()) {
      const std::uint32_t entry = plan_.entry_of(seat);
      const bool is_free = seating.occupant(seat) == kNoRank;
      if (entry == seating.entry(rank) || (is_free && entry == free_at)) continue;
      if (is_free) free_at = entry;
      if (is_over()) return better;
      better = improves(rank, seat) || better;
    }
    const auto [first, end] = moves_.seats_at_home(rank);
    for (Seat seat = first; seat < end && !is_over(); ++seat) {
      if (improves(rank, seat)) return true;
    }
    return better;
  }

  // The best that was met on the way is what remains.
  void anneal(double heat, RandomSource& random) {
    State state(task_, plan_, moves_.seating());
    const double step = typical_step(state, random);
    if (step == 0) return;
    const std::uint64_t tries =
        std::min(std::max(effort_.least_tries, effort_.tries_per_move * moves_.movers().size()),
                 kTriesPerExchange * moves_.count_exchanges());
    double current = state.cost();
    double best = current;
    std::vector<Exchange> since_best;  // how to go back
    for (std::uint64_t i = 0; i < tries && !is_over(); ++i) {
      const auto exchange = moves_.draw(random);
      if (!exchange) continue;
      const double done = static_cast<double>(i) / static_cast<double>(tries);
      const double temperature =
          step * heat * kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, done);
      const Seat came_from = moves_.seating().seat(exchange->rank);
      const double cost = propose(state, *exchange);
      if (cost > current && random.unit() >= std::exp((current - cost) / temperature)) {
        state.undo();
        continue;
      }
      keep(state, *exchange);
      current = cost;
      since_best.push_back({exchange->rank, came_from});
      if (current < best * kNoticeable) {
        best = current;
        since_best.clear();
      }
    }
    for (auto back = since_best.rbegin(); back != since_best.rend(); ++back) {
      const Rank other = moves_.seating().occupant(back->target);
      moves_.seating().swap_to(back->rank, back->target);
      moves_.note_both(back->rank, other);
    }
  }

  // By how much exchanges that are worse are worse, on average.
  double typical_step(State& state, RandomSource& random) {
    constexpr unsigned samples = 200;
    double sum = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < samples && !is_over(); ++i) {
      const auto exchange = moves_.draw(random);
      if (!exchange) continue;
      const double step = propose(state, *exchange) - state.cost();
      state.undo();
      if (step <= 0) continue;
      sum += step;
      ++count;
    }
    return count == 0 ? 0 : sum / count;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  const MoveWork effort_;
  Moves& moves_;
  Rank other_ = kNoRank;  // of the exchange under discussion
  std::uint64_t work_ = 0;
  std::uint64_t asked_ = 0;
  bool late_ = false;
};

double objective_of(const MappingTask& task, const SeatPlan& plan, const Mapping& mapping) {
  Seating seating(plan, mapping);
  return LinkState(task, plan, seating).cost();
}

}  // namespace

Mapping search_moves(const MappingTask& task, const Mapping& old, const Mapping& start) {
  const SeatPlan plan(task.allocation, task.graph.ranks());
  Mapping best = start;
  Moves moves(task, plan, old, start);
  if (moves.movers().empty()) return best;
  MoveSearch<DistanceState>(task, plan, kOnDistances, moves).run();
  const Mapping near = moves.seating().mapping();
  if (objective_of(task, plan, near) <= objective_of(task, plan, best)) best = near;
  Moves last_moves(task, plan, old, best);
  MoveSearch<LinkState>(task, plan, kOnObjective, last_moves).run();
  return last_moves.seating().mapping();
}

}  // namespace tofa
