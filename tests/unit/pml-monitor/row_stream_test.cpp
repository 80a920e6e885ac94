// SPDX-License-Identifier: BSD-3-Clause
// Counts on their way: what is written is read again, whatever is cut or joined, and bytes that are
// none are refused.
#include "row_stream.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tofa::row_stream_test {
namespace {

struct Received {
  std::map<uint32_t, std::vector<partner_row>> rows;
  std::map<uint32_t, stream_run> first;
};

bool receive(void* context, const stream_run* run, const partner_row* rows, size_t count) {
  auto* received = static_cast<Received*>(context);
  if (run->first) received->first[run->sender] = *run;
  auto& kept = received->rows[run->sender];
  kept.insert(kept.end(), rows, rows + count);
  return true;
}

std::vector<std::vector<uint8_t>> encode(const stream_source& source, size_t room) {
  std::vector<std::vector<uint8_t>> chunks;
  uint64_t next = 0;
  do {
    std::vector<uint8_t> chunk(room);
    const size_t size = row_stream_encode(chunk.data(), room, &source, !chunks.empty(), &next);
    EXPECT_GT(size, 0U);
    EXPECT_LE(size, room);
    if (size == 0) break;
    chunk.resize(size);
    chunks.push_back(chunk);
  } while (next < source.count);
  return chunks;
}

std::vector<partner_row> some_rows(uint32_t ranks, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<partner_row> rows;
  for (uint32_t rank = random() % 3; rank < ranks; rank += 1 + random() % 5) {
    partner_row row = {rank, {}, {}};
    for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
      row.messages[kind] = random() % 3 == 0 ? 0 : random() >> (random() % 64);
      if (row.messages[kind] > 0) row.bytes[kind] = random() >> (random() % 64);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(RowStream, ReadsWhatItWroteInChunksOfAnySize) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::vector<partner_row> rows = some_rows(1000, seed);
    const stream_source source = {999, {seed, 7, 5},      rows.data(), rows.size(), PARTNERS_OURS,
                                  0,   {9, 8, UINT64_MAX}};
    for (size_t room : {size_t{STREAM_RUN_MOST}, size_t{500}, size_t{4000}, size_t{60000}}) {
      Received received;
      for (const auto& chunk : encode(source, room)) {
        ASSERT_TRUE(row_stream_decode(chunk.data(), chunk.size(), 1000, receive, &received));
      }
      ASSERT_EQ(received.rows.size(), 1U);
      const std::vector<partner_row>& got = received.rows.at(999);
      ASSERT_EQ(got.size(), rows.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(got[i].rank, rows[i].rank);
        for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
          ASSERT_EQ(got[i].bytes[kind], rows[i].bytes[kind]);
          ASSERT_EQ(got[i].messages[kind], rows[i].messages[kind]);
        }
      }
      EXPECT_EQ(received.first.at(999).total_rows, rows.size());
      EXPECT_EQ(received.first.at(999).omitted.messages, seed);
      EXPECT_EQ(received.first.at(999).omitted.bytes, 7U);
      EXPECT_EQ(received.first.at(999).omitted.ways, 5U);
      EXPECT_EQ(received.first.at(999).time.run, 9U);
      EXPECT_EQ(received.first.at(999).time.mpi, 8U);
      EXPECT_EQ(received.first.at(999).time.calls, UINT64_MAX);
    }
  }
}

TEST(RowStream, ChunksMayBeJoined) {
  const std::vector<partner_row> rows = some_rows(300, 1);
  std::vector<uint8_t> joined;
  for (uint32_t sender = 0; sender < 5; ++sender) {
    const stream_source source = {sender,        {}, rows.data(), sender == 2 ? 0 : rows.size(),
                                  PARTNERS_OURS, 0,  {}};
    for (const auto& chunk : encode(source, 300)) {
      joined.insert(joined.end(), chunk.begin(), chunk.end());
    }
  }
  Received received;
  ASSERT_TRUE(row_stream_decode(joined.data(), joined.size(), 300, receive, &received));
  EXPECT_EQ(received.first.size(), 5U);
  EXPECT_EQ(received.rows.at(2).size(), 0U);
  EXPECT_EQ(received.rows.at(4).size(), rows.size());
}

