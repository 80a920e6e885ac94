// SPDX-License-Identifier: BSD-3-Clause
// What every daemon does the same way: read its options, log to stderr, take signals in its loop
// rather than in handlers, tell systemd how it is, not flood the log, and end with a status.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "command_line.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

// All that main() does. `run` adds its options to the command, calls `parse`, and serves until it
// is asked to stop. Returns the exit status: 2 for a mistake in the options or the configuration, 1
// for any other failure, which is logged.
using Daemon = std::function<void(cli::Command& command, const std::function<void()>& parse)>;
int run_daemon(const std::string& name, int argc, char** argv, const Daemon& run) noexcept;

// Blocks the signals for the calling thread and those it starts, and queues them on a descriptor to
// poll.
class SignalQueue {
 public:
  explicit SignalQueue(std::initializer_list<int> signals);
  int fd() const { return fd_.get(); }
  // The next pending signal, 0 when there is none.
  int take();

 private:
  FileDescriptor fd_;
};

// An eventfd that does not block: readable once somebody wrote to it. Throws tofa::Error.
FileDescriptor make_event();

// By a clock that nobody sets.
double seconds_running();

// sd_notify: `state` such as "READY=1"; nothing happens outside systemd.
void notify_systemd(const std::string& state);

// Lets one message in `interval` through and counts the others.
class RateLimit {
 public:
  explicit RateLimit(std::chrono::seconds interval) : interval_(interval) {}
  // How many messages were held back since the last one; nothing when this one has to be held back,
  // too.
  std::optional<std::uint64_t> pass();

 private:
  std::chrono::seconds interval_;
  std::optional<std::chrono::steady_clock::time_point> last_;
  std::uint64_t held_back_ = 0;
};

}  // namespace tofa::health
