// SPDX-License-Identifier: BSD-3-Clause
#include "reorder.h"

#include <fenv.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace tofa::reorder_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A ring of hosts h0, h1, ... in a topology file, and processes on them.
class Reorder : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("TOFA_SITE_FILE", "/nonexistent/tofa.toml", 1);
    for (const char* name : {"TOFA_TOPOLOGY", "TOFA_HEALTH", "SLURM_JOB_ID"}) ::unsetenv(name);
    std::ofstream(file_) << "[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"h[0-7]\"\n";
    task_.topology = file_.c_str();
    task_.effort = "fast";
  }
  void TearDown() override { std::remove(file_.c_str()); }

  // `hosts[i]` is where process i runs.
  bool run(const std::vector<std::string>& hosts, int nodes, const std::vector<tofa_edge>& edges) {
    std::vector<const char*> names;
    names.reserve(hosts.size());
    for (const std::string& host : hosts) names.push_back(host.empty() ? nullptr : host.c_str());
    task_.hosts = names.data();
    task_.processes = static_cast<int>(hosts.size());
    task_.nodes = nodes;
    task_.edges = edges.data();
    task_.edge_count = edges.size();
    order_.assign(hosts.size(), -7);
    char told[1024] = "";
    const bool reordered = tofa_reorder(&task_, order_.data(), told, sizeof told);
    told_ = told;
    EXPECT_THAT(told_, StartsWith(reordered ? "ranks reordered: " : "ranks stay: "));
    return reordered;
  }

  void expect_permutation() const {
    std::vector<int> sorted = order_;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<int>(i));
  }

  tofa_reorder_task task_ = {};
  std::vector<int> order_;
  std::string told_;
  std::string file_ = testing::TempDir() + "reorder-" + std::to_string(::getpid()) + ".toml";
};

// By rank, the hosts of four processes, two on each.
const std::vector<std::string> kTwoHosts = {"h0", "h0", "h1", "h1"};

TEST_F(Reorder, partners_come_to_share_a_host_and_who_can_keeps_its_rank) {
  ASSERT_TRUE(run(kTwoHosts, 4, {{0, 2, 5}, {1, 3, 5}, {0, 1, 1}}));
  expect_permutation();
  // Rank 0's process stays, or rank 2's; either way the pairs 0, 2 and 1, 3 are together.
  const auto host_of = [this](int rank) {
    return kTwoHosts[static_cast<std::size_t>(std::find(order_.begin(), order_.end(), rank) -
                                              order_.begin())];
  };
  EXPECT_EQ(host_of(0), host_of(2));
  EXPECT_EQ(host_of(1), host_of(3));
  EXPECT_NE(host_of(0), host_of(1));
  EXPECT_EQ(std::count(order_.begin(), order_.end(), 0), 1);
  int kept = 0;
  for (int process = 0; process < 4; ++process)
    kept += order_[static_cast<std::size_t>(process)] == process;
  EXPECT_EQ(kept, 2);
  EXPECT_THAT(told_, AllOf(HasSubstr("0.0909 hops per weight instead of 0.909"),
                           HasSubstr("2 hosts, torus 8")));
}

TEST_F(Reorder, heavy_edges_count_more) {
  ASSERT_TRUE(run({"h0", "h1", "h4", "h5"}, 4, {{0, 2, 100}, {1, 3, 100}, {0, 1, 1}}));
  EXPECT_THAT(told_, HasSubstr("hops per weight instead of"));
}

TEST_F(Reorder, processes_beyond_the_graph_come_last) {
  ASSERT_TRUE(run({"h0", "h4", "h0", "h4"}, 2, {{0, 1, 1}}));
  expect_permutation();
  // The two ranks of the graph are on one host now, the others behind them on the other.
  EXPECT_EQ(order_[0] / 2, order_[2] / 2);
  EXPECT_EQ(order_[1] / 2, order_[3] / 2);
}

TEST_F(Reorder, what_nothing_is_gained_by_is_left_alone) {
  EXPECT_FALSE(run(kTwoHosts, 4, {{0, 1, 1}, {2, 3, 1}}));
  EXPECT_THAT(told_, HasSubstr("all neighbours share hosts"));
  EXPECT_FALSE(run({"h0", "h1"}, 2, {{0, 1, 1}}));
  EXPECT_THAT(told_,
              HasSubstr("none of the orders tried takes a tenth less time, as predicted; 1 hops"));
}

