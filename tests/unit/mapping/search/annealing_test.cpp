// SPDX-License-Identifier: BSD-3-Clause
// The annealer must respect seats, never end above where it started, and do the same for the same
// random numbers, whatever the kind of cost.
#include "mapping/search/annealing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/search/border_moves.hpp"
#include "mapping/search/risk_tally.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"
#include "support/ring_job.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(AnnealingProperty, NeverEndsAboveItsStart, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  const auto objective =
      *rc::gen::element(parse_objective("hop-bytes"), parse_objective("fault-weighted"));
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, outages, allocation, trace, objective);
  const SearchSpace space(task);
  const bool zones = *rc::gen::arbitrary<bool>();
  const auto run = [&] {
    Seating seating(space.plan(), map_linear(task));
    Seating melted = seating;
    const Freezing freezing = measure_freezing(space, 4'000, RandomSource(4), melted);
    const AnnealingSchedule schedule{20'000, freezing.temperature(0.5), freezing.temperature(0.98)};
    RC_ASSERT(schedule.start >= schedule.end);
    RC_ASSERT(schedule.end > 0);
    if (zones) {
      anneal_in_zones(space, schedule, RandomSource(5), seating);
    } else {
      anneal(space, schedule, RandomSource(5), seating);
    }
    return seating;
  };
  const Seating seating = run();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
  }
  RC_ASSERT(seating.mapping() == run().mapping());
  if (!zones) {
    RC_ASSERT(test::search_cost(space, seating) <=
              test::search_cost(space, Seating(space.plan(), map_linear(task))));
  }
}

// 64 ranks with a node each.
struct Job {
  std::unique_ptr<Topology> topology;
  Allocation allocation;
  CommGraph graph;
  OutageMap outages;
  PlaceOptions options;
  Trace trace{options};

  Job(const std::string& network, Traffic&& traffic, const std::vector<double>& probabilities = {})
      : topology(parse_topology("[topology]\nnodes = \"n[00-63]\"\n" + network, "job.toml")),
        graph(std::move(traffic)) {
    for (Node node = 0; node < 64; ++node) allocation.push_back({node, 1});
    OutageList list;
    for (Node node = 0; node < probabilities.size(); ++node)
      list.push_back({topology->name(node), probabilities[node], -1});
    outages = OutageMap(list, *topology);
  }
  MappingTask task(const char* objective = "hop-bytes") {
    return test::task_of(graph, *topology, outages, allocation, trace, parse_objective(objective));
  }
};

// A torus of eight by so many.
Traffic torus_of(Rank rows) {
  Traffic traffic;
  traffic.ranks = 8 * rows;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    traffic.entries.push_back({rank, rank / 8 * 8 + (rank + 1) % 8, 100});
    traffic.entries.push_back({rank, (rank + 8) % traffic.ranks, 100});
  }
  traffic.normalise();
  return traffic;
}

// Ranks that form a torus, on nodes that form the same one.
Job torus_on_torus() {
  return {"kind = \"torus\"\nshape = [8, 8]\n", torus_of(8)};
}

// Teams, on a tree with a switch for each of them.
Job teams_on_tree() {
  Traffic traffic;
  traffic.ranks = 64;
  for (Rank rank = 0; rank < 64; ++rank) {
    for (Rank step = 1; step <= 3; ++step)
      traffic.entries.push_back({rank, rank / 8 * 8 + (rank + step) % 8, 100});
  }
  traffic.normalise();
  return {"kind = \"fat-tree\"\ndown = [8, 8]\nup = [1, 8]\nparallel = [1, 1]\n",
          std::move(traffic)};
}

void anneal_alone(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
                  Seating& seating) {
  anneal(space, schedule, random, seating);
}