// Ranks of another job have numbers beyond ours.
TEST(RowStream, TellsWhoseRanksRowsAreOf) {
  const std::vector<partner_row> ours = some_rows(8, 1), others = some_rows(5000, 2);
  const uint64_t job = partners_of_job(4000000000);
  const stream_source first = {3, {}, ours.data(), ours.size(), PARTNERS_OURS, others.size(), {}};
  const stream_source beside = {3, {}, others.data(), others.size(), job, 0, {}};
  std::vector<partner_row> found;
  struct Beside {
    uint64_t set;
    std::vector<partner_row>* rows;
  } expected = {job, &found};
  const auto keep = [](void* context, const stream_run* run, const partner_row* rows,
                       size_t count) {
    const auto* wanted = static_cast<Beside*>(context);
    if (run->set == wanted->set && !run->first) {
      wanted->rows->insert(wanted->rows->end(), rows, rows + count);
    } else if (run->set != PARTNERS_OURS) {
      return false;
    }
    return true;
  };
  std::vector<std::vector<uint8_t>> chunks = encode(first, 600);
  Received received;
  ASSERT_TRUE(row_stream_decode(chunks[0].data(), chunks[0].size(), 8, receive, &received));
  EXPECT_EQ(received.first.at(3).total_rows, ours.size() + others.size());
  for (const auto& chunk : encode(beside, 600)) chunks.push_back(chunk);
  for (const auto& chunk : chunks) {
    ASSERT_TRUE(row_stream_decode(chunk.data(), chunk.size(), 8, keep, &expected));
  }
  ASSERT_EQ(found.size(), others.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].rank, others[i].rank);
}

TEST(RowStream, SaysWhenThereIsNoRoom) {
  const std::vector<partner_row> rows = some_rows(10, 1);
  const stream_source source = {0, {}, rows.data(), rows.size(), PARTNERS_OURS, 0, {}};
  uint8_t bytes[STREAM_RUN_MOST];
  uint64_t next = 0;
  EXPECT_EQ(row_stream_encode(bytes, STREAM_RUN_MOST - 1, &source, false, &next), 0U);
  EXPECT_EQ(next, 0U);
}

TEST(RowStream, RefusesDamagedBytes) {
  const std::vector<partner_row> rows = some_rows(50, 3);
  const stream_source source = {7, {}, rows.data(), rows.size(), PARTNERS_OURS, 0, {}};
  const std::vector<uint8_t> chunk = encode(source, 4000).at(0);
  Received received;
  EXPECT_FALSE(row_stream_decode(chunk.data(), chunk.size(), 7, receive, &received));
  for (size_t size = 1; size < chunk.size(); ++size) {
    EXPECT_FALSE(row_stream_decode(chunk.data(), size, 50, receive, &received));
  }
  const std::vector<uint8_t> endless(30, 0xff);
  EXPECT_FALSE(row_stream_decode(endless.data(), endless.size(), 50, receive, &received));
}

TEST(RowStream, SurvivesAnyBytes) {
  std::mt19937 random(5);
  const std::vector<partner_row> rows = some_rows(50, 3);
  const stream_source source = {7, {}, rows.data(), rows.size(), PARTNERS_OURS, 0, {}};
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> chunk = encode(source, 600).at(0);
    for (unsigned n = random() % 4; n < 4; ++n) chunk[random() % chunk.size()] ^= random();
    Received received;
    (void)row_stream_decode(chunk.data(), random() % (chunk.size() + 1), 50, receive, &received);
    for (const auto& [sender, got] : received.rows) {
      ASSERT_LT(sender, 50U);
      for (const partner_row& row : got) ASSERT_LT(row.rank, 50U);
    }
  }
}

}  // namespace
}  // namespace tofa::row_stream_test