TEST_F(Reorder, one_host_or_no_edges_and_nothing_is_read) {
  task_.topology = "/nonexistent.toml";
  EXPECT_FALSE(run({"h0", "h0"}, 2, {{0, 1, 1}}));
  EXPECT_THAT(told_, HasSubstr("all processes are on one host"));
  EXPECT_FALSE(run(kTwoHosts, 4, {}));
  EXPECT_THAT(told_, HasSubstr("no neighbours are declared"));
  EXPECT_FALSE(run(kTwoHosts, 4, {{0, 0, 9}, {1, 2, 0}, {1, 2, -5}}));
  EXPECT_THAT(told_, HasSubstr("no neighbours are declared"));
}

TEST_F(Reorder, without_a_file_hosts_are_equally_far) {
  task_.topology = nullptr;
  ASSERT_TRUE(run(kTwoHosts, 4, {{0, 2, 5}, {1, 3, 5}}));
  EXPECT_THAT(told_, HasSubstr("none given; all nodes are taken to be equally far"));
}

TEST_F(Reorder, trouble_of_any_kind_leaves_ranks_alone) {
  const std::vector<tofa_edge> edges = {{0, 2, 5}, {1, 3, 5}};
  EXPECT_FALSE(run({"h0", "h0", "h9", "h9"}, 4, edges));
  EXPECT_THAT(told_, HasSubstr("host \"h9\" is not in the topology; add it"));
  EXPECT_FALSE(run({"h0", "h0", "", "h1"}, 4, edges));
  EXPECT_THAT(told_, HasSubstr("does not tell the host of rank 2"));
  EXPECT_FALSE(run(kTwoHosts, 4, {{0, 4, 1}}));
  EXPECT_FALSE(run(kTwoHosts, 4, {{-1, 2, 1}}));
  EXPECT_THAT(told_, HasSubstr("an edge from -1 to 2"));
  EXPECT_FALSE(run(kTwoHosts, 5, edges));
  EXPECT_THAT(told_, HasSubstr("5 nodes for 4 processes"));
  task_.effort = "much";
  EXPECT_FALSE(run(kTwoHosts, 4, edges));
  EXPECT_THAT(told_, HasSubstr("topo_tofa_effort: unknown effort"));
  task_.effort = nullptr;
  task_.topology = "/nonexistent.toml";
  EXPECT_FALSE(run(kTwoHosts, 4, edges));
  EXPECT_THAT(told_, HasSubstr("/nonexistent.toml"));
  task_.topology = nullptr;
  ::setenv("TOFA_TOPOLOGY", "/nonexistent.toml", 1);
  EXPECT_FALSE(run(kTwoHosts, 4, edges));
  EXPECT_THAT(told_, HasSubstr("/nonexistent.toml"));
  ::unsetenv("TOFA_TOPOLOGY");
}

// Programs that trap exceptions of floating point do so again afterwards, and not in between.
TEST_F(Reorder, traps_of_the_program_stay_its_own) {
  ::feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_INEXACT);
  const bool reordered = run(kTwoHosts, 4, {{0, 2, 5}, {1, 3, 5}});
  const int traps = ::fedisableexcept(FE_ALL_EXCEPT);
  EXPECT_TRUE(reordered);
  EXPECT_EQ(traps, FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_INEXACT);
}

unsigned ring_hops(const std::string& a, const std::string& b) {
  const int apart = std::abs(a.back() - b.back());
  return static_cast<unsigned>(std::min(apart, 8 - apart));
}

// On a ring of eight hosts, anybody's process may be anywhere.
TEST_F(Reorder, random_graphs_are_never_worse_and_always_permutations) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const int processes = 2 + static_cast<int>(random() % 24);
    const int nodes = 1 + static_cast<int>(random() % static_cast<unsigned>(processes));
    std::vector<std::string> hosts;
    hosts.reserve(static_cast<std::size_t>(processes));
    for (int i = 0; i < processes; ++i) hosts.push_back("h" + std::to_string(random() % 8));
    std::vector<tofa_edge> edges;
    for (unsigned i = 0; i < random() % 60; ++i) {
      edges.push_back({static_cast<int>(random() % static_cast<unsigned>(nodes)),
                       static_cast<int>(random() % static_cast<unsigned>(nodes)),
                       static_cast<int>(random() % 100)});
    }
    if (!run(hosts, nodes, edges)) continue;
    expect_permutation();
    std::vector<std::string> now(hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
      now[static_cast<std::size_t>(order_[i])] = hosts[i];
    double before = 0, after = 0;
    for (const tofa_edge& edge : edges) {
      const auto from = static_cast<std::size_t>(edge.from);
      const auto to = static_cast<std::size_t>(edge.to);
      before += static_cast<double>(edge.weight) * ring_hops(hosts[from], hosts[to]);
      after += static_cast<double>(edge.weight) * ring_hops(now[from], now[to]);
    }
    EXPECT_LE(after, before);
  }
}

}  // namespace
}  // namespace tofa::reorder_test
