// SPDX-License-Identifier: BSD-3-Clause
// Parts of a file: together they are the file, however many there are, and say what the reader of
// the whole file says when there is something wrong with it.
#include "tofa/traffic_source.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "support.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

using test::error_of;
using test::ScratchDirectory;
using testing::HasSubstr;

std::vector<TrafficEntry> drain(TrafficSource& source) {
  std::vector<TrafficEntry> entries;
  while (source.next(entries)) {
  }
  return entries;
}

// What all parts have, in order; checks what they count.
std::vector<TrafficEntry> read_in_parts(const std::string& path, unsigned parts) {
  std::vector<TrafficEntry> all;
  std::uint64_t read = 0;
  for (unsigned part = 0; part < parts; ++part) {
    const auto source = open_matrix_part(path, {part, parts});
    const auto entries = drain(*source);
    all.insert(all.end(), entries.begin(), entries.end());
    read += source->read();
  }
  open_matrix_part(path, {0, parts})->check_total(read);
  return all;
}

std::string file_of(const std::vector<std::string>& lines, const std::string& comment) {
  std::string text = "%%MatrixMarket matrix coordinate integer general\n" + comment +
                     fmt::format("9 9 {}\n", lines.size());
  for (const std::string& line : lines) text += line;
  return text;
}

TEST(TrafficSource, ReadsWhatTheReaderOfTheWholeFileDoes) {
  const ScratchDirectory scratch;
  const std::string path = scratch.write(
      "a.mtx",
      "\xEF\xBB\xBF%%matrixmarket MATRIX Coordinate Real General\r\n2 2 1\r\n1 2 1.5e3\r\n");
  for (const unsigned parts : {1U, 3U})
    EXPECT_EQ(read_in_parts(path, parts), (std::vector<TrafficEntry>{{0, 1, 1500}}));
}

