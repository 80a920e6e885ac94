// SPDX-License-Identifier: BSD-3-Clause
// The partner table without Open MPI: nothing gets lost, whatever the ranks and the number of
// threads.
#include "partner_table.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace tofa::partner_table_test {
namespace {

using Table = std::unique_ptr<partner_table, decltype(&partner_table_free)>;

Table make_table() {
  return Table(partner_table_new(nullptr), partner_table_free);
}

void count(const Table& table, uint32_t rank, traffic_kind kind, uint64_t bytes) {
  partner* found = partner_table_find(table.get(), rank);
  ASSERT_NE(found, nullptr);
  partner_count(found, kind, bytes);
}

std::vector<partner_row> rows(const Table& table) {
  partner_row* out = nullptr;
  ptrdiff_t found = partner_table_rows(table.get(), &out);
  EXPECT_GE(found, 0);
  std::vector<partner_row> copy(out, out + found);
  std::free(out);
  return copy;
}

TEST(PartnerTable, IsEmptyAtFirst) {
  EXPECT_TRUE(rows(make_table()).empty());
}

TEST(PartnerTable, CountsPerPartnerAndKind) {
  Table table = make_table();
  count(table, 7, TRAFFIC_USER, 100);
  count(table, 3, TRAFFIC_COLLECTIVE, 5);
  count(table, 7, TRAFFIC_USER, 11);
  count(table, 7, TRAFFIC_COLLECTIVE, 0);
  std::vector<partner_row> found = rows(table);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].rank, 3U);
  EXPECT_EQ(found[0].messages[TRAFFIC_USER], 0U);
  EXPECT_EQ(found[0].bytes[TRAFFIC_COLLECTIVE], 5U);
  EXPECT_EQ(found[1].rank, 7U);
  EXPECT_EQ(found[1].bytes[TRAFFIC_USER], 111U);
  EXPECT_EQ(found[1].messages[TRAFFIC_USER], 2U);
  EXPECT_EQ(found[1].messages[TRAFFIC_COLLECTIVE], 1U);
}

TEST(PartnerTable, HoldsCountsBeyond32Bits) {
  Table table = make_table();
  count(table, 0, TRAFFIC_USER, UINT64_C(1) << 40);
  count(table, 0, TRAFFIC_USER, UINT64_C(1) << 40);
  EXPECT_EQ(rows(table).at(0).bytes[TRAFFIC_USER], UINT64_C(1) << 41);
}

TEST(PartnerTable, LeavesOutPartnersWithoutMessages) {
  Table table = make_table();
  EXPECT_NE(partner_table_find(table.get(), 4), nullptr);
  EXPECT_TRUE(rows(table).empty());
}

TEST(PartnerTable, KeepsPartnersWhereTheyAreWhileItGrows) {
  Table table = make_table();
  std::vector<partner*> first;
  const std::vector<uint32_t> strides = {1, 64, 1024, 4097, 1U << 20};
  for (uint32_t stride : strides) {
    for (uint32_t i = 0; i < 1000; ++i)
      first.push_back(partner_table_find(table.get(), i * stride));
  }
  size_t at = 0;
  for (uint32_t stride : strides) {
    for (uint32_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(partner_table_find(table.get(), i * stride), first[at++]);
    }
  }
}

TEST(PartnerTable, SortsRows) {
  Table table = make_table();
  for (uint32_t i = 0; i < 5000; ++i) count(table, (i * 7919U) % 5003U, TRAFFIC_USER, 1);
  std::vector<partner_row> found = rows(table);
  ASSERT_EQ(found.size(), 5000U);
  for (size_t i = 1; i < found.size(); ++i) ASSERT_LT(found[i - 1].rank, found[i].rank);
}

// The same ranks in two other jobs, and here: each has counts of its own.
TEST(PartnerTable, TellsJobsApart) {
  Table table = make_table();
  const uint64_t jobs[] = {PARTNERS_OURS, partners_of_job(9), partners_of_job(0)};
  for (uint32_t rank = 0; rank < 500; ++rank) {
    for (uint64_t job : jobs) {
      partner* found = partner_table_find_in(table.get(), job, rank);
      ASSERT_NE(found, nullptr);
      partner_count(found, TRAFFIC_USER, rank + job);
    }
  }
  EXPECT_EQ(rows(table).size(), 500U);
  partner_row* beside = nullptr;
  uint64_t* sets = nullptr;
  ASSERT_EQ(partner_table_rows_beside(table.get(), &beside, &sets), 1000);
  for (uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(sets[i], partners_of_job(i < 500 ? 0 : 9));
    EXPECT_EQ(beside[i].rank, i % 500);
    EXPECT_EQ(beside[i].bytes[TRAFFIC_USER], i % 500 + sets[i]);
    EXPECT_EQ(beside[i].messages[TRAFFIC_USER], 1U);
  }
  free(beside);
  free(sets);
}

TEST(PartnerTable, LosesNothingBetweenThreads) {
  constexpr uint32_t kThreads = 8, kPartners = 3000, kRounds = 3;
  Table table = make_table();
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&table, thread] {
      for (uint32_t i = 0; i < kPartners * kRounds; ++i) {
        uint32_t rank = (i * 31 + thread * 577) % kPartners;
        partner_count(partner_table_find(table.get(), rank), TRAFFIC_USER, rank);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<partner_row> found = rows(table);
  ASSERT_EQ(found.size(), kPartners);
  for (uint32_t rank = 0; rank < kPartners; ++rank) {
    ASSERT_EQ(found[rank].rank, rank);
    ASSERT_EQ(found[rank].messages[TRAFFIC_USER], kThreads * kRounds);
    ASSERT_EQ(found[rank].bytes[TRAFFIC_USER], uint64_t{kThreads} * kRounds * rank);
  }
}

}  // namespace
}  // namespace tofa::partner_table_test
