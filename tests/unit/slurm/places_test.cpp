// SPDX-License-Identifier: BSD-3-Clause
// The places of a step among the other steps of its job, and where ranks share GPUs.
#include "places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/error.hpp"

namespace tofa::spank::places_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// n0, n1, n2 with four processors each, in cores of two threads, and GPUs if wanted.
JobState job(unsigned gpus = 0) {
  JobState state;
  for (const char* name : {"n0", "n1", "n2"}) {
    state.nodes.push_back({name, 4, 1, 2, 0, {}});
    if (gpus > 0) state.nodes.back().gres = {{"gpu", gpus}};
  }
  return state;
}

std::vector<std::string> places(const PlaceRequest& request, const JobState& state,
                                const std::vector<NodeClaim>& claimed = {}) {
  std::vector<std::string> list;
  for (const NodeSlots& node : find_places(state.nodes, request, state, claimed))
    list.push_back(node.name + "=" + std::to_string(node.slots));
  return list;
}

std::string refusal(const PlaceRequest& request, const JobState& state,
                    const std::vector<NodeClaim>& claimed = {}) {
  try {
    places(request, state, claimed);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Places, OtherStepsHaveTheirNodes) {
  JobState state = job();
  state.steps = {{{"n1"}, 4, 17}};
  EXPECT_THAT(places({.ranks = 8}, state), ElementsAre("n0=4", "n2=4"));
  EXPECT_THAT(refusal({.ranks = 9}, state), HasSubstr("leave 8 places free"));
  EXPECT_THAT(places({.ranks = 9, .overlaps = true}, state), ElementsAre("n0=4", "n1=4", "n2=4"));
}

TEST(Places, AnExactStepTakesWhatIsLeftOfANode) {
  JobState state = job();
  state.steps = {{{"n0", "n1"}, 4, 17}};
  EXPECT_THAT(places({.ranks = 8, .exact = true}, state), ElementsAre("n0=2", "n1=2", "n2=4"));
  EXPECT_THAT(places({.ranks = 4}, state), ElementsAre("n2=4"));
  // A core is one step's, and where memory counts, or a step is uneven, a node is.
  state.steps = {{{"n0"}, 1, 17}};
  EXPECT_THAT(places({.ranks = 8, .exact = true}, state), ElementsAre("n0=2", "n1=4", "n2=4"));
  state.steps = {{{"n0", "n1"}, 3, 17}};
  EXPECT_THAT(places({.ranks = 4, .exact = true}, state), ElementsAre("n2=4"));
  state.steps = {{{"n0"}, 2, 17}};
  state.counts_memory = true;
  EXPECT_THAT(places({.ranks = 4, .exact = true}, state), ElementsAre("n1=4", "n2=4"));
}

TEST(Places, AClaimSaysMoreThanTheStepItBecame) {
  JobState state = job();
  state.steps = {{{"n0", "n1"}, 3, 17}};
  const std::vector<NodeClaim> claimed = {{17, {{"n0", 2}, {"n1", 1}}}};
  EXPECT_THAT(places({.ranks = 4, .exact = true}, state, claimed),
              ElementsAre("n0=2", "n1=2", "n2=4"));
  EXPECT_THAT(places({.ranks = 4}, job(), {{17, {{"n0", kWholeNode}}}, {18, {{"n0", 1}}}}),
              ElementsAre("n1=4", "n2=4"));
}

TEST(Places, RanksThatShareGpusAreSpread) {
  PlaceRequest request{.ranks = 4};
  EXPECT_THAT(places(request, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
  EXPECT_THAT(places(request, job(0)), ElementsAre("n0=4", "n1=4", "n2=4"));
  request.needs.rank.gres = {{"gpu", 1}};
  EXPECT_THAT(places(request, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
  EXPECT_THAT(places(request, job(4)), ElementsAre("n0=4", "n1=4", "n2=4"));
  EXPECT_THAT(refusal({.ranks = 7, .needs = request.needs}, job(2)), HasSubstr("have 6"));
}

TEST(Places, RanksThatShareGpusOnFewerNodesFit) {
  EXPECT_THAT(places({.ranks = 4, .nodes = 1}, job(2)), ElementsAre("n0=4", "n1=4", "n2=4"));
  EXPECT_THAT(places({.ranks = 4, .nodes = 2}, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
}

TEST(Places, GpusInAllAreAllOrUnclear) {
  PlaceRequest request{.ranks = 6};
  request.needs.gpus_in_all = {{"gpu", 6}};
  EXPECT_THAT(places(request, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
  request.needs.gpus_in_all = {{"gpu", 5}};
  EXPECT_THAT(refusal(request, job(2)), HasSubstr("--gpus"));
  request.needs.gpus_in_all = {{"gpu", 4}};
  JobState uneven = job(2);
  uneven.nodes[0].gres.clear();
  EXPECT_THAT(refusal(request, uneven), HasSubstr("--gpus"));
}

TEST(Places, RanksPerGpuBesideOtherCountsMustAgree) {
  PlaceRequest request{.ranks = 6};
  request.needs.rank.ranks_per_gpu = 1;
  EXPECT_THAT(places(request, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
  request.needs.rank.gres_of_node = {{"gpu", 2}};
  EXPECT_THAT(refusal(request, job(2)), HasSubstr("--ntasks-per-gpu"));
  request.needs.gpus_in_all = {{"gpu", 6}};
  EXPECT_THAT(places(request, job(2)), ElementsAre("n0=2", "n1=2", "n2=2"));
  request.ranks = 5;
  EXPECT_THAT(refusal(request, job(2)), HasSubstr("--ntasks-per-gpu"));
}

TEST(Places, SocketsThatAreNotKnownDecideNothing) {
  PlaceRequest request{.ranks = 3};
  request.needs.rank.ranks_per_socket = 1;
  EXPECT_THAT(places(request, job()), ElementsAre("n0=1", "n1=1", "n2=1"));
  JobState part = job();
  part.nodes[1].sockets = 0;
  EXPECT_THAT(refusal(request, part), HasSubstr("--ntasks-per-socket"));
}

}  // namespace
}  // namespace tofa::spank::places_test
