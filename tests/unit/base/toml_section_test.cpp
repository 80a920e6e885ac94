// SPDX-License-Identifier: BSD-3-Clause
// TOML read strictly: every mistake is named with its file and line.
#include "base/toml_section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa {
namespace {

using test::error_of;

constexpr char kText[] =
    "count = 3\nshare = 0.5\nname = \"n\"\non = true\nempty = \"\"\nlist = [1]\n";

std::string problem(void (*read)(TomlSection& section)) {
  return error_of([&] {
    const toml::table table = parse_toml(kText, "f");
    TomlSection section(table, "f", "[s]");
    read(section);
  });
}

TEST(TomlSection, ReadsWhatIsThereAndLeavesTheRestAlone) {
  const toml::table table = parse_toml(kText, "f");
  TomlSection section(table, "f", "[s]");
  unsigned count = 0;
  double share = 0;
  std::string name;
  std::string other = "as before";
  bool on = false;
  section.integer("count", 1, 3, count);
  section.number("share", 0, 1, share);
  section.text("name", name);
  section.text("other", other);
  section.flag("on", on);
  EXPECT_EQ(count, 3U);
  EXPECT_EQ(share, 0.5);
  EXPECT_EQ(name, "n");
  EXPECT_EQ(other, "as before");
  EXPECT_TRUE(on);
}

TEST(TomlSection, NamesEveryMistake) {
  static unsigned count;
  static double share;
  static std::string text;
  static bool flag;
  EXPECT_EQ(problem([](TomlSection& s) { s.integer("count", 4, 5, count); }),
            "f:1: [s] count: 3 is outside 4 to 5");
  EXPECT_EQ(problem([](TomlSection& s) { s.integer("share", 0, 5, count); }),
            "f:2: [s] share: a whole number is expected");
  EXPECT_EQ(problem([](TomlSection& s) { s.number("share", 1, 2, share); }),
            "f:2: [s] share: 0.5 is outside 1 to 2");
  EXPECT_EQ(problem([](TomlSection& s) { s.number("name", 1, 2, share); }),
            "f:3: [s] name: a number is expected");
  EXPECT_EQ(problem([](TomlSection& s) { s.text("on", text); }),
            "f:4: [s] on: a string is expected, in quotes");
  EXPECT_EQ(problem([](TomlSection& s) { s.text("empty", text); }),
            "f:5: [s] empty: must not be empty");
  EXPECT_EQ(problem([](TomlSection& s) { s.flag("list", flag); }),
            "f:6: [s] list: true or false is expected");
}

TEST(TomlSection, RefusesAKeyThatNobodyAskedFor) {
  const toml::table table = parse_toml("known = 1\nunknwon = 2\n", "f");
  TomlSection section(table, "f", "[s]");
  unsigned value = 0;
  section.integer("known", 0, 9, value);
  EXPECT_EQ(error_of([&] { section.refuse_other_keys(); }),
            "f:2: [s] unknwon: unknown key; known are: known");
}

TEST(ParseToml, NamesFileAndLine) {
  EXPECT_THAT(error_of([] { parse_toml("a = 1\nb = [\n", "f"); }), testing::StartsWith("f:"));
}

}  // namespace
}  // namespace tofa
