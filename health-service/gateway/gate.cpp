// SPDX-License-Identifier: BSD-3-Clause
// One poll() over the public port, the connections whose handshake is not complete, and both ends
// of the sessions. Bytes of a handshake are only peeked at until all of them are there, so that
// what follows them is left to the session.
#include "gateway/gate.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "common/address.hpp"
#include "gateway/crowd.hpp"
#include "gateway/handshake.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kMostPending = 1024;
constexpr std::size_t kMostSessions = 256;
constexpr std::chrono::seconds kHandshakeTime{2};
constexpr std::chrono::seconds kSessionTime{15};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};
// After so long without a sign a connection gives way where there is no room.
constexpr std::chrono::milliseconds kPendingGrace{100};
constexpr std::chrono::milliseconds kSessionGrace{250};
// The same while the gateway wants to start afresh, which honest clients must not notice.
constexpr std::chrono::milliseconds kFarewellGrace{1000};
constexpr int kWaitMs = 1000;
constexpr int kShortWaitMs = 20;  // while only time makes room

void set_option(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

// poll() then stays quiet until so many bytes have arrived.
void wait_for_bytes(int socket, std::size_t bytes) {
  set_option(socket, SOL_SOCKET, SO_RCVLOWAT, static_cast<int>(bytes));
}

// A dead client must not stay.
void watch_for_death(int socket) {
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
}

// What libpmix gets in place of a client's socket; its blocking calls end in any case.
struct Pair {
  FileDescriptor ours;
  FileDescriptor libpmixs;
};

Pair make_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
  Pair pair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  const timeval limit{1, 0};
  (void)::setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  (void)::setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return pair;
}

bool send_whole(int socket, const std::string& bytes) {
  return ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace

Gate::Gate(FileDescriptor listener, Handover& handover)
    : listener_(std::move(listener)), handover_(handover) {}

bool Gate::accepting() const {
  return open_ && Clock::now() >= accept_again_ && room_for_pending();
}

std::optional<std::size_t> Gate::quiet_pending() const {
  std::vector<Standing> crowd;
  for (const Pending& connection : pending_) {
    crowd.push_back(
        {connection.address, connection.since, !connection.waits_for_room && !connection.finished});
  }
  return who_gives_way(crowd, Clock::now(), kPendingGrace);
}

std::optional<std::size_t> Gate::quiet_session() const {
  std::vector<Standing> crowd;
  for (const LetIn& one : sessions_) {
    crowd.push_back({one.address, one.session.quiet_since(), !one.session.waits_for_libpmix()});
  }
  return who_gives_way(crowd, Clock::now(), kSessionGrace);
}

bool Gate::room_for_pending() const {
  return pending_.size() < kMostPending || quiet_pending();
}

bool Gate::room_for_session() const {
  return sessions_.size() < kMostSessions || quiet_session();
}

void Gate::serve(int interrupt) {
  const bool accepted = accepting();
  const bool room = room_for_session();
  std::vector<pollfd> polled = events(interrupt, accepted, room);
  const int wait = accepted && room ? kWaitMs : kShortWaitMs;
  if (::poll(polled.data(), polled.size(), wait) > 0) {
    if (polled[0].revents != 0) return;
    go_on(polled);
    if (accepted && polled.back().revents != 0) accept_new();
  }
  expire();
}

// The interrupt, those pending, the sessions, and the listener if it is to be looked at.
std::vector<pollfd> Gate::events(int interrupt, bool accepted, bool room) const {
  std::vector<pollfd> all = {{interrupt, POLLIN, 0}};
  for (const Pending& connection : pending_) {
    all.push_back({room ? connection.socket.get() : -1, POLLIN | POLLRDHUP, 0});
  }
  for (const LetIn& one : sessions_) one.session.wait_for(all);
  if (accepted) all.push_back({listener_.get(), POLLIN, 0});
  return all;
}

void Gate::go_on(const std::vector<pollfd>& events) {
  const std::size_t pending = pending_.size();
  const pollfd* mine = events.data() + 1 + pending;
  for (LetIn& one : sessions_) {
    const bool stirs = std::any_of(mine, mine + Session::kEvents,
                                   [](const pollfd& event) { return event.revents != 0; });
    mine += Session::kEvents;
    if (stirs && !one.session.go_on()) {
      report(one.session.client(), "it sent what tofa-query does not send");
    }
  }
  // Adds to sessions_, hence after the loop above.
  for (std::size_t i = 0; i < pending; ++i) {
    if (events[1 + i].revents != 0) inspect(pending_[i]);
  }
}

void Gate::accept_new() {
  while (accepting()) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    FileDescriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&from), &size,
                                    SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return complain_of_accept(errno);
    }
    if (pending_.size() >= kMostPending) {
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(quiet_pending().value()));
    }
    wait_for_bytes(socket.get(), kHeader);
    pending_.push_back({std::move(socket), from.sin_addr.s_addr, Clock::now()});
    inspect(pending_.back());
  }
}

