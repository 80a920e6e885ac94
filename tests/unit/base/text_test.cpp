// SPDX-License-Identifier: BSD-3-Clause
// Lines, words, numbers and UTF-8.
#include "tofa/text.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "support.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(Text, LinesEndWithLfOrCrLf) {
  LineReader lines("a\r\n\nb");
  std::vector<std::string> seen;
  std::string_view line;
  while (lines.next(line)) seen.emplace_back(line);
  EXPECT_THAT(seen, testing::ElementsAre("a", "", "b"));
  EXPECT_EQ(lines.number(), 3U);
}

TEST(Text, Words) {
  std::string_view rest = "  one\ttwo ";
  EXPECT_EQ(next_word(rest), "one");
  EXPECT_EQ(next_word(rest), "two");
  EXPECT_EQ(next_word(rest), "");
}

TEST(Text, NumbersAreStrict) {
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_number<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("+1"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>("1x"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint32_t>(""), std::nullopt);
  EXPECT_EQ(parse_number<double>("2.5e3"), 2500.0);
}

TEST(Text, Utf8) {
  const auto valid = [](std::string_view text) {
    return find_invalid_utf8(text) == std::string_view::npos;
  };
  EXPECT_TRUE(valid(""));
  EXPECT_TRUE(valid("plain ASCII, long enough for a block"));
  EXPECT_TRUE(
      valid("Gr\xC3\xBC\xC3\x9F"
            "e \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_FALSE(valid("\xC0\x80"));          // overlong
  EXPECT_FALSE(valid("\xE0\x80\x80"));      // overlong
  EXPECT_FALSE(valid("\xED\xA0\x80"));      // surrogate
  EXPECT_FALSE(valid("\xF4\x90\x80\x80"));  // above U+10FFFF
  EXPECT_FALSE(valid("\xE2\x82"));          // cut short
  EXPECT_FALSE(valid("\x80"));
  EXPECT_EQ(find_invalid_utf8("01234567\n\xff"), 9U);
}

TEST(Text, RequireText) {
  EXPECT_EQ(require_text("\xEF\xBB\xBF"
                         "abc",
                         "f"),
            "abc");
  EXPECT_THAT(error_of([] { require_text("a\nb\xff", "f.txt"); }),
              HasSubstr("f.txt:2: not text: byte 0xff"));
  EXPECT_THAT(error_of([] { require_text(std::string_view("a\0", 2), "f.txt"); }),
              HasSubstr("a NUL byte"));
}

TEST(Text, QuotedIsShortAndPrintable) {
  EXPECT_EQ(excerpt("a\tb\x7f"), "\"a\\x09b\\x7f\"");
  EXPECT_EQ(excerpt(std::string(100, 'x')), "\"" + std::string(60, 'x') + "...\"");
  EXPECT_EQ(excerpt(std::string(59, 'x') + "\xC3\xBC"), "\"" + std::string(59, 'x') + "...\"");
}

TEST(Text, WhateverItIsXmlCanHoldIt) {
  EXPECT_EQ(escape_xml("a<b & \"c\"\n"), "a&lt;b &amp; &quot;c&quot; ");
  EXPECT_EQ(escape_xml("h\xe9te, \u00e9t\u00e9\xff\xfe"), "h\uFFFDte, \u00e9t\u00e9\uFFFD\uFFFD");
}

TEST(Text, KnowsWhatAMisspeltWordWasMeantToBe) {
  const std::vector<std::string> known = {"graph", "topology", "hop-bytes", "map", "remap"};
  EXPECT_EQ(closest_word("grpah", known), "graph");
  EXPECT_EQ(closest_word("grap", known), "graph");
  EXPECT_EQ(closest_word("hopbytes", known), "hop-bytes");
  EXPECT_EQ(closest_word("Topolgy", known), "topology");
  EXPECT_EQ(closest_word("topo", known), "topology");
  EXPECT_EQ(closest_word("mpa", known), "map");
  EXPECT_EQ(closest_word("heatmap", known), "");
  EXPECT_EQ(closest_word("sideways", known), "");
  EXPECT_EQ(closest_word("x", known), "");
  EXPECT_EQ(closest_word("", known), "");
  EXPECT_EQ(did_you_mean("mpa", known), "; did you mean map?");
  EXPECT_EQ(did_you_mean("nothing", {}), "");
}

}  // namespace
}  // namespace tofa
