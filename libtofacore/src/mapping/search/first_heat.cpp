// SPDX-License-Identifier: BSD-3-Clause
// The heat of one long anneal: see first_heat.hpp.
#include "mapping/search/first_heat.hpp"

#include <algorithm>

#include "mapping/search/work_plan.hpp"

namespace tofa {
namespace {

// Where a start costs less than all that the measurement of freezing came to, heat loses what it
// knows. But what was measured in a hurry hardly froze: of a short search, the same shares stand
// for temperatures that are cold enough.
double share_to_begin_at(const MappingTask& task, const Freezing& freezing, double all_moves,
                         double usual) {
  constexpr double short_one = 600;  // moves per rank
  constexpr double long_one = 1800;
  constexpr double cooler = 0.8;
  const double start = 0;  // the cost that others were measured from
  if (freezing.share_saved(start) < 1) return usual;
  const double moves = moves_of_a_rank(task, all_moves);
  const double length = std::clamp((moves - short_one) / (long_one - short_one), 0.0, 1.0);
  return usual + length * (cooler - usual);
}

Heat cooled(const Heat& heat, double times) {
  return {times * heat.start, times * heat.end, heat.moves};
}

// The first heat, of some that are cooler and cooler, at which a part of the moves leads from the
// arrangement to one that costs little more; `limit` is one of them, and others are below. Where
// none is found soon, it is the limit, or the next below it. `paid` is what ranks pay before.
Heat heat_that_is_borne(const SearchSpace& space, const Seating& seating, std::uint64_t moves,
                        Heat heat, double limit, double paid, RandomSource random) {
  constexpr double share = 0.02;  // of the moves, for each that is tried
  constexpr int most_tries = 6;
  constexpr double most_time = 0.2;  // of what is left, on a core that is slow
  constexpr double lowest = 0.2;     // of the limit
  constexpr double borne = 1.25;     // times what is paid before
  constexpr double far_more = 2 * borne;
  constexpr double cooler = 0.65;
  constexpr double much_cooler = 0.4;
  constexpr double nearly_level = 0.9;  // that ranks may stand for a while
  const Deadline due = space.task().deadline.share(most_time);
  for (int i = 0; i < most_tries && heat.start > lowest * limit && !due.passed(); ++i) {
    AnnealingSchedule part{static_cast<std::uint64_t>(share * static_cast<double>(moves)),
                           heat.start, nearly_level * heat.start};
    part.goes_on = true;   // nothing settles, which takes as long as such a part
    part.is_probe = true;  // what it ends with counts, and not the cheapest on the way
    Seating there = seating;
    anneal_in_zones(space, part, RandomSource(random.next()), there);
    heat.moves += part.moves;
    const double rise = payments(space, there).of_rank / paid;
    if (rise < borne) return heat;
    const double next = (rise > far_more ? much_cooler : cooler) * heat.start;
    heat = cooled(heat, (heat.start > limit ? std::max(next, limit) : next) / heat.start);
  }
  return cooled(heat, std::min(1.0, limit / heat.start));
}

}  // namespace

Payments payments(const SearchSpace& space, const Seating& seating) {
  return space.cost().with_costs([&](const auto& costs) {
    double all = 0;
    std::size_t paying = 0;
    for (const Rank rank : space.active_ranks()) {
      double cost = 0;
      const auto row = costs.row(costs.key(seating.entry(rank)));
      for (const auto& [partner, weight] : space.partners(rank))
        cost += static_cast<double>(weight) * costs.at(row, costs.key(seating.entry(partner)));
      all += cost;
      paying += cost > 0 ? 1 : 0;
    }
    const auto ranks = static_cast<double>(std::max<std::size_t>(space.active_ranks().size(), 1));
    return Payments{all / ranks, static_cast<double>(paying) / ranks};
  });
}

// What is measured in few moves for each rank hardly melts, and says too little heat; what stirs
// the arrangement that it began with is told by a few draws. With heavy tails that is too much:
// light pairs stir where heavy ones are together. So a share of what ranks pay limits the heat.
// Where many share a node that is what those at the borders pay; and the fewer these are, the more
// of their partners are at home and hold them there, so that nothing melts before it is hotter. Of
// how much is borne that share says little where pairs are of two kinds: a long search that would
// be far hotter tries it; unless few pay, whom any heat may help at first, or ranks are to leave
// nodes whatever it costs.
Heat heat_to_go_on(const SearchSpace& space, const Seating& seating, const Freezing& freezing,
                   std::uint64_t moves, const Heat& usual, RandomSource random) {
  constexpr double longest = 0.15;     // from the first to the last temperature
  constexpr double most = 0.6;         // of what a rank pays, if all of them do
  constexpr double fewest = 0.5;       // that count as paying: what is whole, as cliques, stays so
  constexpr double far_above = 1.4;    // times that share
  constexpr double long_search = 800;  // moves of a rank, ...
  constexpr std::uint64_t fewest_moves = 1'000'000;  // ... and in all: trials have phases, too
  const double share =
      share_to_begin_at(space.task(), freezing, static_cast<double>(moves), usual.start);
  const double hurry = freezing.hurry();
  Heat heat{};
  heat.start = std::max(freezing.temperature(share), hurry * freezing.stirring());
  heat.end = std::max(freezing.temperature(usual.end), hurry * longest * heat.start);
  const auto [paid, paying] = payments(space, seating);
  const double some = std::max(paying, fewest);
  const double limit = most * paid / (some * some);
  if (paid == 0 || heat.start <= limit) return heat;
  const bool tries = heat.start > far_above * limit && paying >= fewest && !space.cost().risky() &&
                     moves >= fewest_moves &&
                     moves_of_a_rank(space.task(), static_cast<double>(moves)) >= long_search;
  return tries ? heat_that_is_borne(space, seating, moves, heat, limit, paid, random)
               : cooled(heat, limit / heat.start);
}

}  // namespace tofa
