// SPDX-License-Identifier: BSD-3-Clause
// The parts of dead ranks: each phase as it was counted, the one that was on is what no phase has,
// and damage is refused.
#include "tofa/rank_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "graph/counts_file.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Rank kRanks = 4;

// A partner's number in a part.
Rank in(std::uint32_t part, Rank partner) {
  return part * kRanks + partner;
}

RankParts parts_of(CountsFile file, std::uint32_t phase) {
  return parse_rank_parts(file.of_parts(phase).bytes(), "0.parts");
}

std::vector<TrafficEntry> messages_in(const std::vector<RankCounts>& counts,
                                      const std::vector<RankParts>& parts, std::uint32_t phase,
                                      TrafficClass traffic_class = TrafficClass::all) {
  return recover_traffic(phase_counts(counts, parts, phase), traffic_class, true).entries;
}

TEST(RankParts, PhasesAreWhatWasCountedAndTheLastOneTheRest) {
  const std::vector<RankCounts> counts = {CountsFile(0, kRanks).add(1, 10, 5).add(3, 2, 0).parse(),
                                          CountsFile(2, kRanks, true).add(1, 7, 0).parse()};
  CountsFile of_0(0, kRanks), of_2(2, kRanks);
  of_0.add(in(0, 1), 1, 0).add(in(1, 1), 3, 1).add(in(2, 1), 2, 0).add(in(2, 3), 2, 0);
  of_2.add(in(0, 1), 7, 0);
  const std::vector<RankParts> parts =
      complete_parts(counts, {parts_of(of_0, 2), parts_of(of_2, 0)});
  EXPECT_THAT(phases_of(parts), ElementsAre(1, 2));
  EXPECT_THAT(messages_in(counts, parts, 1), ElementsAre(TrafficEntry{0, 1, 4}));
  EXPECT_THAT(messages_in(counts, parts, 2),
              ElementsAre(TrafficEntry{0, 1, 10}, TrafficEntry{0, 3, 2}));
  EXPECT_THAT(messages_in(counts, parts, 2, TrafficClass::user),
              ElementsAre(TrafficEntry{0, 1, 6}, TrafficEntry{0, 3, 2}));
  const Traffic traffic =
      recover_traffic(phase_counts(counts, parts, 2), TrafficClass::collective, false);
  EXPECT_THAT(traffic.entries, ElementsAre(TrafficEntry{0, 1, 40}));
  EXPECT_THAT(traffic.metadata, HasSubstr("\"phase\":\"phase2.collective\""));
  EXPECT_THAT(traffic.metadata, HasSubstr("\"missing\":\"1,3\",\"partial\":\"0\""));
  EXPECT_TRUE(recover_sizes(counts, parts).counts.empty());
}

// In the middle of a change of phase, some of the counters of a sum may lag behind others.
TEST(RankParts, NothingIsCountedTwiceOrLostInAChangeOfPhase) {
  const std::vector<RankCounts> counts = {CountsFile(0, kRanks).add(1, 10, 5).parse()};
  CountsFile half(0, kRanks);
  half.add(in(1, 1), 4, 0).put<std::uint64_t>(512 + 8, 100);  // bytes of all, messages of some
  const std::vector<RankParts> parts = complete_parts(counts, {parts_of(half, 1)});
  EXPECT_THAT(messages_in(counts, parts, 1), ElementsAre(TrafficEntry{0, 1, 15}));
  const auto bytes = recover_traffic(phase_counts(counts, parts, 1), TrafficClass::all, false);
  EXPECT_THAT(bytes.entries, ElementsAre(TrafficEntry{0, 1, 150}));
}

TEST(RankParts, HoldWhatWasFetched) {
  CountsFile own(0, kRanks), divided(0, kRanks);
  own.add(1, 0, 0).put_and_got(0, 5);
  divided.add(in(3, 1), 0, 0).put_and_got(0, 2);
  const std::vector<RankCounts> counts = {own.parse()};
  const std::vector<RankParts> parts = complete_parts(counts, {parts_of(divided, 4)});
  EXPECT_THAT(messages_in(counts, parts, 3), ElementsAre(TrafficEntry{1, 0, 2}));
  EXPECT_THAT(messages_in(counts, parts, 4, TrafficClass::one_sided),
              ElementsAre(TrafficEntry{1, 0, 3}));
}

