// SPDX-License-Identifier: BSD-3-Clause
// One poll() over the public port, the connections whose handshake is not complete, both ends of
// the sessions, and the line to libpmix. Bytes of a handshake are only peeked at until all of them
// are there, so that what follows them is left to the session.
#include "gateway/gate.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "common/address.hpp"
#include "common/listener.hpp"
#include "gateway/handshake.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kMostPending = 2048;
constexpr std::size_t kMostSessions = 512;
// As many go at once to make room, because finding out who costs more than letting them go.
constexpr std::size_t kAtOnce = 128;
// As many handshakes does libpmix get before it has answered some of them: who waits here is served
// in the order that is fair, who waits there in the order of arrival.
constexpr std::size_t kMostUnanswered = 32;
constexpr std::chrono::seconds kUnansweredTime{1};
constexpr std::size_t kMostAccepts = 512;  // before sessions have their turn
constexpr std::chrono::seconds kHandshakeTime{2};
constexpr std::chrono::seconds kSessionTime{15};
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};
// After so long without a sign a session gives way where there is no room.
constexpr std::chrono::milliseconds kSessionGrace{50};
constexpr std::chrono::seconds kPauseWithoutWorker{1};
// Nobody can expect an answer sooner, and who comes and goes in it makes nobody look dead.
constexpr std::chrono::milliseconds kAnswerTime{500};
constexpr std::chrono::milliseconds kStartTime{30'000};
constexpr int kWaitMs = 1000;
constexpr int kShortWaitMs = 10;  // while only time makes room

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

template <typename List>
void remove(List& list, std::vector<std::size_t> doomed) {
  std::sort(doomed.rbegin(), doomed.rend());
  for (const std::size_t index : doomed) {
    if (index + 1 != list.size()) list[index] = std::move(list.back());
    list.pop_back();
  }
}

}  // namespace

Gate::Gate(FileDescriptor listener, Worker::Serve serve, std::uint64_t renew_after)
    : listener_(std::move(listener)), serve_(std::move(serve)), renew_after_(renew_after) {
  start_worker();
  pollfd news{worker_->line(), POLLIN, 0};
  if (::poll(&news, 1, static_cast<int>(kStartTime.count())) <= 0 ||
      worker_->look() != Worker::State::ready) {
    throw Error(ErrorKind::unavailable, "libpmix does not start as a server");
  }
}

void Gate::start_worker() {
  worker_ = std::make_shared<Worker>(serve_);
  given_ = 0;
  started_ = Clock::now();
  patience_.begin_again();
}

// How long clients have waited in vain, if that is too long. Connections that are not taken count,
// too: their clients may have left again.
std::optional<std::chrono::seconds> Gate::worker_hangs() {
  const auto now = Clock::now();
  // To start may take long where the machine is busy.
  if (worker_->look() == Worker::State::starting && now - started_ < kStartTime) return {};
  const bool owes = !worker_->takes_more() ||
                    std::any_of(sessions_.begin(), sessions_.end(), [&](const LetIn& one) {
                      return one.worker == worker_ && one.session.waits_for_libpmix() &&
                             now - one.session.quiet_since() >= kAnswerTime;
                    });
  return patience_.spent(now, {.owes = owes, .stirred = std::exchange(stirred_, false)});
}

// Its clients see that their sessions have ended, and ask again.
void Gate::give_up_worker(std::chrono::seconds waited) {
  if (const auto held_back = failures_.pass()) {
    spdlog::error(
        "libpmix hangs: it has answered nobody for {} s while clients were waiting; it is killed "
        "and another one starts ({} more since the last report)",
        waited.count(), *held_back);
  }
  std::erase_if(sessions_, [&](const LetIn& one) { return one.worker == worker_; });
  worker_->kill();
  worker_ = nullptr;
}

// Whatever becomes of libpmix, there is soon one that takes new sessions.
void Gate::keep_worker() {
  const auto now = Clock::now();
  if (worker_) {
    const bool was_ready = worker_->look() != Worker::State::starting;
    if (worker_->look() == Worker::State::ended) {
      if (const auto held_back = failures_.pass()) {
        spdlog::error("libpmix {}; another one starts ({} more since the last report)",
                      worker_->ending(), *held_back);
      }
      start_again_ = was_ready && given_ > 0 ? now : now + kPauseWithoutWorker;
      worker_ = nullptr;
    } else if (const auto waited = worker_hangs()) {
      give_up_worker(*waited);
    } else if (renew_after_ != 0 && given_ >= renew_after_) {
      spdlog::info("starting afresh after {} clients", given_);
      worker_ = nullptr;
    }
  }
  if (worker_ || now < start_again_) return;
  try {
    start_worker();
  } catch (const Error& error) {
    start_again_ = now + kPauseWithoutWorker;
    if (failures_.pass()) spdlog::error("{}", error.what());
  }
}

