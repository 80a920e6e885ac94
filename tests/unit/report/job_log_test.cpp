// SPDX-License-Identifier: BSD-3-Clause
// Lines of the site's log, in a file and in a socket like that of syslog, and that nothing waits.
#include "tofa/job_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tofa/file_descriptor.hpp"
#include "tofa/site_log.hpp"

namespace tofa {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

class JobLog : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "tofa-log-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string contents(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(JobLog, AnEntryIsALineThatAddsUp) {
  const LogEntry placed{
      "ranks=8 nodes=4 avoided=1 hops_default=2 hops_chosen=0 abort_default=0.5 "
      "abort_chosen=0 seconds=0.01",
      "", 2};
  const std::string line = format_entry(placed, "17.0");
  EXPECT_THAT(line, MatchesRegex("time=20..-..-..T..:..:..Z user=[^ ]+ job=17.0 outcome=placed "
                                 "warnings=2 ranks=8 .*"));
  SiteSummary sum;
  add_log_line(sum, line);
  add_log_line(sum, format_entry({"", "too \"few\" nodes", 0}, ""));
  EXPECT_EQ(sum.placed, 1U);
  EXPECT_EQ(sum.warned, 1U);
  EXPECT_EQ(sum.reasons.count("too \"few\" nodes"), 1U);
}

TEST_F(JobLog, LinesAreAppendedToAFileThatIsThere) {
  std::ofstream(path("log")) << "before\n";
  EXPECT_EQ(append_to_log(path("log"), "one"), "");
  EXPECT_EQ(append_to_log(path("log"), "two"), "");
  EXPECT_EQ(contents("log"), "before\none\ntwo\n");
}

TEST_F(JobLog, WhatCannotBeWrittenIsSaidAndDoesNotWait) {
  EXPECT_THAT(append_to_log(path("none"), "one"), HasSubstr("No such file"));
  EXPECT_FALSE(fs::exists(path("none"))) << "it would belong to the first user";
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(append_to_log(path("pipe"), "one"), "");
  EXPECT_NE(append_to_log("/dev/null", "one"), "");
  EXPECT_THAT(append_to_log("syslog", "one", path("none").c_str()), HasSubstr("No such file"));
  EXPECT_NE(append_to_log("syslog", "one", std::string(500, 'x').c_str()), "");
}

TEST_F(JobLog, SyslogGetsATaggedLineAndIsNotWaitedFor) {
  const FileDescriptor daemon(::socket(AF_UNIX, SOCK_DGRAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path("socket").c_str());
  ASSERT_EQ(::bind(daemon.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(append_to_log("syslog", "user=ann", path("socket").c_str()), "");
  std::array<char, 512> text{};
  ASSERT_GT(::recv(daemon.get(), text.data(), text.size() - 1, MSG_DONTWAIT), 0);
  EXPECT_THAT(text.data(), MatchesRegex("<14>... .. ..:..:.. tofa\\[[0-9]+\\]: user=ann"));
  // A daemon that does not read: soon its queue is full, and the line is left out.
  std::string problem;
  for (int i = 0; i < 100000 && problem.empty(); ++i)
    problem = append_to_log("syslog", "user=ann", path("socket").c_str());
  EXPECT_NE(problem, "");
}

}  // namespace
}  // namespace tofa