TEST(RankParts, SizesAreTheBinsBehindThePhases) {
  const std::vector<RankCounts> counts = {CountsFile(0, kRanks).add(1, 9, 0).parse()};
  CountsFile file(0, kRanks);
  file.add(in(100, 1), 1, 2).add(in(107, 3), 4, 0).add(in(164, 2), 0, 0).put_and_got(1, 3);
  const MessageSizes sizes = recover_sizes(counts, complete_parts(counts, {parts_of(file, 0)}));
  EXPECT_THAT(sizes.counts,
              ElementsAre(SizeCount{0, 1, 0, 3}, SizeCount{0, 2, Bytes{1} << 63, 1},
                          SizeCount{0, 3, 64, 4}, SizeCount{2, 0, Bytes{1} << 63, 3}));
  EXPECT_THAT(sizes.metadata, HasSubstr("\"quantity\":\"sizes\",\"phase\":\"all\""));
}

TEST(RankParts, DamagedSumsLeaveNothingForThePhaseThatWasOn) {
  const std::vector<RankCounts> counts = {CountsFile(0, kRanks).add(1, 1, 0).parse()};
  CountsFile file(0, kRanks);
  file.add(in(1, 1), 5, 0).add(in(1, 2), 5, 0);
  const std::vector<RankParts> parts = complete_parts(counts, {parts_of(file, 2)});
  EXPECT_THAT(phases_of(parts), ElementsAre(1));
  EXPECT_THAT(messages_in(counts, parts, 2), IsEmpty());
}

TEST(RankParts, WhereTheDiskWasFullNothingIsGuessed) {
  const std::vector<RankCounts> counts = {CountsFile(0, kRanks).add(1, 9, 0).parse()};
  CountsFile file(0, kRanks);
  file.add(in(1, 1), 5, 0).put<std::uint32_t>(20, 2);
  const std::vector<RankParts> parts = complete_parts(counts, {parts_of(file, 2)});
  EXPECT_THAT(phases_of(parts), ElementsAre(1));
  EXPECT_THAT(messages_in(counts, parts, 1), ElementsAre(TrafficEntry{0, 1, 5}));
}

TEST(RankParts, BelongToTheCountsOfTheirRank) {
  const std::vector<RankCounts> counts = {CountsFile(1, kRanks).add(2, 1, 0).parse(),
                                          CountsFile(3, kRanks).add(2, 1, 0).parse()};
  CountsFile of_0(0, kRanks), of_3(3, kRanks);
  const std::vector<RankParts> parts =
      complete_parts(counts, {parts_of(of_0, 1), parts_of(of_3, 5)});
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_THAT(messages_in(counts, parts, 5), ElementsAre(TrafficEntry{3, 2, 1}));
  EXPECT_THROW((void)complete_parts(counts, {parts_of(CountsFile(3, 5), 1)}), Error);
}

TEST(RankParts, RefusesWhatIsNoSuchFile) {
  const auto refuses = [](const std::string& bytes, const std::string& why) {
    try {
      (void)parse_rank_parts(bytes, "0.parts");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      return;
    }
    ADD_FAILURE() << "not refused: " << why;
  };
  refuses("", "no counts of a rank");
  refuses(CountsFile(0, kRanks).bytes(), "no counts of a rank");
  refuses(CountsFile(0, kRanks).of_parts(100).bytes(), "phase 100");
  refuses(CountsFile(0, kRanks).add(in(165, 0), 1, 0).of_parts(0).bytes(), "counts messages to");
  EXPECT_THROW((void)parse_rank_counts(CountsFile(0, kRanks).of_parts(1).bytes(), "0"), Error);
}

TEST(RankParts, AreReadBesideTheCountsAndGoWithThem) {
  const std::string stem = testing::TempDir() + "tofa-rank-parts";
  const std::filesystem::path folder = stem + ".counts";
  std::filesystem::remove_all(folder);
  EXPECT_THROW((void)read_rank_parts(stem), Error);
  std::filesystem::create_directory(folder);
  const auto write = [&](const std::string& name, const CountsFile& file) {
    std::ofstream(folder / name, std::ios::binary) << file.bytes();
  };
  write("2", CountsFile(2, kRanks).add(1, 1, 0));
  EXPECT_THAT(read_rank_parts(stem), IsEmpty());
  write("3.parts", CountsFile(3, kRanks).of_parts(1));
  write("2.parts", CountsFile(2, kRanks).of_parts(7));
  for (const char* other : {"x.parts", ".parts", "2.parts.old"}) {
    std::ofstream(folder / other) << "not ours";
  }
  const std::vector<RankParts> parts = read_rank_parts(stem);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].phase, 7U);
  EXPECT_EQ(read_rank_counts(stem).size(), 1U);
  write("02.parts", CountsFile(2, kRanks).of_parts(7));
  EXPECT_THROW((void)read_rank_parts(stem), Error);
  remove_rank_counts(stem);
  EXPECT_FALSE(std::filesystem::exists(folder / "2.parts"));
  EXPECT_TRUE(std::filesystem::exists(folder / "x.parts"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tofa
