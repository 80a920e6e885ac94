// SPDX-License-Identifier: BSD-3-Clause
// What a rank needs, from what Slurm's releases say of it.
#include "needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "srun_command.hpp"
#include "tofa/error.hpp"

namespace tofa::spank::needs_test {
namespace {

using testing::HasSubstr;

StepNeeds needs(const Environment& environment) {
  return needs_of(parse_srun_command({"srun", "-n8", "app"}), environment);
}

std::string refusal(const Environment& environment) {
  try {
    needs(environment);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Needs, ProcessorsPerTaskAreResourcesPerTaskToo) {
  const auto both = needs({{"SLURM_CPUS_PER_TASK", "2"}, {"SLURM_TRES_PER_TASK", "cpu=2"}});
  EXPECT_EQ(both.rank.cpus, 2U);
  EXPECT_EQ(needs({{"SLURM_TRES_PER_TASK", "cpu:3"}}).rank.cpus, 3U);
}

TEST(Needs, GpusPerTaskAreResourcesPerTaskToo) {
  const Environment old = {{"SLURM_GPUS_PER_TASK", "1"}};
  const Environment recent = {{"SLURM_TRES_PER_TASK", "gres/gpu=1"},
                              {"SLURM_TRES_BIND", "gres/gpu:per_task:1"}};
  EXPECT_EQ(needs(recent).rank.gres, needs(old).rank.gres);
  EXPECT_FALSE(needs(recent).rank.gres.empty());
  EXPECT_EQ(needs({{"SLURM_TRES_PER_TASK", "cpu=2,gres/gpu:a100=2"}}).rank.gres,
            needs({{"SLURM_GPUS_PER_TASK", "a100:2"}}).rank.gres);
}

TEST(Needs, OtherResourcesPerTaskAreNotGuessed) {
  for (const char* text : {"gres/gpus=1", "gres/nic=1", "cpu=2,license/x=1", "gres/gpu"}) {
    EXPECT_THAT(refusal({{"SLURM_TRES_PER_TASK", text}}), HasSubstr("--tres-per-task"));
  }
  EXPECT_THAT(refusal({{"SLURM_TRES_BIND", "gres/gpu:map:0,1"}}), HasSubstr("--tres-bind"));
}

}  // namespace
}  // namespace tofa::spank::needs_test
