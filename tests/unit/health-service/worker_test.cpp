// SPDX-License-Identifier: BSD-3-Clause
// The process behind the gate, with a stand-in for libpmix that says one word to each connection.
#include "gateway/worker.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

namespace tofa::health::worker_test {
namespace {

constexpr int kDeadlineMs = 30'000;

void greet(int line, const std::string& folder) {
  say_ready(line);
  while (const FileDescriptor connection = take_connection(line)) {
    (void)!::write(connection.get(), folder.data(), folder.size());
  }
}

Worker::State next_state(Worker& worker) {
  pollfd news{worker.line(), POLLIN, 0};
  EXPECT_EQ(::poll(&news, 1, kDeadlineMs), 1);
  return worker.look();
}

// All that is said on a connection that the worker gets.
std::string said_by(Worker& worker) {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const FileDescriptor ours(ends[0]);
  if (!worker.give(FileDescriptor(ends[1]))) return "not taken";
  std::string all;
  for (;;) {
    pollfd news{ours.get(), POLLIN, 0};
    if (::poll(&news, 1, kDeadlineMs) != 1) return "nothing";
    char bytes[256];
    const ssize_t size = ::read(ours.get(), bytes, sizeof bytes);
    if (size <= 0) return all;
    all.append(bytes, static_cast<std::size_t>(size));
  }
}

TEST(GatewayWorker, TakesConnectionsInAFolderOfItsOwn) {
  std::string folder;
  {
    Worker worker(greet);
    EXPECT_EQ(next_state(worker), Worker::State::ready);
    folder = said_by(worker);
    EXPECT_TRUE(std::filesystem::is_directory(folder)) << folder;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(said_by(worker), folder);
    EXPECT_EQ(worker.look(), Worker::State::ready);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(GatewayWorker, ItsEndIsSeenAndExplained) {
  Worker killed([](int line, const std::string&) {
    say_ready(line);
    (void)take_connection(line);
    ::raise(SIGKILL);
  });
  EXPECT_EQ(next_state(killed), Worker::State::ready);
  EXPECT_EQ(said_by(killed), "");
  EXPECT_EQ(next_state(killed), Worker::State::ended);
  EXPECT_EQ(killed.ending(), "was ended by signal 9 (Killed)");
  EXPECT_EQ(said_by(killed), "not taken");
}

TEST(GatewayWorker, OneThatDoesNotStartHasAStatus) {
  Worker broken([](int, const std::string&) { throw std::runtime_error("libpmix is not there"); });
  EXPECT_EQ(next_state(broken), Worker::State::ended);
  EXPECT_EQ(broken.ending(), "has ended with status 1");
}

// It must hold nothing of what the gate holds: a client would not see that the gate hangs up.
TEST(GatewayWorker, HoldsNoDescriptorOfOthers) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const FileDescriptor client(ends[0]);
  FileDescriptor held(ends[1]);
  Worker worker(greet);
  EXPECT_EQ(next_state(worker), Worker::State::ready);
  held.reset();
  pollfd news{client.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&news, 1, kDeadlineMs), 1);
}

TEST(GatewayWorker, OneThatIgnoresTheEndIsKilled) {
  Worker stubborn([](int line, const std::string&) {
    say_ready(line);
    for (;;) ::pause();
  });
  EXPECT_EQ(next_state(stubborn), Worker::State::ready);
}

TEST(GatewayWorker, OneThatTakesNothingSaysSoAndCanBeKilled) {
  Worker hung([](int line, const std::string&) {
    say_ready(line);
    for (;;) ::pause();
  });
  EXPECT_EQ(next_state(hung), Worker::State::ready);
  EXPECT_TRUE(hung.takes_more());
  for (int i = 0; i < 10'000 && hung.takes_more(); ++i) {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const FileDescriptor client(ends[0]);
    EXPECT_TRUE(hung.give(FileDescriptor(ends[1])));
  }
  EXPECT_FALSE(hung.takes_more());
  hung.kill();
  EXPECT_EQ(next_state(hung), Worker::State::ended);
  EXPECT_EQ(hung.ending(), "was ended by signal 9 (Killed)");
}

}  // namespace
}  // namespace tofa::health::worker_test
