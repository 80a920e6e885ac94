// SPDX-License-Identifier: BSD-3-Clause
// The agent of a node: one UDP socket that answers heartbeats and nothing else. Where the node is
// checked, answers tell of a check that failed.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/signature.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

// Which of this host's addresses a datagram was sent to, in the form of the socket's family.
struct LocalAddress {
  in_pktinfo v4{};
  in6_pktinfo v6{};
};

class Agent {
 public:
  // What a check of the node says is wrong, empty: nothing.
  using Failure = std::function<std::string()>;

  // Throws tofa::Error when the address cannot be had. Without `failure`, nothing is checked.
  Agent(const SocketAddress& listen, std::string host, const std::optional<KeyBytes>& key,
        Failure failure = {});

  int fd() const { return socket_.get(); }

  // Answers what has arrived, and returns when nothing is left or a batch is done.
  void answer_pending();

 private:
  void answer(std::string_view datagram, const SocketAddress& from, const LocalAddress& asked);
  void report_drop(const SocketAddress& from);

  FileDescriptor socket_;
  std::string host_;
  std::string boot_id_;
  std::optional<KeyBytes> key_;  // to sign answers with
  Failure failure_;
  RateLimit drops_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
