// SPDX-License-Identifier: BSD-3-Clause
// A pass looks at each connection several times; there are few enough of them.
#include "web/http_loop.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "common/address.hpp"
#include "common/listener.hpp"

namespace tofa::health {
namespace {

using State = Connection::State;

constexpr std::size_t kMostConnections = 512;
constexpr std::size_t kMostAccepts = 64;  // before the others have their turn
// As many go at once to make room, because finding out who costs more than letting them go.
constexpr std::size_t kAtOnce = 32;
// Of all answers together; one more may begin below that.
constexpr std::size_t kMostUnsent = 64UL << 20;
constexpr int kMostOfSystem = 128 << 10;  // bytes that it takes of each in advance
// So long anybody may take an answer undisturbed.
constexpr std::chrono::seconds kAnswerGrace{1};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};
constexpr int kWaitMs = 500;
constexpr int kShortWaitMs = 10;  // while only time makes room

}  // namespace

void HttpLoop::pass(int interrupt) {
  const bool accepts = Clock::now() >= accept_again_;
  std::vector<pollfd> polled = {{interrupt, POLLIN, 0},
                                {accepts ? listener_.get() : -1, POLLIN, 0}};
  for (const Connection& one : connections_) polled.push_back(one.event());
  if (::poll(polled.data(), polled.size(), accepts ? wait() : kShortWaitMs) > 0) {
    if (polled[0].revents != 0) return;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      if (polled[i + 2].revents != 0) connections_[i].go_on();
    }
    if (polled[1].revents != 0) accept_new();
  }
  const auto now = Clock::now();
  for (Connection& one : connections_) {
    if (one.is_late(now)) one.cut_off();
  }
  forget_ended();
  serve_next();
}

void HttpLoop::forget_ended() {
  std::erase_if(connections_, [](const Connection& one) { return one.state() == State::ended; });
}

bool HttpLoop::has_room() const {
  const auto unsent =
      std::transform_reduce(connections_.begin(), connections_.end(), std::size_t{0}, std::plus<>(),
                            [](const Connection& one) { return one.unsent(); });
  return unsent < kMostUnsent;
}

int HttpLoop::wait() const {
  const bool some_wait =
      std::any_of(connections_.begin(), connections_.end(),
                  [](const Connection& one) { return one.state() == State::waiting; });
  if (!some_wait) return kWaitMs;
  return has_room() ? 0 : kShortWaitMs;
}

void HttpLoop::accept_new() {
  for (std::size_t count = 0; count < kMostAccepts; ++count) {
    SocketAddress from;
    FileDescriptor socket = accept_from(listener_, from);
    if (!socket) {
      if (errno != EAGAIN) accept_again_ = Clock::now() + kPauseWithoutDescriptors;
      return;
    }
    // Of an answer that is not taken the system is to hold no more.
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kMostOfSystem, sizeof kMostOfSystem);
    if (connections_.size() >= kMostConnections) make_room_for_connections();
    connections_.emplace_back(std::move(socket), network_of(from));
    connections_.back().go_on();
  }
}

// The standings of those connections, which `who` is to hold.
template <typename Which>
std::vector<Standing> HttpLoop::standings(std::vector<Connection*>& who, const Which& which) {
  std::vector<Standing> crowd;
  for (Connection& one : connections_) {
    if (!which(one)) continue;
    who.push_back(&one);
    crowd.push_back(one.standing());
  }
  return crowd;
}

// No grace: what an honest client says first arrives together with it.
void HttpLoop::make_room_for_connections() {
  std::vector<Connection*> who;
  const auto crowd = standings(who, [](const Connection&) { return true; });
  for (const std::size_t one :
       who_gives_way(crowd, Clock::now(), {.count = kAtOnce, .any = true})) {
    who[one]->cut_off();
  }
  forget_ended();
}

void HttpLoop::make_room_for_answers() {
  std::vector<Connection*> who;
  const auto crowd =
      standings(who, [](const Connection& one) { return one.state() == State::answering; });
  const auto doomed = who_gives_way(crowd, Clock::now(), {.count = 1, .grace = kAnswerGrace});
  for (const std::size_t one : doomed) who[one]->cut_off();
  forget_ended();
}

// An address whose clients keep asking would be the one that spoke last in every pass.
std::size_t HttpLoop::whose_turn(const std::vector<Standing>& waiting) {
  const auto order = most_deserving_first(waiting);
  auto next = std::find_if(order.begin(), order.end(), [&](std::size_t one) {
    return !had_turn_.contains(waiting[one].origin.network);
  });
  if (next == order.end() || had_turn_.size() >= kMostConnections) {
    had_turn_.clear();
    next = order.begin();
  }
  had_turn_.insert(waiting[*next].origin.network);
  return *next;
}

// One in a pass, so that those that come meanwhile are next if they deserve it more.
void HttpLoop::serve_next() {
  std::vector<Connection*> who;
  const auto crowd =
      standings(who, [](const Connection& one) { return one.state() == State::waiting; });
  if (crowd.empty()) return;
  if (!has_room()) return make_room_for_answers();
  Connection& next = *who[whose_turn(crowd)];
  Answer answer = serve_(next.request(), next.is_last_request());
  next.answer(std::move(answer.text), answer.last);
}

}  // namespace tofa::health
