// SPDX-License-Identifier: BSD-3-Clause
// A choice of nodes that is remembered: all that decides is in its key, and what is found counts
// only where it fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support.hpp"
#include "tofa/placement_cache.hpp"
#include "tofa/select_nodes.hpp"

namespace tofa {
namespace {

// What a selection refers to, to be changed in one place at a time.
struct Question {
  Traffic traffic{
      .ranks = 4, .entries = {{0, 1, 100}, {1, 2, 10}, {2, 3, 100}}, .metadata = "", .note = ""};
  std::unique_ptr<Topology> topology =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-7]\"\n", "r.toml");
  std::string network = "ring";
  OutageList outages{{"n6", 0.5, -1}};
  Allocation candidates{{0, 1}, {2, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}};
  unsigned node_count = 0;
  PlaceOptions options{.time_limit_seconds = 20};
  std::string program = "tofa 1";

  Placement select(const PlacementCache& cache) const {
    const CommGraph graph(traffic);
    const OutageMap map(outages, *topology);
    return select_nodes({graph, *topology, network, map, candidates, node_count, options}, cache);
  }
  std::string key() const {
    const CommGraph graph(traffic);
    const OutageMap map(outages, *topology);
    return selection_key({graph, *topology, network, map, candidates, node_count, options},
                         program);
  }
};

TEST(SelectionKey, ChangesWithEverythingThatDecides) {
  const std::vector<std::function<void(Question&)>> changes{
      [](Question&) {},
      [](Question& q) { q.traffic.entries[0].value = 101; },
      [](Question& q) { std::swap(q.traffic.entries[0].sender, q.traffic.entries[0].receiver); },
      [](Question& q) { q.traffic.ranks = 5; },
      [](Question& q) { q.traffic.entries.pop_back(); },
      [](Question& q) { q.network = "another ring"; },
      [](Question& q) { q.outages[0].probability = 0.25; },
      [](Question& q) { q.outages[0].host = "n7"; },
      [](Question& q) { q.outages.clear(); },
      [](Question& q) { q.candidates[0].slots = 2; },
      [](Question& q) { q.candidates.pop_back(); },
      [](Question& q) { std::swap(q.candidates[0], q.candidates[1]); },
      [](Question& q) { q.node_count = 4; },
      [](Question& q) { q.options.objective = parse_objective("hop-bytes"); },
      [](Question& q) { q.options.mapper = "greedy"; },
      [](Question& q) { q.options.abort_cost = 21; },
      [](Question& q) { q.options.seed = 2; },
      [](Question& q) { q.options.effort = Effort::fast; },
      [](Question& q) { q.options.time_limit_seconds = 10; },
      [](Question& q) { q.options.limit_was_given = true; },
      [](Question& q) { q.options.work = PlannedWork{1}; },
      [](Question& q) { q.options.needs = parse_resource_needs("fpga:0"); },
      [](Question& q) { q.options.needs = parse_resource_needs("fpga:1"); },
      [](Question& q) { q.options.needs = parse_resource_needs("fpga=1"); },
      [](Question& q) { q.options.needs = parse_resource_needs("gpu:0"); },
      [](Question& q) { q.program = "tofa 2"; },
  };
  std::set<std::string> keys;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Question question;
    changes[i](question);
    EXPECT_TRUE(keys.insert(question.key()).second) << "change " << i << " changes nothing";
  }
  EXPECT_EQ(Question().key(), Question().key());
}

TEST(Selection, IsRememberedWithAllItsFigures) {
  const test::ScratchDirectory scratch;
  const PlacementCache cache(scratch / "tofa");
  for (const unsigned node_count : {0U, 4U}) {
    Question question;
    question.node_count = node_count;
    const Placement searched = question.select(cache);
    const Placement found = question.select(cache);
    EXPECT_FALSE(searched.remembered);
    EXPECT_TRUE(found.remembered);
    EXPECT_EQ(found.mapping, searched.mapping);
    EXPECT_EQ(found.origin, searched.origin);
    EXPECT_EQ(found.chosen.values, searched.chosen.values);
    EXPECT_EQ(found.linear.values, searched.linear.values);
    EXPECT_EQ(found.chosen_cost, searched.chosen_cost);
    EXPECT_EQ(found.linear_cost, searched.linear_cost);
  }
}

TEST(Selection, WhatTheClockCutShortIsNotKept) {
  const test::ScratchDirectory scratch;
  const PlacementCache cache(scratch / "tofa");
  Question question;
  question.traffic.ranks = 0;
  question.traffic = {.ranks = 8, .entries = {}, .metadata = "", .note = ""};
  for (Rank rank = 0; rank < 8; ++rank)
    question.traffic.entries.push_back({rank, (rank * 3 + 1) % 8, 1000 + rank});
  question.traffic.normalise();
  for (AllocationEntry& entry : question.candidates) entry.slots = 2;
  question.options.started = std::chrono::steady_clock::now() - std::chrono::hours(1);
  const Placement late = question.select(cache);
  EXPECT_TRUE(late.out_of_time);
  EXPECT_FALSE(question.select(cache).remembered);
  question.options.started.reset();
  EXPECT_FALSE(question.select(cache).remembered);
  EXPECT_TRUE(question.select(cache).remembered);
}

TEST(Selection, WhatIsKeptAndDoesNotFitIsSearchedAgain) {
  const test::ScratchDirectory scratch;
  const PlacementCache cache(scratch / "tofa");
  Question question;
  const Placement searched = question.select(cache);
  question.program = program_identity();
  const Mapping good = searched.mapping;
  for (const Mapping& wrong : {Mapping{}, Mapping{0, 2, 4}, Mapping{0, 2, 4, 4},
                               Mapping{0, 2, 4, 3}, Mapping{0, 2, 4, 800}}) {
    cache.keep(question.key(), {wrong, good, "forged"});
    EXPECT_EQ(question.select(cache).origin, searched.origin);
    cache.keep(question.key(), {good, wrong, "forged"});
    EXPECT_EQ(question.select(cache).origin, searched.origin);
  }
  cache.keep(question.key(), {good, good, "forged"});
  EXPECT_EQ(question.select(cache).origin, "forged");
}

}  // namespace
}  // namespace tofa
