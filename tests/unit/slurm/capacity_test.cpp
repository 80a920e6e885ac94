// SPDX-License-Identifier: BSD-3-Clause
// How many ranks a node takes, and how resources are written.
#include "capacity.hpp"

#include <gtest/gtest.h>

#include "tofa/error.hpp"

namespace tofa::slurm::capacity_test {
namespace {

// Two sockets of four cores with two threads each, and two GPUs of each of two types.
NodeResources node() {
  return {"n0", 16, 2, 2, 16000, parse_gres("gpu:a100:2(S:0),gpu:v100:2(S:1),nic:1")};
}

TEST(Capacity, WhatIsScarcestDecides) {
  EXPECT_EQ(ranks_on(node(), {}), 16U);
  EXPECT_EQ(ranks_on(node(), {.cpus = 3}), 5U);
  EXPECT_EQ(ranks_on(node(), {.cpus = 17}), 0U);
  EXPECT_EQ(ranks_on(node(), {.threads_per_core = 1}), 8U);
  EXPECT_EQ(ranks_on(node(), {.threads_per_core = 2}), 16U);
  EXPECT_EQ(ranks_on(node(), {.threads_per_core = 7}), 16U);
  EXPECT_EQ(ranks_on(node(), {.ranks_per_core = 1}), 8U);
  EXPECT_EQ(ranks_on(node(), {.ranks_per_socket = 3}), 6U);
  EXPECT_EQ(ranks_on(node(), {.ranks_per_node = 5}), 5U);
  EXPECT_EQ(ranks_on(node(), {.ranks_per_gpu = 2}), 8U);
  EXPECT_EQ(ranks_on(node(), {.memory_per_cpu = 2000}), 8U);
  EXPECT_EQ(ranks_on(node(), {.cpus = 2, .memory_per_cpu = 2000}), 4U);
  EXPECT_EQ(ranks_on(node(), {.threads_per_core = 1, .memory_per_cpu = 2000}), 4U);
}

TEST(Capacity, GenericResourcesOfRanksAndOfNodes) {
  RankNeeds needs;
  needs.gres = parse_gpus("1");
  EXPECT_EQ(ranks_on(node(), needs), 4U);
  needs.gres = parse_gpus("a100:1");
  EXPECT_EQ(ranks_on(node(), needs), 2U);
  needs.gres = parse_gpus("h100:1");
  EXPECT_EQ(ranks_on(node(), needs), 0U);
  needs = {};
  needs.gres_of_node = parse_gres("gpu:4,nic");
  EXPECT_EQ(ranks_on(node(), needs), 16U);
  needs.gres_of_node = parse_gres("gpu:5");
  EXPECT_EQ(ranks_on(node(), needs), 0U);
  // Of what a step asks for on each node, each rank has its part.
  needs.gres_of_node = parse_gres("gpu:3");
  needs.gres = parse_gpus("1");
  EXPECT_EQ(ranks_on(node(), needs), 3U);
}

TEST(Capacity, ANodeOfWhichNothingIsKnownHasItsProcessors) {
  EXPECT_EQ(ranks_on({.name = "n", .cpus = 4}, {.memory_per_cpu = 1}), 4U);
  EXPECT_EQ(ranks_on({.name = "n", .cpus = 0}, {}), 0U);
}

TEST(Gres, IsReadAsSlurmWritesIt) {
  EXPECT_EQ(parse_gres("gpu:2(IDX:0,1)"), (GresCounts{{"gpu", 2}}));
  EXPECT_EQ(parse_gres("gpu:a100:2(S:0-1),gpu:v100:1"),
            (GresCounts{{"gpu", 3}, {"gpu:a100", 2}, {"gpu:v100", 1}}));
  EXPECT_EQ(parse_gres("gres:gpu:2,gres/nic:1"), (GresCounts{{"gpu", 2}, {"nic", 1}}));
  EXPECT_EQ(parse_gres("craynetwork"), (GresCounts{{"craynetwork", 1}}));
  for (const char* nothing : {"", "(null)", "N/A", "none"})
    EXPECT_TRUE(parse_gres(nothing).empty()) << nothing;
  EXPECT_EQ(parse_gpus("2"), (GresCounts{{"gpu", 2}}));
  EXPECT_EQ(parse_gpus("a100:1,v100:2"),
            (GresCounts{{"gpu", 3}, {"gpu:a100", 1}, {"gpu:v100", 2}}));
  for (const char* wrong : {":1", "gpu:2x", ",", "gpu:99999999999999999999", "gpu:1KK"})
    EXPECT_THROW(parse_gres(wrong), Error) << wrong;
}

TEST(Gres, CountsHaveUnits) {
  EXPECT_EQ(parse_gres("gpu:tesla:1,bandwidth:lustre:no_consume:4G"),
            (GresCounts{{"gpu", 1},
                        {"gpu:tesla", 1},
                        {"bandwidth", std::uint64_t{4} << 30U},
                        {"bandwidth:lustre", std::uint64_t{4} << 30U}}));
  EXPECT_EQ(parse_gres("shard:1K,tmp:2M,nvme:1T,tape:3p"),
            (GresCounts{{"shard", 1024},
                        {"tmp", 2 << 20U},
                        {"nvme", std::uint64_t{1} << 40U},
                        {"tape", std::uint64_t{3} << 50U}}));
  NodeResources with_disk{.name = "n", .cpus = 4, .gres = parse_gres("nvme:no_consume:2T")};
  EXPECT_EQ(ranks_on(with_disk, {.gres_of_node = parse_gres("nvme:2T")}), 4U);
  EXPECT_EQ(ranks_on(with_disk, {.gres_of_node = parse_gres("nvme:3T")}), 0U);
  with_disk.gres = parse_gres("gpu:99999999P");
  EXPECT_EQ(ranks_on(with_disk, {.ranks_per_gpu = 4}), 4U);
}

TEST(Gres, OfWhatSlurmSaysThatIsLeftOutWhichCannotBeRead) {
  EXPECT_EQ(parse_known_gres("gpu:2x,nic:1,:3,shard:4"), (GresCounts{{"nic", 1}, {"shard", 4}}));
  EXPECT_TRUE(parse_known_gres("(null)").empty());
}

TEST(Gres, ReadsBackWhatItWrites) {
  for (const char* text :
       {"gpu:2", "gpu:a100:2,nic:1", "gpu:1,gpu:a100:2", "nvme:1T,gpu:99999999P", ""})
    EXPECT_EQ(parse_gres(format_gres(parse_gres(text))), parse_gres(text)) << text;
}

TEST(Memory, HasUnits) {
  EXPECT_EQ(parse_memory("512"), 512U);
  EXPECT_EQ(parse_memory("512M"), 512U);
  EXPECT_EQ(parse_memory("2G"), 2048U);
  EXPECT_EQ(parse_memory("1T"), 1024U * 1024U);
  EXPECT_EQ(parse_memory("1025K"), 2U);
  for (const char* wrong : {"", "G", "1.5G", "-1", "99999999999T", "1GB"})
    EXPECT_THROW(parse_memory(wrong), Error) << wrong;
}

}  // namespace
}  // namespace tofa::slurm::capacity_test
