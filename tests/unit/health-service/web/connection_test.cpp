// SPDX-License-Identifier: BSD-3-Clause
// What a client of the web server sends and takes, at one end of a pair of sockets.
#include "web/connection.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <optional>
#include <string>

namespace tofa::health::connection_test {
namespace {

using namespace std::chrono_literals;
using State = Connection::State;

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    client.reset(ends[0]);
    connection.emplace(FileDescriptor(ends[1]), 1);
  }
  // As the loop does, until there is nothing to do.
  State state_after(const std::string& sent) {
    EXPECT_EQ(::send(client.get(), sent.data(), sent.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(sent.size()));
    pollfd event = connection->event();
    while (::poll(&event, 1, 0) > 0 && connection->state() != State::ended) {
      connection->go_on();
      event = connection->event();
    }
    return connection->state();
  }
  std::string taken() {
    std::string all(1 << 20, '\0');
    const ssize_t size = ::recv(client.get(), all.data(), all.size(), MSG_DONTWAIT);
    all.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return all;
  }
  bool is_late_after(std::chrono::seconds passed) const {
    return connection->is_late(Connection::Clock::now() + passed);
  }

  FileDescriptor client;
  std::optional<Connection> connection;
};

TEST_F(ConnectionTest, ARequestWaitsOnceItIsWhole) {
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (std::size_t i = 0; i + 1 < request.size(); ++i) {
    ASSERT_EQ(state_after(request.substr(i, 1)), State::asking) << i;
  }
  EXPECT_EQ(state_after("\n"), State::waiting);
  EXPECT_EQ(connection->request(), request);
  EXPECT_TRUE(connection->standing().waits);
  connection->answer("yes", false);
  EXPECT_EQ(taken(), "yes");
  EXPECT_EQ(connection->state(), State::asking);
}

TEST_F(ConnectionTest, WhatFollowsARequestIsTheNextOne) {
  EXPECT_EQ(state_after("GET /a\r\n\r\nGET /b\r\n\r\nGET"), State::waiting);
  EXPECT_EQ(connection->request(), "GET /a\r\n\r\n");
  connection->answer("1", false);
  EXPECT_EQ(connection->state(), State::waiting);
  EXPECT_EQ(connection->request(), "GET /b\r\n\r\n");
  connection->answer("2", false);
  EXPECT_EQ(connection->state(), State::asking);
  EXPECT_EQ(taken(), "12");
}

TEST_F(ConnectionTest, SendingBusilyEarnsNoTime) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(state_after("x"), State::asking);
  EXPECT_FALSE(is_late_after(2s));
  EXPECT_TRUE(is_late_after(5s));
}

TEST_F(ConnectionTest, TakingBusilyEarnsNoTime) {
  EXPECT_EQ(state_after("GET /\r\n\r\n"), State::waiting);
  connection->answer(std::string(8 << 20, 'x'), false);
  EXPECT_EQ(connection->state(), State::answering);
  EXPECT_FALSE(taken().empty());
  connection->go_on();
  EXPECT_GT(connection->unsent(), 0U);
  EXPECT_FALSE(is_late_after(29s));
  EXPECT_TRUE(is_late_after(30s));
  while (!taken().empty()) connection->go_on();
  EXPECT_EQ(connection->unsent(), 0U);
  EXPECT_EQ(connection->state(), State::asking);
}

// The system has all of the answer, and the client nothing.
TEST_F(ConnectionTest, WhatTheSystemHoldsIsStillToBeTaken) {
  for (const bool last : {false, true}) {
    EXPECT_EQ(state_after("GET /\r\n\r\n"), State::waiting);
    connection->answer("yes", last);
    EXPECT_EQ(connection->unsent(), 0U);
    EXPECT_EQ(connection->state(), last ? State::leaving : State::asking);
    EXPECT_FALSE(is_late_after(28s));
    EXPECT_TRUE(is_late_after(30s));
    EXPECT_EQ(taken(), "yes");
    EXPECT_TRUE(is_late_after(5s));
  }
}

TEST_F(ConnectionTest, AHeadWithoutEndIsRefused) {
  EXPECT_EQ(state_after(std::string(20'000, 'x')), State::leaving);
  EXPECT_TRUE(taken().starts_with("HTTP/1.1 431 "));
}

TEST_F(ConnectionTest, BehindTheLastAnswerNothingIsHeard) {
  EXPECT_EQ(state_after("POST /\r\n\r\nbody"), State::waiting);
  connection->answer("no", true);
  EXPECT_EQ(taken(), "no");
  EXPECT_EQ(state_after("GET /\r\n\r\n"), State::leaving);
  EXPECT_TRUE(is_late_after(2s));
  client.reset();
  connection->go_on();
  EXPECT_EQ(connection->state(), State::ended);
}

TEST_F(ConnectionTest, NobodyAsksForEver) {
  for (int i = 1; i <= 100; ++i) {
    EXPECT_EQ(state_after("GET /\r\n\r\n"), State::waiting);
    EXPECT_EQ(connection->is_last_request(), i == 100);
    connection->answer("yes", false);
  }
}

TEST_F(ConnectionTest, AClientThatHasGoneIsForgotten) {
  EXPECT_EQ(state_after("GET /\r\n\r\n"), State::waiting);
  client.reset();
  pollfd event = connection->event();
  EXPECT_EQ(::poll(&event, 1, 0), 1);
  connection->go_on();
  EXPECT_EQ(connection->state(), State::ended);
}

TEST_F(ConnectionTest, CutOffItHasEnded) {
  EXPECT_EQ(state_after("GET /\r\n\r\n"), State::waiting);
  connection->cut_off();
  EXPECT_EQ(connection->state(), State::ended);
}

}  // namespace
}  // namespace tofa::health::connection_test
