// SPDX-License-Identifier: BSD-3-Clause
// One poll() over the public port, the connections whose handshake is not complete, and the
// sessions libpmix has. Bytes of a handshake are only peeked at, so that libpmix reads all of them
// itself.
#include "gateway/gate.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/address.hpp"
#include "gateway/handshake.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kMostPending = 256;
constexpr std::size_t kMostSessions = 256;
constexpr std::chrono::seconds kHandshakeTime{2};
constexpr std::chrono::seconds kSessionTime{15};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};

void set_option(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// poll() then stays quiet until so many bytes have arrived.
void wait_for_bytes(int socket, std::size_t bytes) {
  set_option(socket, SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(bytes));
}

// A dead or stuck client must end the blocking calls of libpmix.
void limit_blocking(int socket) {
  const timeval limit{1, 0};
  (void)::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  (void)::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
}

}  // namespace

Gate::Gate(FileDescriptor listener, Handover& handover)
    : listener_(std::move(listener)), handover_(handover) {}

bool Gate::accepting() const {
  return open_ && pending_.size() < kMostPending && sessions_.size() < kMostSessions &&
         Clock::now() >= accept_again_;
}

void Gate::serve(int interrupt) {
  std::vector<pollfd> events = {{interrupt, POLLIN, 0}};
  for (const Connection& connection : pending_) {
    events.push_back({connection.socket.get(), POLLIN | POLLRDHUP, 0});
  }
  for (const Connection& connection : sessions_) {
    events.push_back({connection.socket.get(), POLLRDHUP, 0});
  }
  const bool accepted = accepting();
  if (accepted) events.push_back({listener_.get(), POLLIN, 0});
  const bool paused = open_ && !accepted && Clock::now() < accept_again_;
  const int ready = ::poll(events.data(), events.size(), paused ? 50 : 1000);
  if (ready > 0) {
    if (events[0].revents != 0) return;
    const std::size_t first_session = 1 + pending_.size();
    for (std::size_t i = 0; i < sessions_.size(); ++i) {
      sessions_[i].finished = events[first_session + i].revents != 0;
    }
    // Adds to sessions_, hence after the loop above.
    for (std::size_t i = 0; i < first_session - 1; ++i) {
      if (events[1 + i].revents != 0) inspect(pending_[i]);
    }
    if (accepted && events.back().revents != 0) accept_new();
  }
  expire(pending_);
  expire(sessions_);
}

void Gate::accept_new() {
  while (accepting()) {
    FileDescriptor socket(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      const int error = errno;
      if (error == EINTR || error == ECONNABORTED) continue;
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
        accept_again_ = Clock::now() + kPauseWithoutDescriptors;
        if (const auto held_back = refusals_.pass()) {
          spdlog::warn("cannot take a connection: {} ({} more problems since the last report)",
                       std::strerror(error), *held_back);
        }
      }
      return;
    }
    wait_for_bytes(socket.get(), kHandshakeHeader);
    pending_.push_back({std::move(socket), Clock::now() + kHandshakeTime});
    inspect(pending_.back());
  }
}

void Gate::inspect(Connection& connection) {
  std::array<char, kLargestHandshake> data;
  const int socket = connection.socket.get();
  const ssize_t size = ::recv(socket, data.data(), data.size(), MSG_PEEK | MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
    connection.finished = true;
    return;
  }
  if (size < 0) return;
  const auto check = check_handshake({data.data(), static_cast<std::size_t>(size)});
  if (check.verdict == Handshake::refused)
    return refuse(connection, "its handshake is not a tool's");
  if (check.verdict == Handshake::incomplete) {
    // Half a message from a client that has stopped sending will never be whole.
    pollfd state{socket, POLLRDHUP, 0};
    if (::poll(&state, 1, 0) > 0) {
      connection.finished = true;
      return;
    }
    return wait_for_bytes(socket, check.bytes);
  }
  wait_for_bytes(socket, 1);
  limit_blocking(socket);
  FileDescriptor duplicate(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
  connection.finished = true;
  if (!duplicate || !handover_.give(std::move(duplicate))) {
    return refuse(connection, "it cannot be handed over to libpmix");
  }
  ++handed_over_;
  sessions_.push_back({std::move(connection.socket), Clock::now() + kSessionTime});
}

void Gate::refuse(Connection& connection, const char* why) {
  connection.finished = true;
  if (const auto held_back = refusals_.pass()) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    (void)::getpeername(connection.socket.get(), reinterpret_cast<sockaddr*>(&from), &size);
    spdlog::warn("refused a connection from {}: {} ({} more problems since the last report)",
                 to_string(from), why, *held_back);
  }
}

void Gate::expire(std::vector<Connection>& connections) {
  const auto now = Clock::now();
  std::erase_if(connections, [&](Connection& connection) {
    if (!connection.finished && now < connection.deadline) return false;
    // libpmix has a duplicate of a session's descriptor and closes that when it reads the end.
    if (connection.socket) ::shutdown(connection.socket.get(), SHUT_RDWR);
    return true;
  });
}

}  // namespace tofa::health
