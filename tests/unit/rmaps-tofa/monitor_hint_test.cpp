// SPDX-License-Identifier: BSD-3-Clause
// When mpirun has to say that a job is not profiled, and what to write instead.
#include "monitor_hint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tofa::monitor_hint_test {
namespace {

std::string hint(const char* enable, const char* pml) {
  char* text = tofa_monitor_hint(enable, pml);
  std::string copy = text != nullptr ? text : "(none)";
  std::free(text);
  return copy;
}

TEST(MonitorHint, NamesTheMonitorBesideWhatWasAskedFor) {
  EXPECT_EQ(hint("1", "ob1"), "ob1,tofa");
  EXPECT_EQ(hint("2", "ucx,cm"), "ucx,cm,tofa");
  EXPECT_EQ(hint("1", "tofa2"), "tofa2,tofa");
}

TEST(MonitorHint, IsSilentWhereNoProfileWasAskedFor) {
  EXPECT_EQ(hint(nullptr, "ob1"), "(none)");
  EXPECT_EQ(hint("0", "ob1"), "(none)");
  EXPECT_EQ(hint("", "ob1"), "(none)");
  EXPECT_EQ(hint("no", "ob1"), "(none)");
}

TEST(MonitorHint, IsSilentWhereTheMonitorIsLeftIn) {
  EXPECT_EQ(hint("1", nullptr), "(none)");
  EXPECT_EQ(hint("1", ""), "(none)");
  EXPECT_EQ(hint("1", "ob1,tofa"), "(none)");
  EXPECT_EQ(hint("1", "tofa,ob1"), "(none)");
  EXPECT_EQ(hint("1", "^ucx"), "(none)");
}

TEST(MonitorHint, IsSilentWhereTheMonitorIsLeftOutOnPurpose) {
  EXPECT_EQ(hint("1", "^tofa"), "(none)");
  EXPECT_EQ(hint("1", "ob1,monitoring"), "(none)");
}

TEST(MonitorHint, LooksForTheMonitorInEachFolder) {
  std::string here = (std::filesystem::temp_directory_path() / "tofa-test-XXXXXX").string();
  ASSERT_NE(mkdtemp(here.data()), nullptr);
  EXPECT_FALSE(tofa_monitor_is_in(""));
  EXPECT_FALSE(tofa_monitor_is_in(("/nowhere:" + here).c_str()));
  std::ofstream(here + "/mca_pml_tofa.so") << "x";
  EXPECT_TRUE(tofa_monitor_is_in(("/nowhere:" + here).c_str()));
  EXPECT_TRUE(tofa_monitor_is_in((here + ":/nowhere").c_str()));
  std::filesystem::remove_all(here);
}

}  // namespace
}  // namespace tofa::monitor_hint_test
