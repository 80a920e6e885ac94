// SPDX-License-Identifier: BSD-3-Clause
// The gate in front of libpmix. It owns the public port; libpmix listens on a private one of the
// loopback interface. A connection is handed over once its whole handshake has arrived and looks
// right, so that libpmix never waits for a client; and it is cut off when it has lasted too long,
// so that idle clients cannot use up the descriptors.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "common/daemon.hpp"
#include "gateway/handover.hpp"
#include "tofa/file_descriptor.hpp"

struct pollfd;

namespace tofa::health {

class Gate {
 public:
  // Takes the listening socket; `handover` leads to libpmix.
  Gate(FileDescriptor listener, Handover& handover);

  // Waits for events, at most a second, and handles them. Returns at once when `interrupt` is
  // readable.
  void serve(int interrupt);

  // Stops taking new connections; the kernel queues them. idle() once all others have ended.
  void close() { open_ = false; }
  bool idle() const { return pending_.empty() && sessions_.empty(); }
  std::uint64_t handed_over() const { return handed_over_; }
  FileDescriptor release_listener() { return std::move(listener_); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    FileDescriptor socket;
    Clock::time_point deadline;
    bool finished = false;
  };

  bool accepting() const;
  void accept_new();
  void inspect(Connection& connection);
  void expire(std::vector<Connection>& connections);
  void refuse(Connection& connection, const char* why);

  FileDescriptor listener_;
  Handover& handover_;
  std::vector<Connection> pending_;   // the handshake is not complete yet
  std::vector<Connection> sessions_;  // handed over; these are duplicates of libpmix's descriptors
  Clock::time_point accept_again_;    // after running out of descriptors
  bool open_ = true;
  std::uint64_t handed_over_ = 0;
  RateLimit refusals_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
