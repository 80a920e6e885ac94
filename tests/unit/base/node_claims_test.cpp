// SPDX-License-Identifier: BSD-3-Clause
// Launchers of one job see what others have taken, for as long as those run, and nothing else.
#include "tofa/node_claims.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

class NodeClaimsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "tofa-claims-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::setenv("XDG_RUNTIME_DIR", name.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_RUNTIME_DIR");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

// Another launcher: has done `work` when this is made, and runs until it is let go. What it expects
// in vain fails the test.
class Launcher {
 public:
  explicit Launcher(const std::function<void()>& work) {
    std::array<int, 2> ready{};
    std::array<int, 2> go{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    EXPECT_EQ(::pipe(go.data()), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(go[1]);
      work();
      char byte = 'r';
      if (::write(ready[1], &byte, 1) == 1) static_cast<void>(::read(go[0], &byte, 1));
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    ::close(go[0]);
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    go_ = go[1];
  }
  ~Launcher() {
    ::close(go_);
    int status = -1;
    ::waitpid(process_, &status, 0);
    EXPECT_EQ(status, 0);
  }
  long process() const { return process_; }

 private:
  pid_t process_ = -1;
  int go_ = -1;
};

TEST_F(NodeClaimsTest, OthersOfTheJobAreSeenWhileTheyRun) {
  const NodeCounts taken = {{"n0", 2}, {"n1", kWholeNode}};
  {
    const Launcher other([&] { NodeClaims("7").take(taken); });
    const NodeClaims claims("7");
    ASSERT_THAT(claims.others(), SizeIs(1));
    EXPECT_EQ(claims.others()[0], (NodeClaim{other.process(), taken}));
    EXPECT_THAT(NodeClaims("8").others(), IsEmpty());
  }
  EXPECT_THAT(NodeClaims("7").others(), IsEmpty());
}

TEST_F(NodeClaimsTest, WhoCameFirstIsTakenIntoAccount) {
  NodeClaims claims("7");
  const Launcher other([] { NodeClaims("7").take({{"n0", 1}}); });
  EXPECT_FALSE(claims.take({{"n0", 1}}));
  EXPECT_THAT(claims.others(), SizeIs(1));
  EXPECT_TRUE(claims.take({{"n1", 1}}));
  EXPECT_TRUE(claims.take({{"n2", 1}}));
  const Launcher third([] {
    const NodeClaims all("7");
    ASSERT_THAT(all.others(), SizeIs(3));
    EXPECT_EQ(all.others()[1].nodes, (NodeCounts{{"n1", 1}}));
    EXPECT_EQ(all.others()[2].nodes, (NodeCounts{{"n2", 1}}));
  });
}

TEST_F(NodeClaimsTest, ALaterProcessWithTheSameNumberIsAnother) {
  NodeClaims("7").take({{"n0", 1}});
  const fs::path file = folder_ / "tofa-claims";
  const std::string line = read_file(file);
  ASSERT_EQ(line.substr(0, 2), "7 ");
  std::ofstream(file) << "7 1 1 n0=1\n"
                      << "7 x 1 n0=1\n7\n\n7 1 " << std::string(1000, '9') << " n0\n"
                      << line;
  const Launcher other([] {
    const NodeClaims claims("7");
    EXPECT_THAT(claims.others(), SizeIs(1));
  });
  EXPECT_THAT(NodeClaims("7").others(), IsEmpty());
}

TEST_F(NodeClaimsTest, AFileThatCannotBeWrittenKeepsNobodyFromStarting) {
  NodeClaims claims("7");
  const std::string path = folder_ / "tofa-claims";
  const int held = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  EXPECT_TRUE(claims.take({{"n0", 1}}));
  EXPECT_THROW(NodeClaims("7"), Error);
  ::close(held);
  EXPECT_TRUE(claims.take({{"n0", 1}}));
}

TEST_F(NodeClaimsTest, WhatOthersHaveOutlivesAFullDisk) {
  const Launcher other([] { NodeClaims("7").take({{"n0", 1}}); });
  const Launcher unlucky([] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit one_byte{1, 1};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &one_byte), 0);
    EXPECT_TRUE(NodeClaims("7").take({{"n1", 1}}));
  });
  const NodeClaims claims("7");
  ASSERT_THAT(claims.others(), SizeIs(1));
  EXPECT_EQ(claims.others()[0].process, other.process());
  EXPECT_FALSE(fs::exists(folder_ / "tofa-claims.new"));
}

TEST_F(NodeClaimsTest, WhoHasWaitedReadsTheFileThatIsThereNow) {
  const Launcher other([] { NodeClaims("7").take({{"n0", 1}}); });
  NodeClaims claims("7");
  const std::string path = folder_ / "tofa-claims";
  const int held = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  bool taken = false;
  std::thread waiting([&] { taken = claims.take({{"n1", 1}}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  fs::copy_file(path, path + ".other");
  fs::rename(path + ".other", path);
  EXPECT_EQ(::ftruncate(held, 0), 0);
  ::close(held);
  waiting.join();
  EXPECT_TRUE(taken);
  const Launcher third([] { EXPECT_THAT(NodeClaims("7").others(), SizeIs(2)); });
}

TEST(NodeClaims, AreAddedUp) {
  EXPECT_EQ(sum_of({{17, {{"n0", 2}, {"n1", kWholeNode}}}, {18, {{"n0", 1}, {"n1", 1}}}}),
            (NodeCounts{{"n0", 3}, {"n1", kWholeNode}}));
}

TEST_F(NodeClaimsTest, FoldersAndLinksOfOthersAreNotUsed) {
  fs::create_symlink("/etc/hosts", folder_ / "tofa-claims");
  EXPECT_THROW(NodeClaims("7"), Error);
  fs::remove(folder_ / "tofa-claims");
  ::chmod(folder_.c_str(), 0755);
  NodeClaims claims("7");  // elsewhere
  EXPECT_TRUE(claims.take({}));
  EXPECT_FALSE(fs::exists(folder_ / "tofa-claims"));
}

}  // namespace
}  // namespace tofa
