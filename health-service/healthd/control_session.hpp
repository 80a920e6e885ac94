// SPDX-License-Identifier: BSD-3-Clause
// One connection to the daemon's local socket: a request is read, it is answered, the connection is
// closed. Who asks nothing in time, or too much, is told so. Pure: bytes and times come in, bytes
// go out; seconds are by any clock that nobody sets.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::health {

// Who is at the other end, as the kernel tells it.
struct Caller {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups = {};  // the others of the process
  std::string user = {};           // the name of `uid`
};

// root, the daemon's own user, and members of the group.
bool may_change(const Caller& caller, uid_t own, const std::optional<gid_t>& group);

// A user's name as it may stand in a line of text, or "uid N".
std::string shown_user(uid_t uid, const std::string& name);

class ControlSession {
 public:
  static constexpr double kReadSeconds = 2;
  static constexpr double kWriteSeconds = 10;

  enum class State {
    reading,
    asked,      // the request is whole and waits for its answer
    answering,  // there is something to send
    over,
  };

  explicit ControlSession(double now) : deadline_(now + kReadSeconds) {}

  State state() const { return state_; }
  // What has arrived; nothing more will, where `end` is set.
  void take(std::string_view bytes, bool end, double now);
  // The request, once it is whole.
  const std::string& request() const { return text_; }
  void answer(std::string text, double now);

  std::string_view to_send() const { return std::string_view(text_).substr(sent_); }
  void sent(std::size_t bytes);

  // When it has to be looked at even if nothing happens; far away while it waits for its answer.
  double deadline() const;
  void pass(double now);

 private:
  void refuse(const std::string& why, double now);

  State state_ = State::reading;
  std::string text_;  // what was read, then what is to be sent
  std::size_t sent_ = 0;
  double deadline_;
};

}  // namespace tofa::health
