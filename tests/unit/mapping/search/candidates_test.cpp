// SPDX-License-Identifier: BSD-3-Clause
// Candidates of `auto`: what is dear is tried where it is needed, or where there is time for it.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "mapping/rates.hpp"
#include "mapping/search/candidates.hpp"
#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"
#include "tofa/place.hpp"
#include "tofa/topology.hpp"

namespace tofa::candidates_test {
namespace {

constexpr Rank kRanks = 2048;

// Nodes that have room for all ranks, with so many slots each.
struct Machine {
  std::unique_ptr<Topology> network;
  Allocation allocation;

  Machine(const std::string& kind, unsigned slots, Rank ranks = kRanks)
      : network(parse_topology(
            fmt::format("[topology]\n{}nodes = \"n[0-{}]\"\n", kind, ranks / slots - 1),
            "machine.toml")) {
    for (Node node = 0; node < network->nodes(); ++node) allocation.push_back({node, slots});
  }
};

Machine torus(unsigned slots) {
  return {fmt::format("kind = \"torus\"\nshape = [8, 8, {}]\n", kRanks / slots / 64), slots};
}

Machine tree(unsigned slots) {
  return {fmt::format("kind = \"fat-tree\"\ndown = [16, {}]\nup = [1, 4]\n", kRanks / slots / 16),
          slots};
}

// The mappers that are tried in so many seconds of work, by name.
std::set<std::string_view> tried(const CommGraph& graph, double seconds, const Machine& machine) {
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  MappingTask task = test::task_of(graph, *machine.network, none, machine.allocation, trace,
                                   parse_objective("hop-bytes"));
  task.seconds = seconds;
  trace.begin(evaluate(graph, *machine.network, none, map_linear(task)), true);
  std::set<std::string_view> names;
  for (const Candidate& candidate : run_candidates(task)) names.insert(candidate.origin);
  return names;
}

std::set<std::string_view> tried(const CommGraph& graph, double seconds, unsigned slots) {
  return tried(graph, seconds, torus(slots));
}

template <typename On>
bool tries(std::string_view mapper, const CommGraph& graph, double seconds, const On& on) {
  return tried(graph, seconds, on).count(mapper) > 0;
}

constexpr double kBrief = 0.02;
constexpr double kAmple = 0.4;

TEST(Candidates, OfAShortSearchAreNoCutsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const auto brief = tried(space, kBrief, 1);
  EXPECT_TRUE(brief.count("geometric"));
  EXPECT_FALSE(brief.count("bisect"));
  // Halves, which are planned with some 20 ms here, see what weighs much.
  EXPECT_TRUE(tries("bisect", space, 1.7 * kBrief, 1));
  EXPECT_TRUE(tries("bisect", space, kAmple, 1));
}

TEST(Candidates, OfAShortSearchAreNoGroupsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const auto brief = tried(space, kBrief, 4);
  EXPECT_TRUE(brief.count("geometric"));
  EXPECT_FALSE(brief.count("group"));
  // Long enough for groups where nothing is drawn.
  EXPECT_FALSE(tries("group", space, 1.5 * kBrief, 4));
  EXPECT_TRUE(tries("group", CommGraph(test::random_traffic(kRanks, 3)), 1.5 * kBrief, 4));
}

// Over the borders of few nodes moves of ranks lead further from a drawing, however long a search.
TEST(Candidates, AreNotFewGroupsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  for (const double seconds : {2 * kBrief, kAmple}) {
    const auto drawn = tried(space, seconds, 16);
    EXPECT_TRUE(drawn.count("geometric"));
    EXPECT_FALSE(drawn.count("group"));
  }
  EXPECT_TRUE(tries("group", CommGraph(test::random_traffic(kRanks, 3)), kAmple, 16));
}

// On trees tiles take little of the time, and cuts all of it, which is too much beside a search for
// as many ranks as that.
TEST(Candidates, OnTreesAreNoCutsOfVeryManyRanksThatFormTiles) {
  const auto few = tried(CommGraph(test::plane(64, 32)), kAmple, tree(8));
  EXPECT_TRUE(few.count("group"));
  EXPECT_TRUE(few.count("multisect"));
  const Machine large("kind = \"fat-tree\"\ndown = [16, 16, 16]\nup = [1, 16, 16]\n", 16, 65'536);
  const auto many = tried(CommGraph(test::plane(256, 256)), kAmple, large);
  EXPECT_TRUE(many.count("group"));
  EXPECT_FALSE(many.count("multisect"));
}

// Programs side by side that have nothing to do with each other: moves from where each was placed
// lead further than groups, in the time that these would take.
TEST(Candidates, OfAShortSearchAreNoGroupsWhereComponentsDo) {
  constexpr Rank programs = 8;
  Traffic all = test::nobody(kRanks);
  for (Rank program = 0; program < programs; ++program) {
    for (TrafficEntry entry : test::shuffled_grid({16, 16}, {false, false}, 10, program).entries) {
      entry.sender = programs * entry.sender + program;
      entry.receiver = programs * entry.receiver + program;
      all.entries.push_back(entry);
    }
  }
  all.normalise();
  const auto brief = tried(CommGraph(all), 1.5 * kBrief, 4);
  EXPECT_TRUE(brief.count("components"));
  EXPECT_FALSE(brief.count("group"));
}

// 512 groups are no easier to place than ranks.
TEST(Candidates, AreNotManyGroupsWhereADrawingDoes) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const auto drawn = tried(space, kAmple, 4);
  EXPECT_TRUE(drawn.count("geometric"));
  EXPECT_FALSE(drawn.count("group"));
  EXPECT_TRUE(tries("group", CommGraph(test::random_traffic(kRanks, 3)), kAmple, 4));
}

// The time that groups are spared is the search's, but for what it takes to cut them where that is
// what was too long.
TEST(Candidates, LeaveTheSearchWhatManyGroupsWouldHaveTaken) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  const auto spent = [&](unsigned slots, double seconds, double cost_of_drawing) {
    const Machine machine = torus(slots);
    MappingTask task = test::task_of(space, *machine.network, none, machine.allocation, trace,
                                     parse_objective("hop-bytes"));
    task.seconds = seconds;
    return seconds_spent(
        task, {{.mapping = {}, .origin = "geometric", .metrics = {}, .cost = cost_of_drawing},
               {.mapping = {}, .origin = "linear", .metrics = {}, .cost = 100}});
  };
  EXPECT_EQ(spent(4, kAmple, 10), -kAmple);
  EXPECT_EQ(spent(4, kAmple, 90), 0);
  EXPECT_EQ(spent(4, kBrief, 10), 0);
  EXPECT_EQ(spent(16, kAmple, 10), 0);
}

// Which seats to leave free is for the search where ranks are few; a thousand are cut as if none
// were.
TEST(Candidates, OfCutsHaveMostOfTheTimeUnlessFewRanksLeaveSeatsFree) {
  const Machine machine = tree(4);
  const PlaceOptions options;
  const OutageMap none;
  const auto given = [&](Rank ranks) {
    const CommGraph graph(test::random_traffic(ranks, 4));
    Trace trace(options);
    MappingTask task = test::task_of(graph, *machine.network, none, machine.allocation, trace,
                                     parse_objective("hop-bytes"));
    task.seconds = kAmple;
    trace.begin(evaluate(graph, *machine.network, none, map_linear(task)), true);
    double seconds = 0;
    for (const Candidate& candidate : run_candidates(task)) seconds += candidate.given;
    return seconds;
  };
  EXPECT_EQ(given(kRanks), rates::kMapperShare * kAmple);
  EXPECT_EQ(given(1500), rates::kMapperShare * kAmple);
  EXPECT_EQ(given(500), rates::kMapperShareBesideSearch * kAmple);
}

// The best of two mappers, and variants that cost not much more than the best; of equals one.
TEST(Candidates, AreStartsWhereTheyMayLeadFurther) {
  const auto candidate = [](std::string_view origin, double cost, bool variant = false) {
    return Candidate{
        .mapping = {}, .origin = origin, .metrics = {}, .cost = cost, .variant = variant};
  };
  const auto starts = [](std::vector<Candidate> candidates) {
    std::string text;
    for (const Candidate& c : likely_starts(std::move(candidates)))
      text += fmt::format("{} {}{}, ", c.origin, c.cost, c.variant ? "v" : "");
    return text;
  };
  EXPECT_EQ(starts({candidate("a", 100)}), "a 100, ");
  EXPECT_EQ(starts({candidate("a", 100), candidate("b", 100), candidate("c", 131)}), "a 100, ");
  EXPECT_EQ(starts({candidate("a", 100), candidate("a", 101, true), candidate("b", 110),
                    candidate("c", 111), candidate("a", 129, true), candidate("a", 131, true)}),
            "a 100, b 110, a 101v, a 129v, ");
  EXPECT_EQ(starts({candidate("b", 100), candidate("a", 104, true), candidate("a", 104, true),
                    candidate("c", 140)}),
            "b 100, a 104v, ");
}

TEST(Candidates, AreCutsWhereTheTrafficHasNoShape) {
  const CommGraph anywhere(test::random_traffic(kRanks, 3));
  EXPECT_TRUE(tries("bisect", anywhere, kBrief, 1));
  EXPECT_TRUE(tries("group", anywhere, kAmple, 4));
}

// Boxes of a grid can be laid in, pairs included; elsewhere pairs and threes are worth a group.
TEST(Candidates, AreGroupsOfTwoWhereThereIsNoGrid) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const auto dragonfly = [](unsigned slots, Rank ranks = kRanks) {
    return Machine(
        fmt::format("kind = \"dragonfly\"\ngroups = 8\nrouters = 8\nnodes_per_router = {}\n",
                    ranks / slots / 64),
        slots, ranks);
  };
  EXPECT_TRUE(tries("group", space, kAmple, dragonfly(2)));
  EXPECT_TRUE(tries("group", test::neighbours_in_space(1920, 12), kAmple, dragonfly(3, 1920)));
  EXPECT_FALSE(tries("group", space, kAmple, dragonfly(1)));
  EXPECT_FALSE(tries("group", space, kAmple, 2)) << "on a torus";
}

