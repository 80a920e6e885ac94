// SPDX-License-Identifier: BSD-3-Clause
// What was fetched joins the rows of its senders, in order, whether these have rows or not.
#include "fetched.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <random>
#include <vector>

namespace tofa::fetched_test {
namespace {

struct Visit {
  uint32_t sender;
  uint64_t receiver, bytes, messages;
  bool operator==(const Visit&) const = default;
};

int keep(void* context, uint32_t sender, const partner_row* row) {
  EXPECT_EQ(row->messages[TRAFFIC_FETCHED], 0U);
  static_cast<std::vector<Visit>*>(context)->push_back(
      {sender, row->rank, row->bytes[TRAFFIC_ONE_SIDED], row->messages[TRAFFIC_ONE_SIDED]});
  return 0;
}

partner_row row_of(uint64_t rank, uint64_t put, uint64_t fetched) {
  partner_row row = {rank, {}, {}};
  row.bytes[TRAFFIC_ONE_SIDED] = 10 * put;
  row.messages[TRAFFIC_ONE_SIDED] = put;
  row.bytes[TRAFFIC_FETCHED] = 10 * fetched;
  row.messages[TRAFFIC_FETCHED] = fetched;
  return row;
}

TEST(Fetched, JoinsRowsAndStandsBetweenThem) {
  fetched_list* list = fetched_new();
  const std::vector<partner_row> of_1 = {row_of(0, 2, 3), row_of(2, 1, 4), row_of(4, 1, 0)};
  const std::vector<partner_row> of_3 = {row_of(0, 0, 5), row_of(3, 0, 1)};
  ASSERT_TRUE(fetched_add(list, 1, 20, of_1.data(), of_1.size()));
  ASSERT_TRUE(fetched_add(list, 3, 20, of_3.data(), of_3.size()));
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<Visit> visits;
    fetched_start(list);
    EXPECT_EQ(fetched_walk(list, 1, of_1.data(), of_1.size(), keep, &visits), 0);
    EXPECT_EQ(fetched_walk(list, 3, of_3.data(), of_3.size(), keep, &visits), 0);
    EXPECT_EQ(fetched_finish(list, keep, &visits), 0);
    const std::vector<Visit> wanted = {{0, 1, 30, 3}, {0, 3, 50, 5}, {1, 0, 20, 2}, {1, 2, 10, 1},
                                       {1, 4, 10, 1}, {2, 1, 40, 4}, {3, 0, 0, 0},  {3, 3, 10, 1}};
    EXPECT_EQ(visits, wanted);
  }
  fetched_free(list);
}

// Of 10 ranks: in part 3 rank 1 got something from rank 4.
TEST(Fetched, PartsGoWithTheReceiver) {
  fetched_list* list = fetched_new();
  const partner_row row = row_of(34, 2, 5);
  ASSERT_TRUE(fetched_add(list, 1, 10, &row, 1));
  std::vector<Visit> visits;
  fetched_start(list);
  EXPECT_EQ(fetched_walk(list, 1, &row, 1, keep, &visits), 0);
  EXPECT_EQ(fetched_finish(list, keep, &visits), 0);
  EXPECT_EQ(visits, (std::vector<Visit>{{1, 34, 20, 2}, {4, 31, 50, 5}}));
  fetched_free(list);
}

TEST(Fetched, LosesNothingOfManyRows) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    fetched_list* list = fetched_new();
    std::map<std::pair<uint32_t, uint64_t>, uint64_t> wanted;
    std::vector<std::vector<partner_row>> rows(20);
    for (uint32_t rank = 0; rank < 20; ++rank) {
      for (uint64_t partner = random() % 3; partner < 20; partner += 1 + random() % 6) {
        const partner_row row = row_of(partner, random() % 3, random() % 3);
        rows[rank].push_back(row);
        wanted[{rank, partner}] += row.messages[TRAFFIC_ONE_SIDED];
        wanted[{static_cast<uint32_t>(partner), rank}] += row.messages[TRAFFIC_FETCHED];
      }
      ASSERT_TRUE(fetched_add(list, rank, 20, rows[rank].data(), rows[rank].size()));
    }
    std::vector<Visit> visits;
    fetched_start(list);
    for (uint32_t rank = 0; rank < 20; ++rank) {
      (void)fetched_walk(list, rank, rows[rank].data(), rows[rank].size(), keep, &visits);
    }
    (void)fetched_finish(list, keep, &visits);
    std::erase_if(visits, [](const Visit& visit) { return visit.messages == 0; });
    std::erase_if(wanted, [](const auto& pair) { return pair.second == 0; });
    ASSERT_EQ(visits.size(), wanted.size());
    size_t at = 0;
    for (const auto& [pair, messages] : wanted) {
      ASSERT_EQ(visits[at++], (Visit{pair.first, pair.second, 10 * messages, messages}));
    }
    fetched_free(list);
  }
}

TEST(Fetched, StopsAtAnError) {
  fetched_list* list = fetched_new();
  const partner_row row = row_of(0, 1, 1);
  ASSERT_TRUE(fetched_add(list, 2, 20, &row, 1));
  fetched_start(list);
  const auto refuse = [](void*, uint32_t, const partner_row*) { return ENOSPC; };
  EXPECT_EQ(fetched_walk(list, 2, &row, 1, refuse, nullptr), ENOSPC);
  fetched_start(list);
  EXPECT_EQ(fetched_finish(list, refuse, nullptr), ENOSPC);
  fetched_free(list);
}

}  // namespace
}  // namespace tofa::fetched_test
