// SPDX-License-Identifier: BSD-3-Clause
// Heartbeats as a source of health. A round asks all hosts over one UDP socket and waits until all
// have answered or the deadline has passed; halfway those that have not are asked once more, since
// a lost datagram is no outage. An answer counts only when its nonce, its source address and its
// host name are those that were asked, and, where there is a key, somebody who has it signed it. A
// host that answers but says that one of its own checks failed is down for certain.
#pragma once

#include <netinet/in.h>

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/daemon.hpp"
#include "common/signature.hpp"
#include "healthd/resolver.hpp"
#include "healthd/source.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Poller final : public HealthSource {
 public:
  Poller(const std::vector<HostConfig>& hosts, double timeout_seconds,
         const std::optional<KeyBytes>& key);

  // One round. A host is unknown when it could not be asked: its name does not resolve, or this
  // machine's own network is down.
  std::optional<SourceReport> report(int interrupt) override;

 private:
  struct Round {
    std::vector<Verdict> verdicts;
    std::vector<std::uint64_t> boots;
    std::vector<std::optional<SocketAddress>> addresses;
    std::unordered_map<std::string, std::size_t> asked;   // who has not answered yet, by nonce
    std::unordered_set<std::string> answered;             // nonces
    std::unordered_map<std::size_t, std::string> causes;  // what checks have found
  };

  bool send(std::size_t host, const std::string& nonce, const SocketAddress& to);
  void ask(std::size_t host, Round& round);
  // All three are false when `interrupt` became readable.
  bool ask_again(int interrupt, Round& round);
  bool pace(std::size_t sent, int interrupt, Round& round);
  bool await_answers(double seconds, int interrupt, Round& round);
  void receive(Round& round);
  void receive_from(const FileDescriptor& socket, Round& round);
  const FileDescriptor& socket_for(const SocketAddress& address);
  void receive_one(std::string_view datagram, const SocketAddress& from, Round& round);
  void reject(const SocketAddress& from, const char* why);
  void report_send_failure(std::size_t host, int error);

  std::vector<std::string> names_;
  double timeout_;
  std::optional<KeyBytes> key_;  // that answers must be signed with
  Resolver resolver_;
  FileDescriptor socket_;
  FileDescriptor socket6_;  // opened for the first IPv6 address
  // Nonces of the round before: such an answer is slow, or the second to a question asked twice.
  std::unordered_set<std::string> late_;
  // Host asked and name answered, logged once.
  std::set<std::pair<std::string, std::string>> impostors_;
  std::uint64_t rejected_ = 0;
  RateLimit rejections_{std::chrono::seconds(60)};
  RateLimit send_failures_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
