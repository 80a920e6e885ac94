// SPDX-License-Identifier: BSD-3-Clause
// The loop over the port of the web server, pass by pass, with clients of two addresses.
#include "web/http_loop.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/listener.hpp"

namespace tofa::health::http_loop_test {
namespace {

constexpr std::chrono::seconds kDeadline{60};
constexpr std::size_t kLargeAnswer = 40UL << 20;  // two of them are more than may be left to send

class HttpLoopTest : public testing::Test {
 protected:
  HttpLoopTest()
      : listener(listen_on(numeric_address({"127.0.0.1", 0}))),
        where(address_of(listener)),
        loop(std::move(listener), [this](const std::string& request, bool) {
          served.push_back(request.substr(0, request.find('\r')));
          return HttpLoop::Answer{
              request.starts_with("large") ? std::string(kLargeAnswer, 'x') : request, false};
        }) {}

  static SocketAddress address_of(const FileDescriptor& socket) {
    SocketAddress address;
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(socket.get(), &address.any, &size), 0);
    return address;
  }
  FileDescriptor client_that_sends(const std::string& text, const char* from = "127.0.0.1") const {
    FileDescriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const SocketAddress own = numeric_address({from, 0});
    EXPECT_EQ(::bind(client.get(), &own.any, size_of(own)), 0);
    EXPECT_EQ(::connect(client.get(), &where.any, size_of(where)), 0);
    EXPECT_EQ(::send(client.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    return client;
  }
  bool serves(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + kDeadline;
    while (served.size() < count && std::chrono::steady_clock::now() < end) loop.pass(never.get());
    return served.size() == count;
  }

  FileDescriptor listener;
  SocketAddress where;
  FileDescriptor never = make_event();
  std::vector<std::string> served;
  HttpLoop loop;
};

TEST_F(HttpLoopTest, AnswersThoseThatAskAmongThoseThatDoNot) {
  std::vector<FileDescriptor> slow;
  for (int i = 0; i < 100; ++i) slow.push_back(client_that_sends("GET / HTTP/1.1\r\nX-A: "));
  const FileDescriptor client = client_that_sends("a\r\n\r\n");
  EXPECT_TRUE(serves(1));
  char answer[16];
  EXPECT_EQ(::recv(client.get(), answer, sizeof answer, 0), 5);
  EXPECT_EQ(std::string(answer, 5), "a\r\n\r\n");
}

TEST_F(HttpLoopTest, AddressesTakeTurns) {
  std::vector<FileDescriptor> clients;
  clients.push_back(client_that_sends("other\r\n\r\n", "127.0.0.2"));
  for (int i = 0; i < 10; ++i) clients.push_back(client_that_sends("one\r\n\r\n"));
  EXPECT_TRUE(serves(11));
  EXPECT_TRUE(served[0] == "other" || served[1] == "other");
}

TEST_F(HttpLoopTest, AnswersThatNobodyTakesGiveWay) {
  std::vector<FileDescriptor> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(client_that_sends("large\r\n\r\n"));
  EXPECT_TRUE(serves(2));
  clients.push_back(client_that_sends("small\r\n\r\n", "127.0.0.2"));
  EXPECT_TRUE(serves(3));
  EXPECT_EQ(served.back(), "small");
}

TEST_F(HttpLoopTest, ReturnsWhenItIsInterrupted) {
  const FileDescriptor now = make_event();
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(now.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  const FileDescriptor client = client_that_sends("a\r\n\r\n");
  loop.pass(now.get());
  EXPECT_TRUE(served.empty());
}

}  // namespace
}  // namespace tofa::health::http_loop_test
