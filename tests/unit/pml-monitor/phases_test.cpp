// SPDX-License-Identifier: BSD-3-Clause
// Phases: what is sent in one is in it, and in no other, however often it comes and whoever is
// first sent to when.
#include "phases.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>

namespace tofa::phases_test {
namespace {

using Counts = std::map<uint64_t, std::pair<uint64_t, uint64_t>>;  // rank -> bytes, messages

constexpr uint32_t kRanks = 100;

class Phases : public testing::Test {
 protected:
  void SetUp() override {
    parts_ = partner_table_new(nullptr);
    ASSERT_NE(parts_, nullptr);
    all_ = phases_new(parts_, kRanks);
    ASSERT_NE(all_, nullptr);
  }
  void TearDown() override {
    phases_free(all_);
    partner_table_free(parts_);
  }

  bool enter(uint32_t phase, const Counts& now) {
    auto* rows = static_cast<partner_row*>(std::calloc(now.size() + 1, sizeof(partner_row)));
    size_t count = 0;
    for (const auto& [rank, sent] : now) {
      rows[count].rank = rank;
      rows[count].bytes[TRAFFIC_USER] = sent.first;
      rows[count++].messages[TRAFFIC_COLLECTIVE] = sent.second;
    }
    return phases_enter(all_, phase, rows, count);
  }
  Counts sent_in(uint32_t phase) const {
    partner_row* rows = nullptr;
    const ptrdiff_t count = partner_table_rows(parts_, &rows);
    Counts found;
    for (ptrdiff_t i = 0; i < count; ++i) {
      if (rows[i].rank / kRanks != phase) continue;
      found[rows[i].rank % kRanks] = {rows[i].bytes[TRAFFIC_USER],
                                      rows[i].messages[TRAFFIC_COLLECTIVE]};
    }
    std::free(rows);
    return found;
  }

  partner_table* parts_ = nullptr;
  phases* all_ = nullptr;
};

TEST_F(Phases, HoldWhatWasSentInThem) {
  EXPECT_EQ(phases_current(all_), 0U);
  ASSERT_TRUE(enter(1, {{5, {100, 1}}}));
  ASSERT_TRUE(enter(2, {{5, {130, 3}}, {9, {7, 1}}}));
  EXPECT_EQ(phases_current(all_), 2U);
  ASSERT_TRUE(enter(0, {{2, {1, 1}}, {5, {130, 3}}, {9, {7, 2}}}));
  ASSERT_TRUE(enter(0, {{2, {50, 2}}, {5, {130, 3}}, {9, {7, 2}}}));
  EXPECT_EQ(sent_in(1), (Counts{{5, {30, 2}}, {9, {7, 1}}}));
  EXPECT_EQ(sent_in(2), (Counts{{2, {1, 1}}, {9, {0, 1}}}));
  EXPECT_TRUE(sent_in(3).empty());
  EXPECT_EQ(sent_in(0), (Counts{{5, {100, 1}}, {2, {49, 1}}}));
}

// What is sent then is in no phase, and not in the one before.
TEST_F(Phases, RefuseNumbersThatAreTooLarge) {
  EXPECT_TRUE(enter(PHASES_MOST, {}));
  EXPECT_FALSE(enter(PHASES_MOST + 1, {{5, {10, 1}}}));
  EXPECT_EQ(phases_current(all_), 0U);
  EXPECT_TRUE(enter(2, {{5, {30, 2}}}));
  EXPECT_EQ(sent_in(PHASES_MOST), (Counts{{5, {10, 1}}}));
  EXPECT_EQ(sent_in(0), (Counts{{5, {20, 1}}}));
}

TEST_F(Phases, AddUpHoweverTheyAlternate) {
  std::mt19937 random(7);
  Counts now;
  std::array<Counts, 5> wanted;
  uint32_t phase = 0;
  for (int step = 0; step < 2000; ++step) {
    for (int i = static_cast<int>(random() % 4); i > 0; --i) {
      const uint64_t rank = random() % 40, bytes = random() % 1000;
      for (Counts* counts : {&now, &wanted[phase]}) {
        (*counts)[rank].first += bytes;
        ++(*counts)[rank].second;
      }
    }
    phase = random() % wanted.size();
    ASSERT_TRUE(enter(phase, now));
  }
  ASSERT_TRUE(enter(0, now));
  for (uint32_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(sent_in(i), wanted[i]);
}

}  // namespace
}  // namespace tofa::phases_test
