// SPDX-License-Identifier: BSD-3-Clause
// Agents of many nodes in one process, which answer as tofa-noded does: for measurements of
// tofa-healthd. The node h<i> has the address 127.16.0.0 + i, and all of them the same port.
// Usage: tofa-health-agents PORT, until it is killed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

constexpr std::uint32_t kFirst = 0x7f100000;              // 127.16.0.0
constexpr std::string_view kStart = "tofa-heartbeat 1 ";  // of a request; its nonce follows
constexpr std::size_t kNonce = 32;
constexpr int kAtOnce = 64;
constexpr int kQueue = 64 << 20;  // bytes that may wait

// One socket for all: the answer goes out from the address that was asked, which the control
// message of the request tells and that of the answer sets.
struct Datagram {
  std::array<char, 1024> data{};
  alignas(cmsghdr) std::array<char, 64> control{};
  sockaddr_in peer{};
  iovec part{};
};

std::uint32_t asked_address(const msghdr& message) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr) return 0;
  in_pktinfo info{};
  std::memcpy(&info, CMSG_DATA(header), sizeof info);
  return ntohl(info.ipi_addr.s_addr);
}

// The request in it becomes the answer; false where it is none.
bool answer(Datagram& datagram, std::size_t size, std::uint32_t address) {
  const std::string_view request(datagram.data.data(), size);
  if (!request.starts_with(kStart) || size < kStart.size() + kNonce || address < kFirst)
    return false;
  const std::string text = std::string(request.substr(0, kStart.size() + kNonce)) + " h" +
                           std::to_string(address - kFirst) + " boot 1000\n";
  std::memcpy(datagram.data.data(), text.data(), text.size());
  datagram.part.iov_len = text.size();
  return true;
}

void prepare(mmsghdr& message, Datagram& datagram) {
  datagram.part = {datagram.data.data(), datagram.data.size()};
  message.msg_hdr = {};
  message.msg_hdr.msg_name = &datagram.peer;
  message.msg_hdr.msg_namelen = sizeof datagram.peer;
  message.msg_hdr.msg_iov = &datagram.part;
  message.msg_hdr.msg_iovlen = 1;
  message.msg_hdr.msg_control = datagram.control.data();
  message.msg_hdr.msg_controllen = datagram.control.size();
}

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

void serve(int fd) {
  static std::array<Datagram, kAtOnce> datagrams;
  std::array<mmsghdr, kAtOnce> messages{};
  for (;;) {
    for (int i = 0; i < kAtOnce; ++i) prepare(messages[i], datagrams[i]);
    const int count = ::recvmmsg(fd, messages.data(), kAtOnce, MSG_WAITFORONE, nullptr);
    if (count < 0) fail("recvmmsg");
    for (int i = 0; i < count; ++i) {
      if (answer(datagrams[i], messages[i].msg_len, asked_address(messages[i].msg_hdr)))
        (void)::sendmsg(fd, &messages[i].msg_hdr, 0);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int port = argc == 2 ? std::atoi(argv[1]) : 0;
  if (port <= 0) {
    std::fprintf(stderr, "usage: %s PORT\n", argv[0]);
    return 2;
  }
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  const int on = 1;
  (void)::setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kQueue, sizeof kQueue) != 0)
    (void)::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &kQueue, sizeof kQueue);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("bind");
  serve(fd);
}