bool Gate::accepting() const {
  return Clock::now() >= accept_again_;
}

void Gate::serve(int interrupt) {
  keep_worker();
  const bool accepts = accepting();
  std::vector<pollfd> polled = events(interrupt, accepts);
  const bool some_wait =
      std::any_of(pending_.begin(), pending_.end(), [](const Pending& one) { return one.waits(); });
  const int wait = accepts && !some_wait && worker_ ? kWaitMs : kShortWaitMs;
  if (::poll(polled.data(), polled.size(), wait) > 0) {
    if (polled[0].revents != 0) return;
    go_on(polled);
    if (accepts && polled.back().revents != 0) accept_new();
  }
  expire();
  let_in_waiting();
}

// The interrupt, the line to libpmix, those pending, the sessions, and the listener if it is to be
// looked at.
std::vector<pollfd> Gate::events(int interrupt, bool accepting) const {
  std::vector<pollfd> all = {{interrupt, POLLIN, 0}, {worker_ ? worker_->line() : -1, POLLIN, 0}};
  all.reserve(3 + pending_.size() + Session::kEvents * sessions_.size());
  for (const Pending& connection : pending_) {
    const int readable = connection.waits() ? 0 : POLLIN;
    all.push_back({connection.socket.get(), static_cast<short>(readable | POLLRDHUP), 0});
  }
  for (const LetIn& one : sessions_) one.session.wait_for(all);
  if (accepting) all.push_back({listener_.get(), POLLIN, 0});
  return all;
}

void Gate::go_on(const std::vector<pollfd>& events) {
  const pollfd* mine = events.data() + 2;
  for (Pending& connection : pending_) {
    if (const short what = (mine++)->revents; what == 0) continue;
    if (connection.waits()) {
      connection.finished = true;  // it has hung up
    } else {
      inspect(connection);
    }
  }
  for (LetIn& one : sessions_) {
    const bool stirs = std::any_of(mine, mine + Session::kEvents,
                                   [](const pollfd& event) { return event.revents != 0; });
    mine += Session::kEvents;
    if (!stirs) continue;
    const auto heard = one.session.heard();
    if (!one.session.go_on()) {
      report(one.session.client(), "it sent what tofa-query does not send");
    }
    stirred_ |= one.worker == worker_ && one.session.heard() != heard;
  }
}

void Gate::accept_new() {
  for (std::size_t count = 0; count < kMostAccepts; ++count) {
    SocketAddress from;
    FileDescriptor socket = accept_from(listener_, from);
    if (!socket) return complain_of_accept(errno);
    if (pending_.size() >= kMostPending) make_room_for_pending();
    wait_for_bytes(socket.get(), kHeader);
    pending_.push_back({std::move(socket), {network_of(from), 0}, Clock::now()});
    inspect(pending_.back());
  }
}

void Gate::complain_of_accept(int error) {
  if (error != EMFILE && error != ENFILE && error != ENOBUFS && error != ENOMEM) return;
  accept_again_ = Clock::now() + kPauseWithoutDescriptors;
  if (const auto held_back = failures_.pass()) {
    spdlog::warn("cannot take a connection: {} ({} more problems since the last report)",
                 std::strerror(error), *held_back);
  }
}

// No grace: what an honest client says first arrives together with it.
void Gate::make_room_for_pending() {
  std::erase_if(pending_, [](const Pending& connection) { return connection.finished; });
  if (pending_.size() < kMostPending) return;
  std::vector<Standing> crowd;
  for (const Pending& one : pending_) crowd.push_back({one.origin, one.since, one.waits()});
  const auto doomed = who_gives_way(crowd, Clock::now(), {.count = kAtOnce, .any = true});
  counts_.made_room += doomed.size();
  remove(pending_, doomed);
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
  connection.handshake = check_handshake({data.data(), static_cast<std::size_t>(size)});
  if (connection.waits()) {
    connection.origin.user = connection.handshake.user;
    return;
  }
  if (connection.handshake.verdict == FrameVerdict::refused) {
    connection.finished = true;
    return report(socket, "its handshake is not a tool's");
  }
  // Half a message from a client that has stopped sending will never be whole.
  pollfd state{socket, POLLRDHUP, 0};
  if (::poll(&state, 1, 0) > 0) {
    connection.finished = true;
    return;
  }
  wait_for_bytes(socket, connection.handshake.bytes);
}

