// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 has got of the others' parts, for tests of what is written of it.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "collection.h"
#include "parts.h"

inline constexpr uint32_t kRanks = 200;

class CollectedParts : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "tofa-parts-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    collection_ = collection_new(PARTS_COUNT * kRanks, kRanks, folder_.c_str());
    ASSERT_NE(collection_, nullptr);
    metadata_.command = metadata_.date = metadata_.open_mpi = "";
    metadata_.ranks = kRanks;
  }
  void TearDown() override {
    collection_free(collection_);
    std::filesystem::remove_all(folder_);
  }

  // In a part, to a rank, so many bytes; in ascending order of both.
  struct Sent {
    uint32_t part, to;
    uint64_t bytes;
    traffic_kind kind = TRAFFIC_USER;
    uint64_t messages = 1;
  };
  void add(uint32_t sender, const std::vector<Sent>& all, uint64_t set = PARTNERS_OURS) {
    std::vector<partner_row> rows;
    for (const Sent& sent : all) {
      rows.push_back({parts_join(sent.part, sent.to, kRanks), {}, {}});
      rows.back().bytes[sent.kind] = sent.bytes;
      rows.back().messages[sent.kind] = sent.messages;
    }
    const stream_source source = {sender, {}, rows.data(), rows.size(), set, 0, {}};
    uint64_t next = 0;
    do {
      uint8_t chunk[4000];
      const size_t size = row_stream_encode(chunk, sizeof chunk, &source, next > 0, &next);
      ASSERT_EQ(collection_add(collection_, chunk, size), 0);
    } while (next < rows.size());
  }
  std::string file(const std::string& name) const {
    std::ifstream stream(folder_ + "/" + name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  std::string folder_;
  collection* collection_ = nullptr;
  mtx_metadata metadata_ = {};
};
