// SPDX-License-Identifier: BSD-3-Clause
// What an srun that is started again is handed. That it is started is tried with a real srun.
#include "restart.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tofa/file_descriptor.hpp"

namespace tofa::spank::restart_test {
namespace {

TEST(Restart, OtherSrunsAreHandedNothing) {
  EXPECT_FALSE(take_handover());
}

TEST(Restart, WhatIsHandedOverIsGoneFromTheEnvironment) {
  const FileDescriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::setenv("TOFA_SLURM_PLACED", std::to_string(file.get()).c_str(), 1);
  ::setenv("TOFA_SLURM_HOSTFILE", "hosts", 1);
  ::setenv("TOFA_SLURM_NODES", "4", 1);
  ::setenv("TOFA_SLURM_NODES_OPTION", "2-4", 1);
  ::setenv("TOFA_SLURM_ATTEMPTED", "2", 1);
  ::setenv("TOFA_SLURM_REPORT", "8 ranks", 1);
  ::setenv("SLURM_HOSTFILE", "/proc/self/fd/9", 1);
  const auto handover = take_handover();
  ASSERT_TRUE(handover);
  EXPECT_EQ(handover->hostfile, file.get());
  EXPECT_EQ(handover->hostfile_before, std::optional<std::string>("hosts"));
  EXPECT_EQ(handover->nodes, "4");
  EXPECT_EQ(handover->attempted_cpus, 2U);
  EXPECT_EQ(handover->report, "8 ranks");
  EXPECT_EQ(std::getenv("SLURM_HOSTFILE"), std::string("hosts"));
  ::unsetenv("SLURM_HOSTFILE");
  EXPECT_EQ(with_nodes({"srun", "-n8", "app"}, *handover),
            (std::vector<std::string>{"srun", "--nodes=2-4", "-n8", "app"}));
  EXPECT_FALSE(take_handover());
  EXPECT_EQ(std::getenv("TOFA_SLURM_REPORT"), nullptr);
}

TEST(Restart, AFileThatIsNotOpenIsNoHandover) {
  ::setenv("TOFA_SLURM_PLACED", "1000000", 1);
  EXPECT_FALSE(take_handover());
  ::setenv("TOFA_SLURM_PLACED", "x", 1);
  EXPECT_FALSE(take_handover());
}

}  // namespace
}  // namespace tofa::spank::restart_test
