// SPDX-License-Identifier: BSD-3-Clause
// Phases: what is sent in one is in it, and in no other, however often it comes and whoever is
// first sent to when.
#include "phases.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

namespace {

using Counts = std::map<uint64_t, std::pair<uint64_t, uint64_t>>;  // rank -> bytes, messages

struct Free {
  void operator()(phases* all) const { phases_free(all); }
};
using Phases = std::unique_ptr<phases, Free>;

bool enter(const Phases& all, uint32_t phase, const Counts& now) {
  auto* rows = static_cast<partner_row*>(std::calloc(now.size() + 1, sizeof(partner_row)));
  size_t count = 0;
  for (const auto& [rank, sent] : now) {
    rows[count].rank = rank;
    rows[count].bytes[TRAFFIC_USER] = sent.first;
    rows[count++].messages[TRAFFIC_COLLECTIVE] = sent.second;
  }
  return phases_enter(all.get(), phase, rows, count);
}

Counts sent_in(const Phases& all, uint32_t phase) {
  const partner_row* rows = nullptr;
  const size_t count = phases_rows(all.get(), phase, &rows);
  Counts found;
  for (size_t i = 0; i < count; ++i) {
    found[rows[i].rank] = {rows[i].bytes[TRAFFIC_USER], rows[i].messages[TRAFFIC_COLLECTIVE]};
  }
  return found;
}

TEST(Phases, HoldWhatWasSentInThem) {
  const Phases all(phases_new());
  EXPECT_EQ(phases_current(all.get()), 0U);
  ASSERT_TRUE(enter(all, 1, {{5, {100, 1}}}));
  ASSERT_TRUE(enter(all, 2, {{5, {130, 3}}, {9, {7, 1}}}));
  EXPECT_EQ(phases_current(all.get()), 2U);
  ASSERT_TRUE(enter(all, 0, {{2, {1, 1}}, {5, {130, 3}}, {9, {7, 2}}}));
  ASSERT_TRUE(enter(all, 0, {{2, {50, 2}}, {5, {130, 3}}, {9, {7, 2}}}));
  EXPECT_EQ(sent_in(all, 1), (Counts{{5, {30, 2}}, {9, {7, 1}}}));
  EXPECT_EQ(sent_in(all, 2), (Counts{{2, {1, 1}}, {9, {0, 1}}}));
  EXPECT_TRUE(sent_in(all, 3).empty());
}

TEST(Phases, RefuseNumbersThatAreTooLarge) {
  const Phases all(phases_new());
  EXPECT_TRUE(enter(all, PHASES_MOST, {}));
  EXPECT_FALSE(enter(all, PHASES_MOST + 1, {}));
  EXPECT_EQ(phases_current(all.get()), static_cast<uint32_t>(PHASES_MOST));
}

TEST(Phases, AddUpHoweverTheyAlternate) {
  std::mt19937 random(7);
  const Phases all(phases_new());
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
    ASSERT_TRUE(enter(all, phase, now));
  }
  ASSERT_TRUE(enter(all, 0, now));
  for (uint32_t i = 1; i < wanted.size(); ++i) EXPECT_EQ(sent_in(all, i), wanted[i]);
}

}  // namespace
