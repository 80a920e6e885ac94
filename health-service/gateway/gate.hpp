// SPDX-License-Identifier: BSD-3-Clause
// The gate in front of libpmix. It owns the public port, and libpmix, in a process of its own
// (worker.hpp), never has a client's socket: once a whole handshake has arrived and looks right,
// libpmix gets one end of a pair of sockets, and through it the messages that were found good
// (session.hpp). So libpmix never waits for a client and never reads what the gate does not know. A
// connection is cut off when it has lasted too long or is silent, and when there is no room, the
// least deserving gives way (crowd.hpp), so that nobody keeps others waiting.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/daemon.hpp"
#include "gateway/crowd.hpp"
#include "gateway/patience.hpp"
#include "gateway/session.hpp"
#include "gateway/verdict.hpp"
#include "gateway/worker.hpp"
#include "tofa/file_descriptor.hpp"

struct pollfd;

namespace tofa::health {

class Gate {
 public:
  // Takes the listening socket. After `renew_after` sessions another process serves, 0: never.
  // Throws tofa::Error when libpmix does not start.
  Gate(FileDescriptor listener, Worker::Serve serve, std::uint64_t renew_after);

  // Waits for events, at most a second, and handles them. Returns at once when `interrupt` is
  // readable.
  void serve(int interrupt);

  // What it did so far and does now, in a line for people.
  std::string status() const;

 private:
  using Clock = Session::Clock;

  // Its handshake is not complete yet, or there is no room for another session.
  struct Pending {
    FileDescriptor socket;
    Origin origin;
    Clock::time_point since;
    Check handshake = {};  // complete: it waits for room
    bool finished = false;

    bool waits() const { return handshake.verdict == FrameVerdict::complete; }
  };
  struct LetIn {
    Origin origin;
    Session session;
    std::shared_ptr<Worker> worker;
  };
  struct Counts {
    std::uint64_t let_in = 0, made_room = 0, late = 0, refused = 0;
  };

  void keep_worker();
  void start_worker();
  std::optional<std::chrono::seconds> worker_hangs();
  void give_up_worker(std::chrono::seconds waited);
  bool accepting() const;
  std::vector<pollfd> events(int interrupt, bool accepting) const;
  void go_on(const std::vector<pollfd>& events);
  void accept_new();
  void complain_of_accept(int error);
  void make_room_for_pending();
  void inspect(Pending& connection);
  std::vector<Standing> sessions_standing() const;
  std::size_t room_for_sessions();
  void let_in_waiting();
  void let_in(Pending& connection);
  void expire();
  void report(int socket, const char* why);

  FileDescriptor listener_;
  Worker::Serve serve_;
  std::uint64_t renew_after_;
  std::shared_ptr<Worker> worker_;  // sessions of earlier ones keep those
  std::uint64_t given_ = 0;         // to worker_
  Clock::time_point started_;       // worker_
  Patience patience_;               // with worker_
  bool stirred_ = false;            // worker_ said something since patience_ was asked
  Clock::time_point start_again_;   // after one that did not get ready
  std::vector<Pending> pending_;
  std::vector<LetIn> sessions_;
  Clock::time_point accept_again_;  // after running out of descriptors
  Counts counts_;
  RateLimit refusals_{std::chrono::seconds(60)};
  RateLimit failures_{std::chrono::seconds(60)};
};

}  // namespace tofa::health
