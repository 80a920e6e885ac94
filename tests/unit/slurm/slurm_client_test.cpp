// SPDX-License-Identifier: BSD-3-Clause
// What sinfo and squeue answer, played by scripts: everything they may say, and everything that may
// go wrong with them, which must be an error and never a wrong answer.
#include "slurm_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tofa/error.hpp"

namespace tofa::slurm::slurm_client_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

class SlurmClient : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "tofa-slurm-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    ::unsetenv("SLURM_TOPOLOGY");
    ::unsetenv("SLURM_CONF");
    ::unsetenv("SLURM_JOB_END_TIME");
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("SLURM_TOPOLOGY");
    ::unsetenv("SLURM_CONF");
    fs::remove_all(folder_);
  }

  void command(const std::string& name, const std::string& body) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  std::optional<double> time_left(const std::string& printed) {
    command("squeue", "echo '7 " + printed + "'");
    return find_time_left("7");
  }

  static FreeNodes free_nodes(const std::string& partition) {
    const auto all = find_free_nodes(partition);
    EXPECT_EQ(all.size(), 1U);
    return all.at(0);
  }

  static std::vector<std::string> names(const std::vector<NodeResources>& nodes) {
    std::vector<std::string> list;
    for (const NodeResources& node : nodes) list.push_back(node.name);
    return list;
  }

  template <typename Question>
  static std::string error_of(Question&& question) {
    try {
      question();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(SlurmClient, IdleNodesAreListedOnceInOrder) {
  command(
      "sinfo",
      "echo \"$@\" >" + (folder_ / "asked").string() +
          "\nprintf '%s\\n' 'b2 8 idle 4000 1 8 1 gpu:2 main*' 'a1 4 idle 1000 1 4 1 (null) main' 'b2 8 idle 4000 1 8 1 gpu:2 other' ''");
  const auto nodes = free_nodes("main").idle;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "b2");
  EXPECT_EQ(nodes[0].cpus, 8U);
  EXPECT_EQ(nodes[0].gres, (GresCounts{{"gpu", 2}}));
  EXPECT_EQ(nodes[0].memory, 4000U);
  EXPECT_EQ(nodes[1].name, "a1");
  std::string asked;
  std::getline(std::ifstream(folder_ / "asked"), asked);
  EXPECT_THAT(asked, HasSubstr("--states=idle,completing"));
  EXPECT_THAT(asked, HasSubstr("--partition=main"));
}

TEST_F(SlurmClient, NodesThatCannotBeUsedNowAreLeftOut) {
  command(
      "sinfo",
      "printf '%s\\n' 'a 1 drained 1000 1 1 1 (null) p' 'b 1 idle* 1000 1 1 1 (null) p' 'c 1 reserved 1000 1 1 1 (null) p' 'd 1 idle 1000 1 1 1 (null) p'");
  const auto nodes = free_nodes("p").idle;
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].name, "d");
}

TEST_F(SlurmClient, AResourceThatCannotBeReadHidesNoNode) {
  command(
      "sinfo",
      "printf '%s\\n' 'a 1 idle 1000 1 1 1 gpu:tesla:1,bandwidth:lustre:no_consume:4G p' 'b 1 idle 1000 1 1 1 gpu:2(odd:1x,nic:3y,gpu:1 p'");
  const auto nodes = free_nodes("p").idle;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(count_of(nodes[0].gres, "gpu"), 1U);
  EXPECT_EQ(count_of(nodes[0].gres, "bandwidth:lustre"), std::uint64_t{4} << 30U);
  EXPECT_EQ(nodes[1].name, "b");
}

TEST_F(SlurmClient, NodesThatAreAboutToBeIdleAreKnown) {
  command(
      "sinfo",
      "printf '%s\\n' 'a 1 completing 1000 1 1 1 (null) p' 'b 1 idle 1000 1 1 1 (null) p' 'c 1 allocated+ 1000 1 1 1 (null) p' 'd 1 completing* 1000 1 1 1 (null) p' 'e 1 idle~ 1000 1 1 1 (null) p'");
  const auto nodes = free_nodes("p");
  EXPECT_THAT(names(nodes.idle), ElementsAre("b"));
  EXPECT_THAT(names(nodes.completing), ElementsAre("a"));
  EXPECT_THAT(names(nodes.asleep), ElementsAre("e"));
}

