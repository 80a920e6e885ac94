// SPDX-License-Identifier: BSD-3-Clause
// A client of the web server: what it has sent of a request, and what it has not taken yet of the
// answer. Nothing here waits, so a client that is slow costs a descriptor and no thread; and each
// of its states has an end, however busily it sends or takes single bytes.
#pragma once

#include <chrono>
#include <string>

#include "gateway/crowd.hpp"
#include "tofa/file_descriptor.hpp"

struct pollfd;

namespace tofa::health {

class Connection {
 public:
  using Clock = std::chrono::steady_clock;
  // The client sends a request; it waits for the answer; it takes the answer; it may read the end
  // of the last answer, and what it sends is thrown away.
  enum class State { asking, waiting, answering, leaving, ended };

  // For a whole request, from the beginning of the connection or the end of the answer before.
  static constexpr std::chrono::seconds kAskingTime{5};
  static constexpr int kMostRequests = 100;

  Connection(FileDescriptor socket, std::uint64_t network)
      : socket_(std::move(socket)), network_(network) {}

  State state() const { return state_; }
  // What go_on() waits for.
  pollfd event() const;
  // Moves what can be moved now.
  void go_on();

  // The head of the request, while it waits: nobody needs what may follow it.
  std::string request() const { return received_.substr(0, head_); }
  // True when it has asked often enough.
  bool is_last_request() const;
  // After the `last` answer the connection ends.
  void answer(std::string text, bool last);
  std::size_t unsent() const { return answer_.size() - sent_; }

  bool is_late(Clock::time_point now) const;
  // Before it ends by itself.
  void cut_off();
  // Among others, see most_deserving_first().
  Standing standing() const { return {{network_, 0}, since_, state_ == State::waiting}; }

 private:
  bool has_untaken() const;
  void enter(State state);
  void end() { enter(State::ended); }
  void receive();
  void look_for_request();
  void send();
  void discard();

  FileDescriptor socket_;
  std::uint64_t network_;
  State state_ = State::asking;
  Clock::time_point since_ = Clock::now();
  Clock::time_point answered_;  // last
  std::string received_;
  std::size_t head_ = 0;      // bytes of the request's head
  std::size_t searched_ = 0;  // without finding its end
  std::string answer_;
  std::size_t sent_ = 0;
  bool last_ = false;
  int requests_ = 0;
};

}  // namespace tofa::health