std::vector<std::string> any_lines() {
  const auto cells = *rc::gen::container<std::set<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(1, 10), rc::gen::inRange(1, 10)));
  std::vector<std::string> lines;
  for (const auto& [row, column] : cells) {
    const std::string end = *rc::gen::element<std::string>("\n", "\r\n", "\n\n", "\n% a remark\n");
    lines.push_back(fmt::format("{} {} {}{}", row, column, *rc::gen::inRange(0, 100'000), end));
  }
  return lines;
}

TEST(TrafficSource, PartsOfAFileAreTheFile) {
  const ScratchDirectory folder;
  rc::check([&] {
    const auto comment =
        *rc::gen::element<std::string>("", "% made by hand\n", "%tofa {\"a\":1}\n");
    std::string text = file_of(any_lines(), comment);
    if (*rc::gen::arbitrary<bool>() && text.ends_with('\n')) text.pop_back();
    const std::string path = folder.write("g.mtx", text);
    RC_ASSERT(read_in_parts(path, *rc::gen::inRange(1U, 40U)) == parse_traffic(text, path).entries);
  });
}

TEST(TrafficSource, AMistakeIsOneOfOnePartAndItsLineThatOfTheFile) {
  const ScratchDirectory folder;
  rc::check([&] {
    std::vector<std::string> lines = any_lines();
    lines.insert(
        lines.begin() +
            *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(lines.size()) + 1),
        *rc::gen::element<std::string>("1 10 3\n", "0 1 3\n", "1 2\n", "1 2 x\n", "1 2 3 4\n"));
    const std::string text = file_of(lines, "% a remark\n");
    const std::string path = folder.write("g.mtx", text);
    const std::string whole = error_of([&] { parse_traffic(text, path); });
    const auto parts = *rc::gen::inRange(1U, 20U);
    std::vector<std::string> said;
    for (unsigned part = 0; part < parts; ++part) {
      try {
        drain(*open_matrix_part(path, {part, parts}));
      } catch (const Error& error) {
        said.emplace_back(error.what());
      }
    }
    RC_ASSERT(said == std::vector<std::string>{whole});
  });
}

TEST(TrafficSource, SymmetricFilesHaveBothDirections) {
  const ScratchDirectory folder;
  const std::string path = folder.write(
      "g.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 3 1\n");
  EXPECT_EQ(read_in_parts(path, 2), (std::vector<TrafficEntry>{{1, 0, 5}, {0, 1, 5}, {2, 2, 1}}));
}

TEST(TrafficSource, TellsFilesThatWereCutShortOrAreNone) {
  const ScratchDirectory folder;
  const std::string path =
      folder.write("g.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 1 5\n");
  EXPECT_THAT(error_of([&] { read_in_parts(path, 3); }), HasSubstr("ends after 1 of 2 entries"));
  EXPECT_THAT(error_of([&] {
                open_matrix_part(path, {0, 1})->check_total(3);
              }),
              HasSubstr("has 3 entries, more than the 2"));
  EXPECT_THAT(error_of([&] {
                open_matrix_part(folder / "none", {0, 1});
              }),
              HasSubstr("cannot read: No such file"));
  EXPECT_THAT(error_of([&] {
                open_matrix_part(folder.path(), {0, 1});
              }),
              HasSubstr("is no regular file"));
  const std::string other = folder.write("x", "1 2 3\n");
  EXPECT_THAT(error_of([&] {
                open_matrix_part(other, {0, 1});
              }),
              HasSubstr("x:1: is no Matrix Market file"));
  const std::string long_line =
      folder.write("l", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n2 1 5\n" +
                            std::string(20'000, ' ') + "2 1 5\n");
  EXPECT_THAT(error_of([&] { read_in_parts(long_line, 4); }),
              HasSubstr("l:4: a line of more than"));
}

using Pairs = std::map<std::pair<Rank, Rank>, Bytes>;

Pairs generated(const std::string& what, unsigned parts, std::uint64_t seed = 1) {
  Pairs pairs;
  for (unsigned part = 0; part < parts; ++part) {
    const auto source = generate_traffic_part(what, seed, {part, parts});
    for (const auto& [sender, receiver, bytes] : drain(*source)) {
      EXPECT_LT(std::max(sender, receiver), source->ranks());
      EXPECT_TRUE(pairs.emplace(std::pair(sender, receiver), bytes).second);
    }
  }
  return pairs;
}

TEST(GeneratedTraffic, IsTheSameInAnyNumberOfParts) {
  for (const std::string what : {"stencil3d:7x4x5", "geometric:900"}) {
    const Pairs whole = generated(what, 1);
    EXPECT_EQ(generated(what, 3), whole);
    EXPECT_EQ(generated(what, 50), whole);
    EXPECT_NE(generated(what, 1, 2), whole);
  }
}

TEST(GeneratedTraffic, AStencilIsATorusInDisorder) {
  const Pairs pairs = generated("stencil3d:4x5x6", 2);
  EXPECT_EQ(pairs.size(), 4U * 5 * 6 * 6);
  std::vector<int> partners(120);
  std::size_t neighbours = 0;
  for (const auto& [pair, bytes] : pairs) {
    EXPECT_TRUE(pairs.contains({pair.second, pair.first}));
    ++partners[pair.first];
    neighbours += pair.first + 1 == pair.second ? 1 : 0;
  }
  EXPECT_EQ(partners, std::vector<int>(120, 6));
  EXPECT_LT(neighbours, 30U);  // in order, it would be 90
}

TEST(GeneratedTraffic, PointsHaveADozenPartners) {
  const Pairs pairs = generated("geometric:5000", 2);
  const double partners = 2.0 * static_cast<double>(pairs.size()) / 5000;
  EXPECT_GT(partners, 11);
  EXPECT_LT(partners, 13);
  Bytes most = 0;
  for (const auto& [pair, bytes] : pairs) most = std::max(most, bytes);
  EXPECT_EQ(most, 50U);
}

TEST(GeneratedTraffic, RefusesWhatItCannotMake) {
  for (const std::string what :
       {"", "stencil3d:", "stencil3d:4x4", "stencil3d:4x4x4x4", "stencil3d:0x4x4",
        "stencil3d:4x4x4 ", "stencil3d:1x1x1", "stencil3d:9999x9999x9999",
        "geometric:", "geometric:1", "geometric:99999999", "cube:8"}) {
    EXPECT_THAT(error_of([&] {
                  generate_traffic_part(what, 1, {0, 1});
                }),
                HasSubstr("none that can be generated"))
        << what;
  }
}

}  // namespace
}  // namespace tofa
