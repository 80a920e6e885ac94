// SPDX-License-Identifier: BSD-3-Clause
// NAME.ranks.json: valid JSON whatever the command line was, and no mapping rather than half of
// one.
#include "ranks_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tofa::ranks_file_test {
namespace {

class RanksFile : public ::testing::Test {
 protected:
  RanksFile() {
    folder_ = (std::filesystem::temp_directory_path() / "tofa-test-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~RanksFile() override { std::filesystem::remove_all(folder_); }

  nlohmann::json written(run_facts facts) const {
    const std::string stem = folder_ + "/app";
    mtx_writer writer;
    EXPECT_EQ(ranks_write(&writer, stem.c_str(), &facts), 0);
    EXPECT_FALSE(std::filesystem::exists(stem + ".ranks.json"));
    EXPECT_EQ(mtx_publish(&writer), 0);
    mtx_discard(&writer);
    nlohmann::json found = nlohmann::json::parse(std::ifstream(stem + ".ranks.json"));
    std::filesystem::remove(stem + ".ranks.json");
    return found;
  }

  std::string folder_;
  std::vector<std::string> names_{"n0", "n1", "n1"};
  std::vector<char*> hosts_{names_[0].data(), names_[1].data(), names_[2].data()};
  run_facts facts_{.command = "./app \"a\\b\" \n\xff",
                   .date = "2026-01-02T03:04:05Z",
                   .open_mpi = "4.1.4",
                   .job = "77",
                   .name = "123456",
                   .seconds = 12.3456,
                   .ranks = 3,
                   .times = nullptr,
                   .hosts = hosts_.data()};
};

TEST_F(RanksFile, TellsWhereRanksWere) {
  const nlohmann::json found = written(facts_);
  EXPECT_EQ(found.at("ranks"), 3);
  EXPECT_EQ(found.at("mapping"), (std::vector<std::string>{"n0", "n1", "n1"}));
  EXPECT_EQ(found.at("command"), "./app \"a\\b\" \n?");
  EXPECT_EQ(found.at("job"), "77");
  EXPECT_EQ(found.at("namespace"), "123456");
  EXPECT_DOUBLE_EQ(found.at("seconds").get<double>(), 12.345);
}

TEST_F(RanksFile, LeavesOutWhatIsNotKnown) {
  facts_.job = facts_.name = nullptr;
  hosts_[1] = nullptr;
  nlohmann::json found = written(facts_);
  EXPECT_FALSE(found.contains("job"));
  EXPECT_FALSE(found.contains("namespace"));
  EXPECT_FALSE(found.contains("mapping"));
  facts_.hosts = nullptr;
  facts_.seconds = -1;
  found = written(facts_);
  EXPECT_FALSE(found.contains("mapping"));
  EXPECT_EQ(found.at("seconds"), 0.0);
}

TEST_F(RanksFile, TellsTimesOfRanks) {
  const rank_time times[] = {{12345678, 1000001, 7}, {1, 0, 0}, {0, 0, 0}};
  facts_.times = times;
  nlohmann::json found = written(facts_);
  EXPECT_EQ(found.at("run_seconds"), (std::vector<double>{12.345678, 0.000001, 0}));
  EXPECT_EQ(found.at("mpi_seconds"), (std::vector<double>{1.000001, 0, 0}));
  EXPECT_EQ(found.at("mpi_calls"), (std::vector<int>{7, 0, 0}));
  const rank_time no_calls[] = {{5, 0, 0}, {1, 0, 0}, {0, 0, 0}};
  facts_.times = no_calls;
  found = written(facts_);
  EXPECT_TRUE(found.contains("run_seconds"));
  EXPECT_FALSE(found.contains("mpi_seconds"));
  EXPECT_FALSE(found.contains("mpi_calls"));
  facts_.times = nullptr;
  EXPECT_FALSE(written(facts_).contains("run_seconds"));
}

TEST_F(RanksFile, SaysWhatIsWrong) {
  mtx_writer writer;
  EXPECT_EQ(ranks_write(&writer, (folder_ + "/gone/app").c_str(), &facts_), ENOENT);
  mtx_discard(&writer);
}

}  // namespace
}  // namespace tofa::ranks_file_test
