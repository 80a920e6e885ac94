// SPDX-License-Identifier: BSD-3-Clause
// A heartbeat carries a nonce of its own, by which its answer is found again. Requests go out in
// small batches with a pause after each, so that the answers of 10,000 hosts do not arrive at once.
#include "healthd/poller.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/toml_section.hpp"
#include "common/address.hpp"
#include "common/fnv.hpp"
#include "common/key_file.hpp"
#include "common/protocol.hpp"
#include "tofa/error.hpp"
#include "tofa/host_index.hpp"

namespace tofa::health {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReceiveBuffer = 8 << 20;  // a burst of answers from all hosts must fit
// A burst of all requests at once would overflow switches and socket buffers: after so many, their
// answers get a moment.
constexpr std::size_t kSendBatch = 128;
constexpr double kBatchSeconds = 0.001;
constexpr int kSendAttempts = 100;
constexpr std::size_t kMostImpostors = 1000;
// Estimates that are renewed more seldom would be refused as stale.
constexpr double kLongestPeriod = 300;

std::string make_nonce() {
  std::array<unsigned char, 12> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ErrorKind::unavailable, fmt::format("no random numbers: {}", std::strerror(errno)));
  }
  return fmt::format("{:02x}{}", fmt::join(bytes, ""), kKnowsFailures);
}

FileDescriptor open_socket(int family) {
  FileDescriptor socket(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) {
    throw Error(ErrorKind::unavailable, fmt::format("no UDP socket: {}", std::strerror(errno)));
  }
  // Best effort: the larger size needs a privilege, the smaller is capped by the kernel.
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kReceiveBuffer,
                   sizeof kReceiveBuffer) != 0) {
    (void)::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &kReceiveBuffer, sizeof kReceiveBuffer);
  }
  return socket;
}

// Errors that say something about this machine rather than about the host asked.
bool is_local_failure(int error) {
  return error == ENETUNREACH || error == ENETDOWN || error == EPERM || error == EACCES ||
         error == ENOBUFS || error == ENOMEM || error == EINVAL || error == EBADF;
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::ceil(left));
}

}  // namespace

Poller::Poller(const std::vector<HostConfig>& hosts, double timeout_seconds,
               const std::optional<KeyBytes>& key)
    : timeout_(timeout_seconds), key_(key), resolver_(hosts), socket_(open_socket(AF_INET)) {
  for (const HostConfig& host : hosts) names_.push_back(host.name);
  spdlog::info(key_ ? "answers to heartbeats must be signed"
                    : "answers to heartbeats are not signed ([poll] key names none)");
}

std::optional<SourceReport> Poller::report(int interrupt) {
  Round round;
  round.verdicts.assign(names_.size(), Verdict::unknown);
  round.boots.assign(names_.size(), 0);
  round.addresses = resolver_.addresses();
  for (std::size_t host = 0; host < names_.size(); ++host) {
    if (round.addresses[host]) ask(host, round);
    if (!pace(host + 1, interrupt, round)) return std::nullopt;
  }
  if (!await_answers(timeout_ / 2, interrupt, round)) return std::nullopt;
  if (!ask_again(interrupt, round)) return std::nullopt;
  if (!await_answers(timeout_ / 2, interrupt, round)) return std::nullopt;
  late_ = std::move(round.answered);
  for (const auto& [nonce, host] : round.asked) late_.insert(nonce);
  return SourceReport{.source = "heartbeat",
                      .verdicts = std::move(round.verdicts),
                      .boots = std::move(round.boots),
                      .rejected = rejected_,
                      .causes = std::move(round.causes)};
}

bool Poller::await_answers(double seconds, int interrupt, Round& round) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
  while (!round.asked.empty()) {
    const int wait = milliseconds_until(deadline);
    pollfd waiting[] = {
        {interrupt, POLLIN, 0}, {socket_.get(), POLLIN, 0}, {socket6_.get(), POLLIN, 0}};
    if (::poll(waiting, 3, wait) > 0 && waiting[0].revents != 0) return false;
    // Also after the deadline: when this process itself was held up, the answers are there.
    receive(round);
    if (wait == 0) break;
  }
  return true;
}

void Poller::ask(std::size_t host, Round& round) {
  const std::string nonce = make_nonce();
  if (send(host, nonce, *round.addresses[host])) {
    round.verdicts[host] = Verdict::missed;  // until the answer is there
    round.asked.emplace(nonce, host);
  } else if (!is_local_failure(errno)) {
    round.verdicts[host] = Verdict::missed;
  }
}

bool Poller::ask_again(int interrupt, Round& round) {
  const std::vector<std::pair<std::string, std::size_t>> silent(round.asked.begin(),
                                                                round.asked.end());
  for (std::size_t i = 0; i < silent.size(); ++i) {
    const auto& [nonce, host] = silent[i];
    if (round.asked.contains(nonce)) (void)send(host, nonce, *round.addresses[host]);
    if (!pace(i + 1, interrupt, round)) return false;
  }
  return true;
}