void Gate::complain_of_accept(int error) {
  if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
  accept_again_ = Clock::now() + kPauseWithoutDescriptors;
  if (const auto held_back = refusals_.pass()) {
    spdlog::warn("cannot take a connection: {} ({} more problems since the last report)",
                 std::strerror(error), *held_back);
  }
}

void Gate::inspect(Pending& connection) {
  std::array<char, kLargestHandshake> data;
  const int socket = connection.socket.get();
  const ssize_t size = ::recv(socket, data.data(), data.size(), MSG_PEEK | MSG_DONTWAIT);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) {
    connection.finished = true;
    return;
  }
  if (size < 0) return;
  const Check check = check_handshake({data.data(), static_cast<std::size_t>(size)});
  if (check.verdict == Verdict::complete) return let_in(connection, check);
  if (check.verdict == Verdict::refused) {
    connection.finished = true;
    return report(socket, "its handshake is not a tool's");
  }
  // Half a message from a client that has stopped sending will never be whole.
  pollfd state{socket, POLLRDHUP, 0};
  if (::poll(&state, 1, 0) > 0) {
    connection.finished = true;
    return;
  }
  wait_for_bytes(socket, check.bytes);
}

void Gate::let_in(Pending& connection, const Check& handshake) {
  if (sessions_.size() >= kMostSessions) {
    const auto quiet = quiet_session();
    connection.waits_for_room = !quiet;
    if (!quiet) return;
    sessions_.erase(sessions_.begin() + static_cast<std::ptrdiff_t>(*quiet));
  }
  connection.finished = true;
  std::array<char, kLargestHandshake> seen;  // it goes on as handshake.relay
  const int client = connection.socket.get();
  const ssize_t size = ::recv(client, seen.data(), handshake.bytes, MSG_DONTWAIT);
  if (size != static_cast<ssize_t>(handshake.bytes)) return;
  wait_for_bytes(client, 1);
  watch_for_death(client);
  Pair pair = make_pair();
  if (!pair.ours || !send_whole(pair.ours.get(), handshake.relay) ||
      !handover_.give(std::move(pair.libpmixs))) {
    return report(client, "it cannot be handed over to libpmix");
  }
  ++handed_over_;
  sessions_.push_back(
      {connection.address,
       Session(std::move(connection.socket), std::move(pair.ours), Clock::now() + kSessionTime)});
}

void Gate::report(int socket, const char* why) {
  if (const auto held_back = refusals_.pass()) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    (void)::getpeername(socket, reinterpret_cast<sockaddr*>(&from), &size);
    spdlog::warn("refused a connection from {}: {} ({} more problems since the last report)",
                 to_string(from), why, *held_back);
  }
}

// Closing a session's end of the pair is how libpmix learns that the client has gone.
void Gate::expire() {
  const auto now = Clock::now();
  std::erase_if(pending_, [&](const Pending& connection) {
    return connection.finished || now - connection.since >= kHandshakeTime;
  });
  std::erase_if(sessions_, [&](const LetIn& one) {
    const bool may_go = !open_ && !one.session.waits_for_libpmix() &&
                        now - one.session.quiet_since() >= kFarewellGrace;
    return may_go || one.session.has_ended(now);
  });
}

}  // namespace tofa::health
