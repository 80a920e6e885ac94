// SPDX-License-Identifier: BSD-3-Clause
// Histograms of message sizes: read as they are written, added up, refused where damaged.
#include "tofa/message_sizes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& lines) {
  try {
    (void)parse_message_sizes("%%tofa message sizes\n" + lines, "app.sizes.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MessageSizes, AreReadAsTheMonitorWritesThem) {
  const std::string text =
      "%%tofa message sizes\n% sender, receiver, ...\n%tofa {\"version\":1}\n4 4 3\n"
      "1 4 64 7\n1 2 0 5\r\n\n4 1 9223372036854775808 1\n";
  const MessageSizes sizes = parse_message_sizes(text, "app.sizes.txt");
  EXPECT_EQ(sizes.ranks, 4U);
  EXPECT_EQ(sizes.metadata, "{\"version\":1}");
  EXPECT_THAT(sizes.counts, ElementsAre(SizeCount{0, 1, 0, 5}, SizeCount{0, 3, 64, 7},
                                        SizeCount{3, 0, Bytes{1} << 63, 1}));
  const MessageSizes again = parse_message_sizes(format_message_sizes(sizes), "again");
  EXPECT_EQ(again.counts, sizes.counts);
  EXPECT_EQ(again.metadata, sizes.metadata);
}

TEST(MessageSizes, AddUpOverPairs) {
  const MessageSizes sizes{
      4, {{0, 1, 0, 5}, {0, 1, 1, 1}, {2, 1, 0, 4}, {2, 3, Bytes{1} << 63, 2}}, ""};
  EXPECT_THAT(total_sizes(sizes), ElementsAre(SizeTotal{0, 0, 9}, SizeTotal{1, 1, 1},
                                              SizeTotal{Bytes{1} << 63, ~Bytes{0}, 2}));
}

TEST(MessageSizes, DuplicatesAreOne) {
  const MessageSizes sizes =
      parse_message_sizes("%%tofa message sizes\n2 2 2\n1 2 4 3\n1 2 4 5\n", "x");
  EXPECT_THAT(sizes.counts, ElementsAre(SizeCount{0, 1, 4, 8}));
}

TEST(MessageSizes, RefuseDamage) {
  EXPECT_THAT(refusal(""), HasSubstr("ends before"));
  EXPECT_THAT(refusal("2 3 0\n"), HasSubstr("`ranks ranks lines`"));
  EXPECT_THAT(refusal("99999999 99999999 0\n"), HasSubstr("`ranks ranks lines`"));
  EXPECT_THAT(refusal("2 2 2\n1 2 4 3\n"), HasSubstr("1 lines of the 2"));
  EXPECT_THAT(refusal("2 2 0\n1 2 4 3\n"), HasSubstr("1 lines of the 0"));
  EXPECT_THAT(refusal("2 2 1\n0 2 4 3\n"), HasSubstr("app.sizes.txt:3: rank 0 is outside 1 to 2"));
  EXPECT_THAT(refusal("2 2 1\n1 3 4 3\n"), HasSubstr("rank 3"));
  EXPECT_THAT(refusal("2 2 1\n1 2 3 3\n"), HasSubstr("power of two"));
  EXPECT_THAT(refusal("2 2 1\n1 2 4\n"), HasSubstr("`sender receiver bytes messages`"));
  EXPECT_THAT(refusal("%tofa {}\n%tofa {}\n2 2 0\n"), HasSubstr("%tofa"));
  EXPECT_THAT(refusal("%tofa {\n2 2 0\n"), HasSubstr("%tofa"));
  EXPECT_THAT(refusal("2 2 2\n1 2 4 18446744073709551615\n1 2 4 1\n"), HasSubstr("64 bits"));
  EXPECT_THROW((void)parse_message_sizes("2 2 0\n", "x"), Error);
}

TEST(MessageSizes, AreNoGraph) {
  try {
    (void)parse_traffic("%%tofa message sizes\n2 2 0\n", "app.sizes.txt");
    FAIL() << "read as a graph";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("sizes of messages"));
  }
}

}  // namespace
}  // namespace tofa
