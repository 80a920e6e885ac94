// SPDX-License-Identifier: BSD-3-Clause
// One poll() over the port and all clients of the web server. A request is answered once it is
// whole, one after the other, and as long as not too much of other answers is left to be sent.
// Where there is no room for all, the least deserving give way (gateway/crowd.hpp): addresses take
// turns, and of one address, which may be that of a proxy, those come first that spoke last. So
// clients that are slow, and floods of them, keep nobody waiting.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tofa/file_descriptor.hpp"
#include "web/connection.hpp"

namespace tofa::health {

class HttpLoop {
 public:
  struct Answer {
    std::string text;
    bool last = false;  // the connection ends behind it
  };
  // To the head of a request; the client may not ask again where `last`.
  using Serve = std::function<Answer(const std::string& request, bool last)>;

  // Takes a listening socket that does not block.
  HttpLoop(FileDescriptor listener, Serve serve)
      : listener_(std::move(listener)), serve_(std::move(serve)) {}

  // Waits for events, at most half a second, and handles them. Returns at once when `interrupt` is
  // readable.
  void pass(int interrupt);

 private:
  using Clock = Connection::Clock;

  bool has_room() const;
  int wait() const;
  void accept_new();
  void forget_ended();
  void make_room_for_connections();
  void make_room_for_answers();
  std::size_t whose_turn(const std::vector<Standing>& waiting);
  void serve_next();
  template <typename Which>
  std::vector<Standing> standings(std::vector<Connection*>& who, const Which& which);

  FileDescriptor listener_;
  Serve serve_;
  std::vector<Connection> connections_;
  std::set<std::uint64_t> had_turn_;  // addresses, since all that waited had one
  Clock::time_point accept_again_;    // after running out of descriptors
};

}  // namespace tofa::health
