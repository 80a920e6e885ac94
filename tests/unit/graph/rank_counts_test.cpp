// SPDX-License-Identifier: BSD-3-Clause
// What dead ranks leave: read as it was counted, refused where it is damaged.
#include "tofa/rank_counts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "graph/counts_file.hpp"
#include "tofa/error.hpp"

namespace tofa::rank_counts_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using File = CountsFile;

std::string refusal(const std::string& bytes) {
  try {
    (void)parse_rank_counts(bytes, "traffic.counts/0");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RankCounts, ReadsWhatIsCounted) {
  const RankCounts counts = File(2, 4, true).add(3, 1, 2).free_records(5).add(0, 4, 0).parse();
  EXPECT_EQ(counts.rank, 2U);
  EXPECT_EQ(counts.ranks, 4U);
  EXPECT_TRUE(counts.complete);
  EXPECT_EQ(counts.command, "./app x");
  ASSERT_EQ(counts.partners.size(), 2U);
  EXPECT_EQ(counts.partners[0].partner, 0U);
  EXPECT_EQ(counts.partners[1].bytes[1], 20U);
}

TEST(RankCounts, NoRecordCrossesABlock) {
  File file(0, 100);
  for (Rank partner = 0; partner < 70; ++partner) file.add(partner, partner + 1, 0);
  const RankCounts counts = file.parse();
  ASSERT_EQ(counts.partners.size(), 70U);
  for (Rank partner = 0; partner < 70; ++partner) {
    EXPECT_EQ(counts.partners[partner].partner, partner);
    EXPECT_EQ(counts.partners[partner].messages[0], partner + 1U);
  }
}

TEST(RankCounts, LeavesOutPartnersWithoutMessages) {
  EXPECT_TRUE(File(0, 4).add(3, 0, 0).parse().partners.empty());
}

TEST(RankCounts, MakesGraphsOfEachClass) {
  const std::vector<RankCounts> counts = {File(0, 4, true).add(1, 1, 2).parse(),
                                          File(2, 4).add(0, 0, 5).parse()};
  const Traffic all = recover_traffic(counts, TrafficClass::all, false);
  EXPECT_THAT(all.entries, ElementsAre(TrafficEntry{0, 1, 30}, TrafficEntry{2, 0, 50}));
  EXPECT_EQ(
      all.metadata,
      "{\"version\":1,\"ranks\":4,\"quantity\":\"bytes\",\"phase\":\"all\",\"command\":\"./app "
      "x\",\"date\":\"2023-11-14T22:13:20Z\",\"open_mpi\":\"4.1.4\",\"untracked_messages\":6,"
      "\"untracked_bytes\":100,\"missing_ranks\":2,\"missing\":\"1,3\",\"partial\":\"2\",\"recovered\":true}");
  const Traffic user = recover_traffic(counts, TrafficClass::user, true);
  EXPECT_THAT(user.entries, ElementsAre(TrafficEntry{0, 1, 1}));
  EXPECT_TRUE(counts_messages(user));
}

// What rank 2 got from rank 0, rank 0 has sent.
TEST(RankCounts, WhatWasFetchedIsSentByThePartner) {
  File getter(2, 4);
  getter.add(0, 0, 0).put_and_got(3, 4).add(1, 5, 0).put_and_got(0, 0);
  const std::vector<RankCounts> counts = {
      File(0, 4).add(2, 1, 0).put_and_got(6, 0).put<std::uint32_t>(192, 5).parse(), getter.parse()};
  const Traffic one_sided = recover_traffic(counts, TrafficClass::one_sided, true);
  EXPECT_THAT(one_sided.entries, ElementsAre(TrafficEntry{0, 2, 10}, TrafficEntry{2, 0, 3}));
  EXPECT_THAT(one_sided.metadata, HasSubstr("\"phase\":\"one-sided\""));
  EXPECT_THAT(one_sided.metadata, HasSubstr("\"not_counted\":\"one-sided,coll/sm\""));
  const Traffic all = recover_traffic(counts, TrafficClass::all, false);
  EXPECT_THAT(all.entries,
              ElementsAre(TrafficEntry{0, 2, 110}, TrafficEntry{2, 0, 30}, TrafficEntry{2, 1, 50}));
  EXPECT_TRUE(recover_traffic(counts, TrafficClass::io, true).entries.empty());
}

TEST(RankCounts, RefusesWhatIsNoSuchFile) {
  EXPECT_THAT(refusal(""), HasSubstr("no counts of a rank"));
  EXPECT_THAT(refusal(std::string(2000, 'x')), HasSubstr("no counts of a rank"));
  EXPECT_THAT(refusal(File(0, 4).bytes().substr(0, 500)), HasSubstr("no counts of a rank"));
  EXPECT_THAT(refusal(File(0, 4).put<std::uint32_t>(8, 0x04030201).bytes()),
              HasSubstr("another byte order"));
  EXPECT_THAT(refusal(File(0, 4).put<std::uint32_t>(44, 9).bytes()), HasSubstr("version 9"));
  EXPECT_THAT(refusal(File(4, 4).bytes()), HasSubstr("rank 4 of 4"));
  EXPECT_THAT(refusal(File(0, kMaxRanks + 1).bytes()), HasSubstr("rank 0 of"));
  EXPECT_THAT(refusal(File(0, 4).add(4, 1, 1).bytes()), HasSubstr("rank 4 of 4"));
  EXPECT_THAT(refusal(File(0, 4).put<std::int64_t>(24, -1).bytes()), HasSubstr("date"));
}

TEST(RankCounts, KeepOtherJobsApart) {
  const RankCounts counts =
      File(0, 4).add(1, 1, 0).add(900, 2, 1).of_job(77).add(5, 1, 0).of_job(70).parse();
  EXPECT_EQ(counts.partners.size(), 1U);
  ASSERT_EQ(counts.other_jobs.size(), 2U);
  const std::vector<OtherJobTraffic> rows{{0, "70", 5, "user", 1, 10},
                                          {0, "77", 900, "user", 2, 20},
                                          {0, "77", 900, "collective", 1, 10}};
  const std::string text = recover_other_jobs({counts});
  EXPECT_EQ(parse_other_jobs(text, "x"), rows);
  EXPECT_THAT(text, HasSubstr("\"partial\":\"0\""));
  const Traffic traffic = recover_traffic({counts}, TrafficClass::all, true);
  EXPECT_EQ(traffic.entries.size(), 1U);
  EXPECT_THAT(traffic.metadata, HasSubstr("\"untracked_messages\":7,\"untracked_bytes\":90,"));
  EXPECT_EQ(recover_other_jobs({File(0, 4).add(1, 1, 0).parse()}), "");
}

TEST(RankCounts, KeepEstimatesApart) {
  File file = File(0, 4);
  file.add(1, 1, 0).add(3, 0, 5).put<std::uint64_t>(512 + 112 + 104, 1);
  const RankCounts counts = file.parse();
  EXPECT_EQ(recover_traffic({counts}, TrafficClass::all, true).entries,
            (std::vector<TrafficEntry>{{0, 1, 1}}));
  const Traffic estimated = recover_estimated({counts}, false);
  EXPECT_EQ(estimated.entries, (std::vector<TrafficEntry>{{0, 3, 50}}));
  EXPECT_THAT(estimated.metadata, HasSubstr("\"phase\":\"estimated\""));
  EXPECT_THAT(estimated.metadata, HasSubstr("\"estimated\":\"barrier: recursive doubling, "));
  EXPECT_TRUE(recover_estimated({File(0, 4).add(1, 1, 0).parse()}, true).entries.empty());
  EXPECT_THAT(refusal(File(0, 4).add(4, 1, 1).put<std::uint64_t>(512 + 104, 1).bytes()),
              HasSubstr("rank 4 of 4"));
}

TEST(RankCounts, WhatWasDeclaredIsAGraphOfItsOwn) {
  File file = File(0, 4);
  file.add(3, 5, 0).put<std::uint64_t>(512 + 104, 2);
  file.add(1, 1, 0);
  const RankCounts counts = file.parse();
  EXPECT_EQ(recover_traffic({counts}, TrafficClass::all, false).entries,
            (std::vector<TrafficEntry>{{0, 1, 10}}));
  const Traffic declared = recover_declared({counts});
  EXPECT_EQ(declared.entries, (std::vector<TrafficEntry>{{0, 3, 50}}));
  EXPECT_THAT(declared.metadata, HasSubstr("\"quantity\":\"weight\",\"phase\":\"declared\""));
  EXPECT_TRUE(recover_declared({File(0, 4).add(1, 1, 0).parse()}).entries.empty());
}

TEST(RankCounts, RefusesRanksOfAnUnknownKind) {
  File file = File(0, 4);
  file.add(1, 1, 1).put<std::uint64_t>(512 + 104, 99);
  EXPECT_THAT(refusal(file.bytes()), HasSubstr("unknown kind, 99"));
}

TEST(RankCounts, IgnoresARecordThatIsCutOff) {
  const std::string bytes = File(0, 4).add(1, 1, 1).add(2, 1, 1).bytes();
  EXPECT_EQ(
      parse_rank_counts(std::string_view(bytes).substr(0, bytes.size() - 1), "0").partners.size(),
      1U);
}

TEST(RankCounts, SumsThatDoNotFitAreRefused) {
  File file(0, 2);
  file.add(1, 1, 1).put<std::uint64_t>(512 + 8, ~std::uint64_t{0});
  EXPECT_THROW((void)recover_traffic({file.parse()}, TrafficClass::all, false), Error);
}

TEST(RankCounts, ReadsAFolder) {
  const std::string stem = testing::TempDir() + "tofa-rank-counts";
  const std::filesystem::path folder = stem + ".counts";
  std::filesystem::remove_all(folder);
  EXPECT_THROW((void)read_rank_counts(stem), Error);
  std::filesystem::create_directory(folder);
  EXPECT_THROW((void)read_rank_counts(stem), Error);
  const auto write = [&](const std::string& name, const File& file) {
    std::ofstream(folder / name, std::ios::binary) << file.bytes();
  };
  write("10", File(10, 12).add(1, 1, 0));
  write("2", File(2, 12).add(1, 1, 0));
  std::ofstream(folder / "notes") << "not ours";
  const std::vector<RankCounts> counts = read_rank_counts(stem);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].rank, 2U);
  write("3", File(2, 12));
  EXPECT_THROW((void)read_rank_counts(stem), Error);
  write("3", File(3, 13));
  EXPECT_THROW((void)read_rank_counts(stem), Error);
  remove_rank_counts(stem);
  EXPECT_TRUE(std::filesystem::exists(folder / "notes"));
  EXPECT_FALSE(std::filesystem::exists(folder / "3"));
  std::filesystem::remove_all(folder);
}

TEST(RankCounts, ListsRanks) {
  EXPECT_EQ(rank_list({}), "");
  EXPECT_EQ(rank_list({3}), "3");
  EXPECT_EQ(rank_list({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
}

}  // namespace
}  // namespace tofa::rank_counts_test
