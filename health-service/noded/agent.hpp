// SPDX-License-Identifier: BSD-3-Clause
// The agent of a node: one UDP socket that answers heartbeats and nothing else.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/daemon.hpp"
#include "common/signature.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Agent {
 public:
  // Throws tofa::Error when the address cannot be had.
  Agent(const sockaddr_in& listen, std::string host, const std::optional<KeyBytes>& key);

  int fd() const { return socket_.get(); }

  // Answers what has arrived, and returns when nothing is left or a batch is done.
  void answer_pending();

 private:
  void answer(std::string_view datagram, const sockaddr_in& from, const in_addr& asked);
  void report_drop(const sockaddr_in& from);

  FileDescriptor socket_;
  std::string host_;
  std::string boot_id_;
  std::optional<KeyBytes> key_;  // to sign answers with
  RateLimit drops_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
