// SPDX-License-Identifier: BSD-3-Clause
// Each answer leaves from the address the heartbeat was sent to (IP_PKTINFO), because tofa-healthd
// accepts it from nowhere else and a node usually has several.
#include "noded/agent.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/address.hpp"
#include "common/listener.hpp"
#include "common/protocol.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/host_index.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr int kBatch = 256;

std::string read_boot_id() {
  try {
    const std::string text = read_file("/proc/sys/kernel/random/boot_id");
    std::string id(trim(std::string_view(text).substr(0, text.find('\n'))));
    if (is_host_name(id)) return id;
  } catch (const Error& error) {
    spdlog::warn("{}; answers will not tell reboots apart", error.what());
  }
  return std::string(kUnknownBoot);
}

std::uint64_t uptime_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec);
}

FileDescriptor open_socket(const SocketAddress& listen) {
  FileDescriptor socket(
      ::socket(listen.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  const bool is_v6 = listen.any.sa_family == AF_INET6;
  accept_both_kinds(socket, listen);
  if (!socket ||
      ::setsockopt(socket.get(), is_v6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   is_v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on, sizeof on) != 0 ||
      ::bind(socket.get(), &listen.any, size_of(listen)) != 0) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("cannot listen on UDP {}: {}; choose another with --listen ADDRESS:PORT",
                    to_string(listen), std::strerror(errno)));
  }
  return socket;
}

// A datagram the way recvmsg() and sendmsg() take it: the data, the address of the other side, and
// the address on this side as ancillary data.
struct Datagram {
  Datagram(char* data, std::size_t size) : part{data, size} {
    header.msg_name = &peer;
    header.msg_namelen = sizeof peer;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
  }
  Datagram(const Datagram&) = delete;
  Datagram& operator=(const Datagram&) = delete;

  // Of a datagram that has arrived: where it was sent to.
  LocalAddress local_address() {
    LocalAddress local;
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
        in_pktinfo info{};
        std::memcpy(&info, CMSG_DATA(c), sizeof info);
        local.v4.ipi_spec_dst = info.ipi_spec_dst;
      }
      if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
        std::memcpy(&local.v6, CMSG_DATA(c), sizeof local.v6);
        // Elsewhere the way back need not be the way here.
        if (!IN6_IS_ADDR_LINKLOCAL(&local.v6.ipi6_addr)) local.v6.ipi6_ifindex = 0;
      }
    }
    return local;
  }

  // Of a datagram to be sent: where it leaves from.
  void set_local_address(const LocalAddress& local) {
    const bool is_v6 = peer.any.sa_family == AF_INET6;
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = is_v6 ? IPPROTO_IPV6 : IPPROTO_IP;
    c->cmsg_type = is_v6 ? IPV6_PKTINFO : IP_PKTINFO;
    const std::size_t size = is_v6 ? sizeof local.v6 : sizeof local.v4;
    c->cmsg_len = CMSG_LEN(size);
    if (is_v6) {
      std::memcpy(CMSG_DATA(c), &local.v6, size);
    } else {
      std::memcpy(CMSG_DATA(c), &local.v4, size);
    }
    header.msg_controllen = CMSG_SPACE(size);
    header.msg_namelen = size_of(peer);
  }

  SocketAddress peer;
  iovec part;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in6_pktinfo))] = {};
  msghdr header{};
};

}  // namespace

Agent::Agent(const SocketAddress& listen, std::string host, const std::optional<KeyBytes>& key,
             Failure failure)
    : socket_(open_socket(listen)),
      host_(std::move(host)),
      boot_id_(read_boot_id()),
      key_(key),
      failure_(std::move(failure)) {}

void Agent::answer_pending() {
  for (int i = 0; i < kBatch; ++i) {
    char data[kRequestSize + 1];  // one more, so that a longer datagram shows
    Datagram request(data, sizeof data);
    const ssize_t size = ::recvmsg(socket_.get(), &request.header, 0);
    if (size < 0) {
      if (errno == EINTR) continue;
      return;
    }
    answer({data, static_cast<std::size_t>(size)}, request.peer, request.local_address());
  }
}

void Agent::answer(std::string_view datagram, const SocketAddress& from,
                   const LocalAddress& asked) {
  const auto nonce = parse_request(datagram);
  if (!nonce) {
    report_drop(from);
    return;
  }
  HeartbeatAnswer reading{*nonce, host_, boot_id_, uptime_seconds()};
  if (failure_ && nonce->ends_with(kKnowsFailures)) set_failure(reading, failure_());
  std::string text = format_answer(key_ ? sign(std::move(reading), *key_) : reading);
  Datagram reply(text.data(), text.size());
  reply.peer = from;
  reply.set_local_address(asked);
  // An answer that cannot be sent is a missed heartbeat; there is nobody else to tell.
  (void)::sendmsg(socket_.get(), &reply.header, MSG_NOSIGNAL);
}

void Agent::report_drop(const SocketAddress& from) {
  if (const auto held_back = drops_.pass()) {
    spdlog::warn("dropped a datagram from {} that is no heartbeat ({} more since the last report)",
                 to_string(from), *held_back);
  }
}

}  // namespace tofa::health
