// SPDX-License-Identifier: BSD-3-Clause
// Ranks that need resources: every mapper gives them nodes that have them, and no node gets more
// of them than it has units.
#include "mapping/seats/needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "mapping/seats/need_seats.hpp"
#include "mapping/seats/seating.hpp"
#include "support.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseResourceNeeds, RanksAndNumbers) {
  const std::vector<ResourceNeed> expected = {{"fpga", {0, 1, 2, 3, 8}, 0}, {"gpu", {}, 4}};
  EXPECT_EQ(parse_resource_needs("fpga:0-3,8;gpu=4"), expected);
  EXPECT_EQ(parse_resource_needs(" fpga: 8+0-3 ; gpu = 4 ;"), expected);
  // Slurm's names of resources may have a type.
  const std::vector<ResourceNeed> typed = {{"fpga:allreduce", {0, 1}, 0}, {"gpu:a100", {}, 2}};
  EXPECT_EQ(parse_resource_needs("fpga:allreduce:0-1;gpu:a100=2"), typed);
  EXPECT_TRUE(parse_resource_needs("").empty());
}

TEST(ParseResourceNeeds, MistakesAreExplained) {
  for (const char* text : {"fpga", ":1", "fpga:", "fpga:3-1", "fpga:x", "fpga=0", "fpga=-1",
                           "fpga:1,,2", "fpga:0-99999999", "=3"}) {
    EXPECT_THAT(test::error_of([text] { parse_resource_needs(text); }),
                HasSubstr("name ranks, as in fpga:0-3,8"))
        << text;
  }
}

struct AnyRequest {
  std::unique_ptr<Topology> topology = test::any_topology();
  Allocation allocation = test::any_allocation(*topology);
  CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  OutageMap outages = test::any_outages(*topology);
  PlaceOptions options;

  AnyRequest() {
    options.mapper = *rc::gen::elementOf(mapper_names());
    options.time_limit_seconds = 0.05;
    for (const std::string& resource : topology->resource_names()) {
      ResourceNeed need{resource, {}, 0};
      if (*rc::gen::inRange(0, 4) == 0) {
        need.any = *rc::gen::inRange<Rank>(0, std::min<Rank>(graph.ranks(), 4));
      } else {
        for (Rank rank = 0; rank < graph.ranks(); ++rank) {
          if (*rc::gen::inRange(0, 5) == 0) need.ranks.push_back(rank);
        }
      }
      if (need.any > 0 || !need.ranks.empty()) options.needs.push_back(need);
    }
  }

  bool needs(Rank rank, const ResourceNeed& need) const {
    return std::binary_search(need.ranks.begin(), need.ranks.end(), rank);
  }
};

RC_GTEST_PROP(NeedsProperty, EveryMapperMeetsThemOrSaysWhyNot, ()) {
  const AnyRequest any;
  Mapping mapping;
  try {
    mapping = place(any.graph, *any.topology, any.outages, any.allocation, any.options).mapping;
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::unmet);
    return;
  }
  std::vector<unsigned> slots(any.topology->nodes());
  for (const auto& [node, count] : any.allocation) slots[node] = count;
  for (const Node node : mapping) RC_ASSERT(slots[node]-- > 0U);
  for (const ResourceNeed& need : any.options.needs) {
    std::vector<unsigned> used(any.topology->nodes());
    std::size_t on_units = 0;
    for (Rank rank = 0; rank < mapping.size(); ++rank) {
      if (any.needs(rank, need)) ++used[mapping[rank]];
      on_units += any.topology->resource(mapping[rank], need.resource) > 0 ? 1 : 0;
    }
    for (Node node = 0; node < used.size(); ++node)
      RC_ASSERT(used[node] <= any.topology->resource(node, need.resource));
    RC_ASSERT(on_units >= need.any);
  }
}

// With one resource, what the units allow is what can be met.
RC_GTEST_PROP(NeedsProperty, OneResourceIsRefusedOnlyWhenUnitsAreTooFew, ()) {
  AnyRequest any;
  if (any.options.needs.size() > 1) any.options.needs.resize(1);
  std::uint64_t units = 0;
  bool enough = true;
  for (const ResourceNeed& need : any.options.needs) {
    for (const auto& [node, slots] : any.allocation) {
      units += std::min({any.topology->resource(node, need.resource), slots, any.graph.ranks()});
    }
    enough = units >= std::max<std::size_t>(need.ranks.size(), need.any);
  }
  bool met = true;
  try {
    place(any.graph, *any.topology, any.outages, any.allocation, any.options);
  } catch (const Error&) {
    met = false;
  }
  RC_ASSERT(met == enough);
}

RC_GTEST_PROP(NeedsProperty, RepairMovesNobodyWhenAllIsWell, ()) {
  const AnyRequest any;
  std::vector<ResourceNeed> named = any.options.needs;
  std::erase_if(named, [](const ResourceNeed& need) { return need.any > 0; });
  const Needs needs(named, *any.topology, any.graph.ranks());
  RC_PRE(can_meet(needs, any.allocation, any.graph.ranks()));
  Mapping mapping;
  for (const auto& [node, slots] : any.allocation) {
    for (unsigned i = 0; i < slots && mapping.size() < any.graph.ranks(); ++i)
      mapping.push_back(node);
  }
  repair_needs(mapping, *any.topology, any.allocation, needs);
  const Mapping once = mapping;
  repair_needs(mapping, *any.topology, any.allocation, needs);
  RC_ASSERT(mapping == once);
  // Everybody has a seat that suits.
  const SeatPlan plan(any.allocation, any.graph.ranks(), &needs);
  const Seating seating(plan, mapping);
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
    RC_ASSERT(plan.node(seating.entry(rank)) == mapping[rank]);
    RC_ASSERT(plan.allows(rank, seating.seat(rank)));
  }
}

