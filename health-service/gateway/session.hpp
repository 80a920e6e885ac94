// SPDX-License-Identifier: BSD-3-Clause
// A client that has been let in, between its socket and one end of a pair whose other end libpmix
// has. Towards libpmix go whole messages that were found good, towards the client whatever libpmix
// says. Nothing here waits: the gate's poll() does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tofa/file_descriptor.hpp"

struct pollfd;

namespace tofa::health {

class Session {
 public:
  using Clock = std::chrono::steady_clock;

  Session(FileDescriptor client, FileDescriptor libpmix, Clock::time_point deadline)
      : client_(std::move(client)), libpmix_(std::move(libpmix)), deadline_(deadline) {}

  // Adds kEvents of what go_on() waits for.
  static constexpr std::size_t kEvents = 2;
  void wait_for(std::vector<pollfd>& events) const;
  // Moves what can be moved now. False when a message was refused; the session has ended then.
  bool go_on();

  int client() const { return client_.get(); }
  // Since when neither a whole message has come nor the client has taken anything.
  Clock::time_point quiet_since() const { return quiet_since_; }
  // How often libpmix has said something or hung up.
  std::uint64_t heard() const { return heard_; }
  // True while it is libpmix's turn, for whose slowness no client is to blame.
  bool waits_for_libpmix() const { return waits_for_libpmix_ && answers_.empty(); }
  // The client or libpmix has hung up, or the client has sent what it must not.
  bool has_ended() const { return ended_; }
  // It has lasted too long, or it is the client's turn and nothing comes.
  bool is_late(Clock::time_point now) const;

 private:
  bool relay_requests();
  bool relay_messages();
  void relay_answers();
  bool flush();

  FileDescriptor client_;
  FileDescriptor libpmix_;
  Clock::time_point deadline_;
  std::string requests_;  // the beginning of a message that is not whole yet
  std::string answers_;   // what the client has not taken yet
  Clock::time_point quiet_since_ = Clock::now();
  bool waits_for_libpmix_ = true;  // a handshake has an answer, too
  int messages_ = 0;
  std::uint64_t heard_ = 0;
  bool ended_ = false;
};

}  // namespace tofa::health
