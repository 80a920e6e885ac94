// SPDX-License-Identifier: BSD-3-Clause
// The gate in front of libpmix. It owns the public port, and libpmix never has a client's socket:
// once a whole handshake has arrived and looks right, libpmix gets one end of a pair of sockets,
// and through it the messages that were found good (session.hpp). So libpmix never waits for a
// client and never reads what the gate does not know. A connection is cut off when it has lasted
// too long, and when there is no room, one that has been quiet gives way (crowd.hpp), so that idle
// clients neither use up the descriptors nor keep others waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/daemon.hpp"
#include "gateway/handover.hpp"
#include "gateway/session.hpp"
#include "gateway/verdict.hpp"
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

  // Stops taking new connections; the kernel queues them. idle() once all others have ended, which
  // quiet ones are made to.
  void close() { open_ = false; }
  bool idle() const { return pending_.empty() && sessions_.empty(); }
  std::uint64_t handed_over() const { return handed_over_; }
  FileDescriptor release_listener() { return std::move(listener_); }

 private:
  using Clock = Session::Clock;

  // Its handshake is not complete yet, or there is no room for another session.
  struct Pending {
    FileDescriptor socket;
    std::uint32_t address = 0;
    Clock::time_point since;
    bool waits_for_room = false;
    bool finished = false;
  };
  struct LetIn {
    std::uint32_t address = 0;
    Session session;
  };

  bool accepting() const;
  std::optional<std::size_t> quiet_pending() const;
  std::optional<std::size_t> quiet_session() const;
  bool room_for_pending() const;
  bool room_for_session() const;
  std::vector<pollfd> events(int interrupt, bool accepted, bool room) const;
  void go_on(const std::vector<pollfd>& events);
  void accept_new();
  void complain_of_accept(int error);
  void inspect(Pending& connection);
  void let_in(Pending& connection, const Check& handshake);
  void expire();
  void report(int socket, const char* why);

  FileDescriptor listener_;
  Handover& handover_;
  std::vector<Pending> pending_;
  std::vector<LetIn> sessions_;
  Clock::time_point accept_again_;  // after running out of descriptors
  bool open_ = true;
  std::uint64_t handed_over_ = 0;
  RateLimit refusals_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