class Line : public testing::Test {
 protected:
  Line() {
    for (Node node = 0; node < 8; ++node) all_.push_back({node, 1});
  }
  Mapping place_with(const std::string& needs, const std::string& mapper = "linear") {
    return place(
               graph_, *mesh_, {}, all_,
               {.mapper = mapper, .time_limit_seconds = 0.5, .needs = parse_resource_needs(needs)})
        .mapping;
  }

  std::unique_ptr<Topology> mesh_ = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [8]\nnodes = \"n[0-7]\"\n"
      "[[attributes]]\nnodes = \"n[5-6]\"\ngres = { fpga = 1 }\n"
      "[[node]]\nname = \"n2\"\ngres = { fpga = 2, gpu = 1 }\n",
      "t.toml");
  CommGraph graph_ = CommGraph::neighbours_in_rank_order(8);
  Allocation all_;
};

TEST_F(Line, FewRanksMove) {
  EXPECT_THAT(place_with("fpga:2,5"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(place_with("fpga:1"), ElementsAre(0, 2, 1, 3, 4, 5, 6, 7));
  EXPECT_THAT(place_with("gpu:7"), ElementsAre(0, 1, 7, 3, 4, 5, 6, 2));
}

TEST_F(Line, AnyRanksAreThoseThatAreThereAnyway) {
  EXPECT_THAT(place_with("fpga=3"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(place_with("fpga:2;fpga=2"), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Line, TheSearchFindsThePlaceForTheWholeJob) {
  // Turned round, the line of ranks has rank 0 at an end and rank 2 where n5 is.
  const Mapping mapping = place_with("fpga:2", "auto");
  EXPECT_EQ(evaluate(graph_, *mesh_, {}, mapping).dilation, 1U);
}

TEST_F(Line, WhatCannotBeMetIsExplained) {
  const auto message = [this](const std::string& needs) {
    return test::error_of([&] { place_with(needs); });
  };
  EXPECT_EQ(message("fpga:0-3"),
            "4 ranks need resource \"fpga\", but the nodes of the allocation have room for 3 of "
            "them (n2: 1, n5: 1, n6: 1); bind fewer ranks to it, or allocate more nodes that have "
            "it");
  EXPECT_THAT(message("fpga=4"), HasSubstr("room for 3"));
  EXPECT_THAT(message("tpu:1"), HasSubstr("no node of the topology has any (known: fpga, gpu)"));
  EXPECT_THAT(message("gpu:8"), HasSubstr("needed by rank 8, but the job has 8 ranks"));
  EXPECT_THAT(message("gpu=9"), HasSubstr("needed by 9 ranks, but the job has 8 ranks"));
  all_.resize(4);
  graph_ = CommGraph::neighbours_in_rank_order(4);
  EXPECT_THAT(message("gpu:0;fpga:1"), HasSubstr("but not side by side"));
}

TEST_F(Line, ADeadNodeIsUsedOnlyForWhatNoOtherHas) {
  const OutageMap outages({{"n2", 1, -1}, {"n7", 1, -1}}, *mesh_);
  graph_ = CommGraph::neighbours_in_rank_order(4);
  const auto on_n2 = [&](const char* needs) {
    const Mapping mapping = place(graph_, *mesh_, outages, all_,
                                  {.time_limit_seconds = 0.2, .needs = parse_resource_needs(needs)})
                                .mapping;
    return std::count(mapping.begin(), mapping.end(), Node{2});
  };
  EXPECT_EQ(on_n2("fpga:0-1"), 0);
  EXPECT_EQ(on_n2("gpu:0"), 1);
}

// Nodes fail alike, so that the search goes on as if none could, and asks the mapper again that
// looks at outages.
TEST(Needs, AreMetWhereNoNodeIsWorthAvoiding) {
  const auto network = [] {
    auto hosts =
        parse_topology("[topology]\nkind = \"mesh\"\nshape = [3]\nnodes = \"n[0-2]\"\n", "t.toml");
    auto topology = make_hosted_topology(std::move(hosts), {"vm0", "vm1"}, {0, 2});
    for (const Node node : {2, 4}) topology->set_resource(node, "fpga", 1);
    return topology;
  }();
  Traffic traffic;
  traffic.ranks = 5;
  traffic.entries = {{0, 3, 1}};
  const OutageMap outages({{"n0", 0.5, -1}, {"n2", 0.5, -1}, {"vm0", 0.5, -1}, {"vm1", 0.5, -1}},
                          *network);
  const Mapping mapping =
      place(CommGraph(traffic), *network, outages, {{0, 1}, {2, 1}, {4, 1}, {1, 3}, {3, 3}},
            {.time_limit_seconds = 1, .needs = parse_resource_needs("fpga:3-4")})
          .mapping;
  EXPECT_EQ(std::set({mapping[3], mapping[4]}), std::set<Node>({2, 4}));
}

}  // namespace
}  // namespace tofa