bool Poller::pace(std::size_t sent, int interrupt, Round& round) {
  return sent % kSendBatch != 0 || await_answers(kBatchSeconds, interrupt, round);
}

// Without IPv6 on this machine it is none, which sending says then.
const FileDescriptor& Poller::socket_for(const SocketAddress& address) {
  if (address.any.sa_family != AF_INET6) return socket_;
  if (!socket6_) {
    try {
      socket6_ = open_socket(AF_INET6);
    } catch (const Error&) {
    }
  }
  return socket6_;
}

// False, with errno, when the request cannot be sent.
bool Poller::send(std::size_t host, const std::string& nonce, const SocketAddress& to) {
  const std::string request = format_request(nonce);
  const int socket = socket_for(to).get();
  for (int attempt = 0; attempt < kSendAttempts; ++attempt) {
    if (::sendto(socket, request.data(), request.size(), MSG_NOSIGNAL, &to.any, size_of(to)) >= 0) {
      return true;
    }
    if (errno != EAGAIN && errno != EINTR) break;
    pollfd writable{socket, POLLOUT, 0};
    (void)::poll(&writable, 1, 10);
  }
  const int error = errno == EAGAIN ? ENOBUFS : errno;
  report_send_failure(host, error);
  errno = error;
  return false;
}

void Poller::report_send_failure(std::size_t host, int error) {
  if (const auto held_back = send_failures_.pass()) {
    spdlog::warn("cannot send a heartbeat to {}: {} ({} more failures since the last report)",
                 names_[host], std::strerror(error), *held_back);
  }
}

void Poller::reject(const SocketAddress& from, const char* why) {
  ++rejected_;
  if (rejections_.pass()) {
    spdlog::warn("rejected an answer from {}: {} ({} rejected since the start)", to_string(from),
                 why, rejected_);
  }
}

void Poller::receive(Round& round) {
  receive_from(socket_, round);
  if (socket6_) receive_from(socket6_, round);
}

void Poller::receive_from(const FileDescriptor& socket, Round& round) {
  // Bounded, so that a flood of datagrams cannot keep a round from ending.
  for (std::size_t i = 0; i < 4 * names_.size() + 1000; ++i) {
    char data[kRequestSize + 1];
    SocketAddress from;
    socklen_t from_size = sizeof from;
    const ssize_t size = ::recvfrom(socket.get(), data, sizeof data, 0, &from.any, &from_size);
    if (size < 0) {
      if (errno == EINTR) continue;
      return;
    }
    receive_one({data, static_cast<std::size_t>(size)}, from, round);
  }
}

void Poller::receive_one(std::string_view datagram, const SocketAddress& from, Round& round) {
  const auto answer = parse_answer(datagram);
  if (!answer) return reject(from, "it is no answer to a heartbeat");
  if (key_ && answer->mac.empty()) return reject(from, "it is not signed; has the agent no key?");
  if (key_ && !is_authentic(*answer, *key_)) return reject(from, "it is signed with another key");
  if (round.answered.contains(answer->nonce)) return;  // asked twice
  const auto asked = round.asked.find(answer->nonce);
  if (asked == round.asked.end()) {
    if (late_.contains(answer->nonce)) return;
    return reject(from, "it is repeated or forged");
  }
  const std::size_t host = asked->second;
  if (!same_address(from, *round.addresses[host])) {
    return reject(from, "it does not come from the address that was asked");
  }
  round.answered.insert(std::move(round.asked.extract(asked).key()));
  if (same_host(answer->host, names_[host])) {
    round.verdicts[host] = answer->failure.empty() ? Verdict::up : Verdict::down;
    if (!answer->failure.empty()) round.causes[host] = "check " + answer->failure;
    if (answer->boot_id != kUnknownBoot) {
      round.boots[host] = fnv(answer->boot_id.data(), answer->boot_id.size());
    }
  } else if (impostors_.size() < kMostImpostors &&
             impostors_.emplace(names_[host], answer->host).second) {
    spdlog::warn(
        "the agent at the address of {} calls itself {}; its answers do not count: correct "
        "the address or the agent's --name",
        names_[host], answer->host);
  }
}

namespace {

// The section [poll].
SourceMaker configure_heartbeats(TomlSection& section, HealthdConfig& config) {
  bool heartbeats = true;
  section.number("period", 0.05, kLongestPeriod, config.period);
  section.number("timeout", 0.01, kLongestPeriod, config.timeout);
  section.flag("heartbeats", heartbeats);
  section.text("key", config.heartbeat_key);
  section.refuse_other_keys();
  if (config.timeout > config.period) {
    section.fail("timeout", fmt::format("{} s is longer than the period of {} s; make it shorter",
                                        config.timeout, config.period));
  }
  if (!heartbeats) return {};
  return [](const HealthdConfig& complete) {
    const std::string& key = complete.heartbeat_key;
    return std::make_unique<Poller>(complete.hosts, complete.timeout,
                                    key.empty() ? std::nullopt : read_secret_key(key));
  };
}

}  // namespace

extern constexpr SourceKind kHeartbeatSource{"poll", configure_heartbeats};

}  // namespace tofa::health