// Nodes are the last level of a tree, and parts of it are found by cutting anyway.
TEST(Candidates, AreGroupsOnTreesWhereTilesAre) {
  const CommGraph space = test::neighbours_in_space(kRanks, 12);
  const CommGraph grid(test::shuffled_grid({16, 16, 8}, {false, false, false}, 10, 3));
  const auto cut = tried(space, kAmple, tree(8));
  EXPECT_TRUE(cut.count("multisect"));
  EXPECT_FALSE(cut.count("group"));
  EXPECT_FALSE(cut.count("bisect"));
  EXPECT_TRUE(tries("group", grid, kAmple, tree(8)));
}

// Folds, bits and drawings of traffic that few pairs carry lead nowhere.
TEST(Candidates, AreGroupsAloneWhereFewPairsCarryMost) {
  Traffic pairs{.ranks = kRanks, .entries = {}, .metadata = {}};
  for (Rank rank = 0; rank < kRanks; rank += 2)
    pairs.entries.push_back({rank, rank + 1, 1'000'000});
  const CommGraph tailed = test::together(test::neighbours_in_space(kRanks, 12), pairs);
  const auto of_four = tried(tailed, kAmple, 4);
  const auto of_one = tried(tailed, kAmple, 1);
  for (const char* mapper : {"fold", "bit-linear", "geometric", "bisect"}) {
    EXPECT_FALSE(of_four.count(mapper)) << mapper;
    EXPECT_TRUE(of_one.count(mapper)) << mapper;
  }
  EXPECT_TRUE(of_four.count("group"));
}

// A search makes more of the time that cutting would take.
TEST(Candidates, AreNoGroupsThatTakeMostOfTheTime) {
  const CommGraph anywhere(test::random_traffic(kRanks, 3));
  const auto brief = tried(anywhere, kBrief, 4);
  EXPECT_FALSE(brief.count("group"));
  EXPECT_TRUE(brief.count("bisect"));
  EXPECT_TRUE(tries("group", anywhere, 2 * kBrief, 4)) << "a limit of 0.1 s";
  EXPECT_FALSE(tries("group", anywhere, 2 * kBrief, 16)) << "few nodes";
  EXPECT_TRUE(tries("group", anywhere, kAmple, 16));
}

}  // namespace
}  // namespace tofa::candidates_test
