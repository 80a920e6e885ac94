// SPDX-License-Identifier: BSD-3-Clause
// One poll() over all connections. A request that is whole waits without being polled, so that a
// client that has gone meanwhile does not keep the thread busy.
#include "healthd/control_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "common/daemon.hpp"
#include "tofa/error.hpp"
#include "tofa/health_control.hpp"

namespace tofa::health {
namespace {

constexpr double kPauseAfterFailure = 0.2;  // seconds
constexpr double kLongestWait = 3600;

void clear(const FileDescriptor& event) {
  eventfd_t count = 0;
  (void)::eventfd_read(event.get(), &count);
}

}  // namespace

ControlServer::ControlServer(const ControlConfig& config, bool replace)
    : group_(find_group(config.group)),
      group_name_(config.group),
      socket_(config.socket, group_, replace),
      asked_(make_event()),
      wake_(make_event()),
      thread_([this] { serve(); }) {}

ControlServer::~ControlServer() {
  stop_ = true;
  (void)::eventfd_write(wake_.get(), 1);
  thread_.join();
}

std::vector<ControlServer::Request> ControlServer::take() {
  clear(asked_);
  const std::lock_guard lock(mutex_);
  return std::exchange(requests_, {});
}

void ControlServer::answer(std::uint64_t connection, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    answers_.emplace_back(connection, std::move(text));
  }
  (void)::eventfd_write(wake_.get(), 1);
}

void ControlServer::serve() {
  while (!stop_) {
    try {
      serve_once();
    } catch (const std::exception& error) {
      spdlog::error("the control socket: {}", error.what());
      closed_until_ = seconds_running() + kPauseAfterFailure;
    }
  }
}

void ControlServer::serve_once() {
  double now = seconds_running();
  const bool open = now >= closed_until_ && has_room();
  std::vector<pollfd> waiting{{wake_.get(), POLLIN, 0}, {open ? socket_.fd() : -1, POLLIN, 0}};
  double until = now + kLongestWait;
  if (!open && closed_until_ > now) until = closed_until_;
  for (const auto& [id, connection] : connections_) {
    const bool reads = connection.session.state() == ControlSession::State::reading;
    const bool sends = connection.session.state() == ControlSession::State::answering;
    waiting.push_back({reads || sends ? connection.socket.get() : -1,
                       static_cast<short>(reads ? POLLIN : POLLOUT), 0});
    until = std::min(until, connection.session.deadline());
  }
  const double wait = std::ceil(std::max(0.0, until - now) * 1000);
  (void)::poll(waiting.data(), waiting.size(), static_cast<int>(wait));
  now = seconds_running();
  if (waiting[0].revents != 0) take_answers(now);
  std::size_t i = 2;
  for (auto it = connections_.begin(); it != connections_.end(); ++i) {
    Connection& connection = it->second;
    if (waiting[i].revents != 0) {
      if (connection.session.state() == ControlSession::State::reading) {
        receive(connection, now);
        if (connection.session.state() == ControlSession::State::asked) {
          hand_over(it->first, connection);
        }
      }
    }
    connection.session.pass(now);
    if (connection.session.state() == ControlSession::State::answering) send(connection);
    it = connection.session.state() == ControlSession::State::over ? connections_.erase(it)
                                                                   : std::next(it);
  }
  if (waiting[1].revents != 0) let_in(now);
}

// Or can have, since somebody can be sent away.
bool ControlServer::has_room() const {
  return connections_.size() < kMostConnections ||
         std::any_of(connections_.begin(), connections_.end(), [](const auto& entry) {
           return entry.second.session.state() == ControlSession::State::reading;
         });
}

void ControlServer::let_in(double now) {
  for (std::size_t i = 0; i < kMostConnections && has_room(); ++i) {
    FileDescriptor socket = socket_.accept();
    if (!socket) {
      if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return;
      spdlog::warn("the control socket: cannot accept: {}", std::strerror(errno));
      closed_until_ = now + kPauseAfterFailure;
      return;
    }
    add(std::move(socket), now);
  }
}

void ControlServer::add(FileDescriptor socket, double now) {
  auto caller = caller_of(socket.get());
  if (!caller) return;
  if (connections_.size() >= kMostConnections) {
    const auto silent =
        std::find_if(connections_.begin(), connections_.end(), [](const auto& entry) {
          return entry.second.session.state() == ControlSession::State::reading;
        });
    if (silent == connections_.end()) return;
    connections_.erase(silent);
  }
  Connection connection{std::move(socket), std::move(*caller), ControlSession(now)};
  if (!may_change(connection.caller, ::geteuid(), group_)) {
    const std::string others =
        group_name_.empty() ? "" : " and members of the group " + group_name_;
    spdlog::warn("refused a command of uid {}", connection.caller.uid);
    connection.session.answer(
        format_control_error(
            Error(ErrorKind::unmet, fmt::format("uid {} may not change what tofa-healthd knows; "
                                                "root, the daemon's own user{} may",
                                                connection.caller.uid, others))),
        now);
  }
  connections_.emplace(next_++, std::move(connection));
}

void ControlServer::receive(Connection& connection, double now) {
  std::array<char, 4096> part{};
  while (connection.session.state() == ControlSession::State::reading) {
    const ssize_t size = ::recv(connection.socket.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (size < 0) {
      // A connection that is broken has nothing to say any more, as one that has ended.
      if (errno != EAGAIN && errno != EINTR) connection.session.answer("", now);
      return;
    }
    connection.session.take({part.data(), static_cast<std::size_t>(size)}, size == 0, now);
  }
}

void ControlServer::send(Connection& connection) {
  while (connection.session.state() == ControlSession::State::answering) {
    const std::string_view left = connection.session.to_send();
    const ssize_t size =
        ::send(connection.socket.get(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    connection.session.sent(size < 0 ? left.size() : static_cast<std::size_t>(size));
  }
}

void ControlServer::hand_over(std::uint64_t id, Connection& connection) {
  // Here, since the system's user database may be slow.
  connection.caller.user = user_of(connection.caller.uid);
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back({id, connection.caller, connection.session.request()});
  }
  (void)::eventfd_write(asked_.get(), 1);
}

void ControlServer::take_answers(double now) {
  clear(wake_);
  std::vector<std::pair<std::uint64_t, std::string>> answers;
  {
    const std::lock_guard lock(mutex_);
    answers = std::exchange(answers_, {});
  }
  for (auto& [id, text] : answers) {
    const auto found = connections_.find(id);
    if (found != connections_.end()) found->second.session.answer(std::move(text), now);
  }
}

}  // namespace tofa::health
