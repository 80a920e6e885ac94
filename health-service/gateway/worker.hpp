// SPDX-License-Identifier: BSD-3-Clause
// A process that has libpmix in it, and the line over which it gets connections. libpmix leaks with
// every client and may crash or hang: then there is another process, while the gate, which has the
// port and the clients' sockets, goes on. A process that is not wanted any more keeps the sessions
// that it has and ends when they are over, so that nobody waits for anybody else's.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Worker {
 public:
  // What the new process does, with its end of the line and a folder that is removed after it.
  using Serve = std::function<void(int line, const std::string& folder)>;

  // Throws tofa::Error. The caller must have no threads.
  explicit Worker(const Serve& serve);
  // Hangs up, upon which the process ends; if it does not soon, it is killed.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Readable when there is news for look().
  int line() const { return line_.get(); }
  enum class State { starting, ready, ended };
  State look();
  // How it ended, for people. Only once it has.
  std::string ending();

  // Without a chance to end by itself, for one that has not used those that it had.
  void kill();

  // False while it has not yet taken most of what it was given.
  bool takes_more() const;
  // False when it cannot take it; the connection is closed then.
  bool give(FileDescriptor connection);

 private:
  void wait_for_end();

  std::string folder_;
  FileDescriptor line_;
  pid_t process_ = -1;
  int status_ = 0;
  State state_ = State::starting;
};

// For what the process does: says that it takes connections from now on.
void say_ready(int line);
// The next connection; an invalid descriptor when the gate has hung up.
FileDescriptor take_connection(int line);

}  // namespace tofa::health