TEST_F(SlurmClient, TheDefaultPartitionIsMeant) {
  command(
      "sinfo",
      "printf '%s\\n' 'a 1 idle 1000 1 1 1 (null) big' 'b 1 idle 1000 1 1 1 (null) main*' 'a 1 idle 1000 1 1 1 (null) main*' 'c 1 idle 1000 1 1 1 (null) big'");
  const auto nodes = free_nodes("").idle;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "b");
  EXPECT_EQ(nodes[1].name, "a");
  command("sinfo",
          "printf '%s\\n' 'a 1 idle 1000 1 1 1 (null) big' 'b 1 idle 1000 1 1 1 (null) main'");
  EXPECT_EQ(free_nodes("").idle.size(), 2U);
}

TEST_F(SlurmClient, EachOfSeveralPartitionsHasItsNodes) {
  command(
      "sinfo",
      "printf '%s\\n' 'a 1 idle 1000 1 1 1 (null) big' 'b 1 idle 1000 1 1 1 (null) main*' 'b 1 idle 1000 1 1 1 (null) wide' 'c 1 completing 1000 1 1 1 (null) main*' 'c 1 completing 1000 1 1 1 (null) wide' 'd 1 idle 1000 1 1 1 (null) big'");
  const auto apart = find_free_nodes("main,big");
  ASSERT_EQ(apart.size(), 2U);
  EXPECT_THAT(names(apart[0].idle), ElementsAre("b"));
  EXPECT_THAT(names(apart[0].completing), ElementsAre("c"));
  EXPECT_THAT(names(apart[1].idle), ElementsAre("a", "d"));
  EXPECT_THAT(names(apart[1].completing), IsEmpty());
  const auto overlapping = find_free_nodes("wide,nowhere,main");
  ASSERT_EQ(overlapping.size(), 3U);
  EXPECT_THAT(names(overlapping[0].idle), ElementsAre("b"));
  EXPECT_THAT(names(overlapping[1].idle), IsEmpty());
  EXPECT_THAT(names(overlapping[2].idle), ElementsAre("b"));
  EXPECT_THAT(names(overlapping[2].completing), ElementsAre("c"));
}

TEST_F(SlurmClient, FailuresAreErrors) {
  const auto ask = [] { find_free_nodes(""); };
  command("sinfo", "echo n1 4; echo nobody there >&2; exit 1");
  EXPECT_THAT(error_of(ask), HasSubstr("nobody there"));
  command("sinfo", "echo n1");
  EXPECT_THAT(error_of(ask), HasSubstr("sinfo answered \"n1\""));
  command("sinfo", "echo n1 4 idle");
  EXPECT_THAT(error_of(ask), HasSubstr("sinfo answered"));
  command("sinfo", "echo \"n1 4x idle 1000 1 4 1 (null) p\"");
  EXPECT_THAT(error_of(ask), HasSubstr("sinfo answered"));
  command("sinfo", "kill -9 $$");
  EXPECT_THAT(error_of(ask), HasSubstr("sinfo failed"));
  command("sinfo", "exec sleep 60");
  EXPECT_THAT(error_of([] { find_free_nodes("", 0.2); }),
              HasSubstr("sinfo did not answer within 0.2 s"));
  ::setenv("PATH", folder_.c_str(), 1);
  fs::remove(folder_ / "sinfo");
  EXPECT_THAT(error_of(ask), HasSubstr("sinfo: cannot be run"));
}

