// SPDX-License-Identifier: BSD-3-Clause
// What of srun's last words is a refusal, and when a process becomes itself again.
#include "attempt.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace tofa::spank::attempt_test {
namespace {

TEST(Attempt, ARefusalIsWhatSrunSaysOfTheAllocation) {
  EXPECT_EQ(
      refusal_in("srun: x\nsrun: error: Unable to allocate resources: Nodes are busy\nsrun: y"),
      "Nodes are busy");
  EXPECT_EQ(refusal_in("srun: Force Terminated job 7\nsrun: error: Unable to confirm it"), "");
}

TEST(Attempt, WhatIsNotSaidIsNoRefusal) {
  EXPECT_EQ(refusal_in(""), "");
  EXPECT_EQ(refusal_in("srun: Job allocation 7 has been revoked\n"), "");
  EXPECT_EQ(refusal_in("srun: error: Unable to allocate resources: "), "");
}

TEST(Attempt, AStepThatSrunWouldTryAgainIsRefused) {
  const std::string step = "srun: error: Unable to create step for job 7: ";
  for (const char* reason :
       {"Requested nodes are busy", "Required ports are in use", "PrologSlurmctld is still running",
        "Requested operation is presently disabled", "Switch resources currently not available",
        "Socket timed out on send/recv operation", "Resource temporarily unavailable"}) {
    EXPECT_EQ(refusal_in(step + reason + "\n"), reason);
  }
  EXPECT_EQ(refusal_in(step + "Job/step already completing or completed\n"), "");
  EXPECT_EQ(refusal_in(step + "no\n"), "");
  EXPECT_EQ(refusal_in(step), "");
}

// How a process ends that tries, writes `words` to standard error and leaves with 7, when `signal`,
// if any, has come shortly before. Started again it lists the tests, and leaves with 0.
int status_after(const std::string& words, int signal) {
  const pid_t process = ::fork();
  if (process == 0) {
    for (const int shown : {STDOUT_FILENO, STDERR_FILENO})
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), shown);
    remember_command({"tests", "--gtest_list_tests"});
    begin_attempt(1);
    sigset_t all{};
    ::sigfillset(&all);
    ::sigprocmask(SIG_BLOCK, &all, nullptr);
    if (signal != 0) ::raise(signal);
    if (::write(STDERR_FILENO, words.data(), words.size()) < 0) ::_exit(8);
    std::exit(7);
  }
  int status = -1;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Attempt, OnlyARefusalWithoutASignalIsFollowedByASecondAttempt) {
  const std::string refusal = "error: Unable to allocate resources: Nodes are busy\n";
  EXPECT_EQ(status_after(refusal, 0), 0);
  EXPECT_EQ(status_after(refusal, SIGCHLD), 0);
  EXPECT_EQ(status_after(refusal, SIGTERM), 7);
  EXPECT_EQ(status_after(refusal, SIGINT), 7);
  EXPECT_EQ(status_after("", 0), 7);
}

}  // namespace
}  // namespace tofa::spank::attempt_test
