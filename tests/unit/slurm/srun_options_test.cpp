// SPDX-License-Identifier: BSD-3-Clause
// The table of srun's options is in order, and each name and letter means one thing in a release.
#include "srun_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace tofa::spank::srun_options_test {
namespace {

constexpr Release kReleases[] = {2205, 2302, 2311, 2405, 2411, 2505, 2511, 2605};

TEST(SrunOptions, AreInOrder) {
  const auto options = srun_options();
  EXPECT_TRUE(std::is_sorted(options.begin(), options.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
}

TEST(SrunOptions, ANameAndALetterMeanOneThing) {
  for (const Release release : kReleases) {
    std::map<std::string, int> names, letters;
    for (const SrunOption& option : srun_options()) {
      if (!option.is_in(release)) continue;
      EXPECT_EQ(names[std::string(option.name)]++, 0) << option.name << " in " << release;
      if (option.letter != 0) {
        EXPECT_EQ(letters[std::string(1, option.letter)]++, 0) << option.name << " in " << release;
      }
    }
  }
}

TEST(SrunOptions, ComeAndGo) {
  EXPECT_EQ(find_srun_option("treewidth", 2205), nullptr);
  EXPECT_NE(find_srun_option("treewidth", 2311), nullptr);
  EXPECT_NE(find_srun_option("uid", 2302), nullptr);
  EXPECT_EQ(find_srun_option("uid", 2311), nullptr);
}

TEST(SrunOptions, ABeginningMustBeUniqueInItsRelease) {
  EXPECT_EQ(find_srun_option("ext", 2205)->name, "extra-node-info");
  EXPECT_EQ(find_srun_option("ext", 2411), nullptr);  // --external-launcher, --extra
  EXPECT_EQ(find_srun_option("extra", 2411)->name, "extra");
}

}  // namespace
}  // namespace tofa::spank::srun_options_test