// What heat makes of strips in a moment is no better, and a probe says by how much.
TEST(Annealing, OfAProbeIsLeftWhereItEnds) {
  test::RingJob job(16, 64, CommGraph(test::plane(32, 32)));
  const MappingTask task = job.task();
  const SearchSpace space(task);
  const Seating strips(space.plan(), map_linear(task));
  const double least = test::search_cost(space, strips);
  Seating melted = strips;
  const Freezing freezing = measure_freezing(space, 100'000, RandomSource(4), melted);
  const double hot = freezing.temperature(0.1);
  const auto cost_after = [&](bool is_probe) {
    AnnealingSchedule schedule{20'000, hot, hot};
    schedule.is_probe = is_probe;
    Seating seating = strips;
    EXPECT_EQ(anneal(space, schedule, RandomSource(5), seating), is_probe);
    return test::search_cost(space, seating);
  };
  EXPECT_EQ(cost_after(false), least);
  EXPECT_GT(cost_after(true), least);
}

// In a hurry nothing melts, and the curve says nothing; what stirs an arrangement is told by draws.
TEST(Annealing, TellsInAHurryWhatStirs) {
  Job job = torus_on_torus();
  const MappingTask task = job.task();
  const SearchSpace space(task);
  const auto measure = [&](std::uint64_t moves) {
    Seating seating(space.plan(), map_linear(task));
    return measure_freezing(space, moves, RandomSource(4), seating);
  };
  const Freezing hurried = measure(100);
  const Freezing thorough = measure(1'000'000);
  EXPECT_EQ(hurried.stirring(), thorough.stirring());
  EXPECT_GT(hurried.stirring(), 0.5 * thorough.temperature(0.65));
  EXPECT_LT(hurried.stirring(), 2 * thorough.temperature(0.2));
  EXPECT_EQ(thorough.hurry(), 0);
  EXPECT_GT(hurried.hurry(), 0.9);
  EXPECT_LT(hurried.hurry(), 1);
  const Freezing guessed = measure(0);
  EXPECT_EQ(guessed.hurry(), 1);
  // By other draws.
  EXPECT_NEAR(guessed.temperature(0), hurried.stirring(), 0.1 * hurried.stirring());
  EXPECT_LT(guessed.temperature(1), 0.2 * hurried.stirring());
}

// Half as many ranks as nodes, in a torus of their own, and one that is silent, on a torus where
// some nodes may fail.
Job with_failing(const std::vector<double>& probabilities) {
  Traffic traffic = torus_of(4);
  ++traffic.ranks;
  return {"kind = \"torus\"\nshape = [8, 8]\n", std::move(traffic), probabilities};
}

unsigned count_exposed(const SearchSpace& space, const Seating& seating) {
  RiskTally risks(space, seating);
  unsigned count = 0;
  for (Rank rank = 0; rank < space.task().graph.ranks(); ++rank)
    count += risks.used(rank) > 0 ? 1 : 0;
  return count;
}

Seating leave_suspects(const SearchSpace& space, const MappingTask& task) {
  Seating seating(space.plan(), map_linear(task));
  anneal_exposed(space, {100'000, 200, 20, 64}, RandomSource(4), seating);
  return seating;
}

TEST(Annealing, RanksLeaveNodesWorthAvoiding) {
  std::vector<double> probabilities(64);
  probabilities[10] = 1;
  probabilities[21] = 0.1;
  probabilities[32] = 0.3;  // the silent one's
  Job job = with_failing(probabilities);
  const MappingTask task = job.task("completion-time");
  const SearchSpace space(task);
  ASSERT_GT(count_exposed(space, Seating(space.plan(), map_linear(task))), 4U);
  EXPECT_EQ(count_exposed(space, leave_suspects(space, task)), 0U);
}

TEST(Annealing, NobodyMovesWhereNoNodeIsWorthAvoidingOrAllAre) {
  std::vector<double> unused(64);
  unused[50] = 1;
  std::vector<double> all(64, 0.1);
  for (Node node = 32; node < 64; ++node) all[node] = 0.02;
  all[63] = 0;
  for (const std::vector<double>& probabilities : {unused, all}) {
    Job job = with_failing(probabilities);
    const MappingTask task = job.task("completion-time");
    const SearchSpace space(task);
    ASSERT_TRUE(space.cost().risky());
    EXPECT_EQ(leave_suspects(space, task).mapping(), map_linear(task));
  }
}

// Two lanes that start where nothing could be better, and are kept hot, do not return there after
// each phase: where one ends, the next one goes on.
TEST(Annealing, PhasesInZonesKeepTheirHeat) {
  Job job = torus_on_torus();
  const MappingTask task = job.task();
  const SearchSpace space(task);
  Seating seating(space.plan(), map_linear(task));
  const std::int64_t least = test::search_cost(space, seating);
  Seating melted = seating;
  const double hot = measure_freezing(space, 4'000, RandomSource(4), melted).temperature(0.1);
  anneal_in_zones(space, {1'000'000, hot, hot}, RandomSource(5), seating);
  EXPECT_GT(test::search_cost(space, seating), 1.5 * static_cast<double>(least));
}

// Ranks that stood for a while sit at the end, on nodes with other numbers of seats, too, whether
// one lane anneals or two do; and what was there is given up for what is better only. Of a plane
// of which a node takes 64 the best parts are squares of 8 x 8.
TEST(Annealing, NobodyStandsAtTheEnd) {
  Job job("kind = \"torus\"\nshape = [8, 8]\n", test::plane(32, 32));
  job.allocation.clear();
  for (Node node = 0; node < 16; ++node)
    job.allocation.push_back({node, node % 2 == 0 ? 80U : 48U});
  const MappingTask task = job.task();
  const SearchSpace space(task);
  const Seating rows(space.plan(), map_linear(task));
  ASSERT_TRUE(BorderMoves::serves(space, {}, rows));
  Seating melted = rows;
  const Freezing freezing = measure_freezing(space, 100'000, RandomSource(4), melted);
  for (const double start : {freezing.temperature(0.5), 100 * freezing.temperature(0)}) {
    for (auto* const search : {anneal_alone, anneal_in_zones}) {
      Seating seating = rows;
      search(space, {400'000, start, 0.01 * start}, RandomSource(5), seating);
      std::vector<unsigned> there(space.plan().entries());
      for (Rank rank = 0; rank < 1024; ++rank) {
        EXPECT_EQ(seating.occupant(seating.seat(rank)), rank);
        ++there[seating.entry(rank)];
      }
      for (std::uint32_t entry = 0; entry < there.size(); ++entry)
        EXPECT_EQ(there[entry], space.plan().seats_of(entry));
      EXPECT_LE(test::search_cost(space, seating), test::search_cost(space, rows));
    }
  }
}

// Work that would take days is cooled down in the time that there is, by one lane and by two, where
// all seats are looked at and where moves are tried one by one.
TEST(Annealing, CoolsInTheTimeThereIs) {
  constexpr std::uint64_t far_too_many = 1'000'000'000'000'000;
  for (Job (*const make)() : {torus_on_torus, teams_on_tree}) {
    Job job = make();
    const MappingTask task = job.task();
    const SearchSpace space(task);
    const Seating scattered(space.plan(), map_random(task));
    Seating melted = scattered;
    const Freezing freezing =
        measure_freezing(space, far_too_many, RandomSource(4), melted, Deadline(0.5));
    const auto schedule = [&] {
      return AnnealingSchedule{.moves = far_too_many,
                               .start = freezing.temperature(0.2),
                               .end = freezing.temperature(0.99),
                               .due = Deadline(0.5)};
    };
    Seating alone = scattered;
    anneal(space, schedule(), RandomSource(5), alone);
    Seating together = scattered;
    anneal_in_zones(space, schedule(), RandomSource(5), together);
    const auto share_of_scattered = [&](const Seating& seating) {
      return static_cast<double>(test::search_cost(space, seating)) /
             static_cast<double>(test::search_cost(space, scattered));
    };
    // A lane alone finds that the torus fits, which it does not while it is hot: 0.25 and not 0.45.
    EXPECT_LT(share_of_scattered(alone), make == torus_on_torus ? 0.35 : 0.7);
    EXPECT_LT(share_of_scattered(together), 0.7);
    EXPECT_TRUE(job.trace.hurried());
  }
}

// How few moves are measured at each temperature makes no difference to that.
TEST(Annealing, MeasuresInTheTimeThereIs) {
  for (Job (*const make)() : {torus_on_torus, teams_on_tree}) {
    Job job = make();
    const MappingTask task = job.task();
    const SearchSpace space(task);
    Seating melted(space.plan(), map_random(task));
    measure_freezing(space, 20'000, RandomSource(4), melted, Deadline(-1));
    EXPECT_TRUE(job.trace.hurried());
  }
}

// Pairs of teams have each other's halves: of those who sit where a rank wants to go, the one that
// had better leave is found in so few moves that trying whoever is drawn does not get there.
TEST(Annealing, ExchangesWithWhoHadBetterLeave) {
  constexpr unsigned nodes = 16;
  constexpr unsigned members = 32;
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "ring.toml");
  Allocation allocation;
  Mapping torn;
  Traffic traffic;
  traffic.ranks = nodes * members;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const Rank team = rank / members;
    for (Rank step = 1; step <= 4; ++step)
      traffic.entries.push_back({rank, team * members + (rank + step) % members, 10});
    torn.push_back(rank % 4 == 0 ? team ^ 1U : team);
  }
  traffic.normalise();
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, members});
  const CommGraph graph(traffic);
  const OutageMap safe;
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *ring, safe, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  Seating seating(space.plan(), torn);
  const std::int64_t before = test::search_cost(space, seating);
  anneal(space, {16'384, 5, 1}, RandomSource(1), seating);
  EXPECT_LE(test::search_cost(space, seating), before / 4);
}

}  // namespace
}  // namespace tofa