TEST_F(SlurmClient, TimeLeft) {
  EXPECT_EQ(time_left("59"), 59);
  EXPECT_EQ(time_left("10:05"), 605);
  EXPECT_EQ(time_left("1:00:01"), 3601);
  EXPECT_EQ(time_left("2-01:00:00"), 2 * 86400 + 3600);
  EXPECT_EQ(time_left("UNLIMITED"), std::nullopt);
  for (const char* odd : {"", "INVALID", "NOT_SET", "1:", "-1", "1-"}) {
    EXPECT_THAT(error_of([&] { time_left(odd); }), HasSubstr("squeue answered")) << odd;
  }
  command("squeue", "echo 'Invalid job id specified' >&2; exit 1");
  EXPECT_THAT(error_of([] { find_time_left("7"); }), HasSubstr("Invalid job id"));
}

TEST_F(SlurmClient, TimeLeftIsThatOfTheJobAmongTasksOfItsArray) {
  command("squeue", "printf '%s\\n' '8 1:00' '7 2:00' '9 3:00'");
  EXPECT_EQ(find_time_left("7"), 120);
  EXPECT_THAT(error_of([] { find_time_left("77"); }), HasSubstr("squeue answered"));
}

TEST_F(SlurmClient, HorizonIsTheTimeLeftWhereRatesAreKnown) {
  HostOutage rated{"n1", 0, -1};
  rated.rate = 1e-5;
  command("squeue", "echo 7 1:00:00");
  ::unsetenv("SLURM_JOB_ID");
  EXPECT_EQ(horizon_of_this_job({rated}), 0);
  ::setenv("SLURM_JOB_ID", "7", 1);
  EXPECT_EQ(horizon_of_this_job({rated}), 3600);
  EXPECT_EQ(horizon_of_this_job({{"n1", 0.5, -1}}), 0);
  command("squeue", "echo 7 UNLIMITED");
  EXPECT_EQ(horizon_of_this_job({rated}), 0);
  command("squeue", "exit 1");
  EXPECT_EQ(horizon_of_this_job({rated}), 0);
  ::unsetenv("SLURM_JOB_ID");
}

TEST_F(SlurmClient, HorizonIsWhatTheEnvironmentSaysWithoutSqueue) {
  HostOutage rated{"n1", 0, -1};
  rated.rate = 1e-5;
  const auto end_in = [](double seconds) {
    const auto end = std::chrono::system_clock::now().time_since_epoch() +
                     std::chrono::duration<double>(seconds);
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(end).count();
    ::setenv("SLURM_JOB_END_TIME", std::to_string(whole).c_str(), 1);
  };
  command("squeue", "touch " + (folder_ / "asked").string() + "; echo 7 10:00");
  ::setenv("SLURM_JOB_ID", "7", 1);
  end_in(3600);
  EXPECT_EQ(horizon_of_this_job({rated}), 3600);
  end_in(365 * 86400.0);
  EXPECT_EQ(horizon_of_this_job({rated}), 0) << "no limit";
  EXPECT_FALSE(fs::exists(folder_ / "asked"));
  end_in(-60);
  EXPECT_EQ(horizon_of_this_job({rated}), 600) << "the limit was raised";
  ::setenv("SLURM_JOB_END_TIME", "soon", 1);
  EXPECT_EQ(horizon_of_this_job({rated}), 600);
  ::unsetenv("SLURM_JOB_END_TIME");
  ::unsetenv("SLURM_JOB_ID");
}

TEST_F(SlurmClient, TopologyFileBesideTheConfiguration) {
  ::setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
  std::ofstream(folder_ / "topology.conf") << "SwitchName=s Nodes=n[0-1]\n";
  EXPECT_EQ(find_topology_file(), folder_ / "topology.conf");
  std::ofstream(folder_ / "topology.yaml") << "- topology: t\n";
  EXPECT_EQ(find_topology_file(), folder_ / "topology.yaml");
  ::setenv("SLURM_TOPOLOGY", "/elsewhere", 1);
  EXPECT_EQ(find_topology_file(), "/elsewhere");
}

}  // namespace
}  // namespace tofa::slurm::slurm_client_test