std::vector<Standing> Gate::sessions_standing() const {
  std::vector<Standing> crowd;
  for (const LetIn& one : sessions_) {
    crowd.push_back({one.origin, one.session.quiet_since(), one.session.waits_for_libpmix()});
  }
  return crowd;
}

// How many may be let in now; makes room for them where there is none.
std::size_t Gate::room_for_sessions() {
  const auto now = Clock::now();
  const auto unanswered = static_cast<std::size_t>(
      std::count_if(sessions_.begin(), sessions_.end(), [now](const LetIn& one) {
        return one.session.waits_for_libpmix() && now - one.session.quiet_since() < kUnansweredTime;
      }));
  if (unanswered >= kMostUnanswered || !worker_ || !worker_->takes_more()) return 0;
  const std::size_t wanted = kMostUnanswered - unanswered;
  if (sessions_.size() + wanted > kMostSessions) {
    const auto doomed =
        who_gives_way(sessions_standing(), now, {.count = wanted, .grace = kSessionGrace});
    counts_.made_room += doomed.size();
    remove(sessions_, doomed);
  }
  return std::min(wanted, kMostSessions - std::min(kMostSessions, sessions_.size()));
}

void Gate::let_in_waiting() {
  std::vector<std::size_t> waiting;
  std::vector<Standing> crowd;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (!pending_[i].waits() || pending_[i].finished) continue;
    waiting.push_back(i);
    crowd.push_back({pending_[i].origin, pending_[i].since, true});
  }
  if (waiting.empty()) return;
  std::size_t room = room_for_sessions();
  if (room == 0) return;
  for (const std::size_t next : most_deserving_first(crowd)) {
    if (room-- == 0) break;
    let_in(pending_[waiting[next]]);
  }
  std::erase_if(pending_, [](const Pending& connection) { return connection.finished; });
}

void Gate::let_in(Pending& connection) {
  connection.finished = true;
  const Check& handshake = connection.handshake;
  std::array<char, kLargestHandshake> seen;  // it goes on as handshake.relay
  const int client = connection.socket.get();
  const ssize_t size = ::recv(client, seen.data(), handshake.bytes, MSG_DONTWAIT);
  if (size != static_cast<ssize_t>(handshake.bytes)) return;
  wait_for_bytes(client, 1);
  watch_for_death(client);
  Pair pair = make_pair();
  if (!pair.ours || !send_whole(pair.ours.get(), handshake.relay) ||
      !worker_->give(std::move(pair.libpmixs))) {
    return report(client, "it cannot be handed over to libpmix");
  }
  const auto now = Clock::now();
  ++given_;
  ++counts_.let_in;
  sessions_.push_back(
      {connection.origin,
       Session(std::move(connection.socket), std::move(pair.ours), now + kSessionTime), worker_});
}

void Gate::report(int socket, const char* why) {
  ++counts_.refused;
  if (const auto held_back = refusals_.pass()) {
    SocketAddress from;
    socklen_t size = sizeof from;
    (void)::getpeername(socket, &from.any, &size);
    spdlog::warn("refused a connection from {}: {} ({} more problems since the last report)",
                 to_string(from), why, *held_back);
  }
}

// Closing a session's end of the pair is how libpmix learns that the client has gone.
void Gate::expire() {
  const auto now = Clock::now();
  std::erase_if(pending_, [&](const Pending& connection) {
    const bool is_late = !connection.finished && now - connection.since >= kHandshakeTime;
    counts_.late += is_late ? 1 : 0;
    return connection.finished || is_late;
  });
  std::erase_if(sessions_, [&](const LetIn& one) {
    const bool is_late = !one.session.has_ended() && one.session.is_late(now);
    counts_.late += is_late ? 1 : 0;
    return one.session.has_ended() || is_late;
  });
}

std::string Gate::status() const {
  return fmt::format(
      "{} clients let in, {} connections now; cut off: {} to make room, {} too late, {} refused",
      counts_.let_in, pending_.size() + sessions_.size(), counts_.made_room, counts_.late,
      counts_.refused);
}

}  // namespace tofa::health
