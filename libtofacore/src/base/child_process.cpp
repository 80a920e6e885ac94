// SPDX-License-Identifier: BSD-3-Clause
// A pidfd keeps meaning our child even when the host process has reaped it and its number belongs
// to another process by now, so it is what we kill and wait for.
#include "tofa/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/text.hpp"

extern "C" {  // which the header of glibc 2.36 leaves out
#include <sys/pidfd.h>
}

namespace tofa {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxErrors = 4096;
constexpr int kKillMilliseconds = 1000;  // a process that hangs in the kernel may outlive SIGKILL

// A host process may have closed its standard streams; a pipe in their place would be overwritten
// in the child.
int above_standard_streams(int fd) {
  if (fd > STDERR_FILENO) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(fd);
  return moved;
}

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw Error(ErrorKind::unavailable, fmt::format("no pipe: {}", std::strerror(errno)));
    }
    read.reset(above_standard_streams(ends[0]));
    write.reset(above_standard_streams(ends[1]));
    ::fcntl(read.get(), F_SETFL, O_NONBLOCK);
  }
  FileDescriptor read;
  FileDescriptor write;
};

// Standard input from nowhere, the two outputs to the pipes, nothing else inherited, and all
// signals as they are by default, whatever the host process has blocked or ignored.
class SpawnSettings {
 public:
  SpawnSettings(const Pipe& output, const Pipe& errors) {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes, &signals);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

class Child {
 public:
  Child(const std::string& program, const std::vector<std::string>& arguments,
        const SpawnSettings& settings) {
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const int error = ::posix_spawnp(&pid_, program.c_str(), &settings.actions,
                                     &settings.attributes, argv.data(), environ);
    if (error != 0) {
      throw Error(ErrorKind::unavailable, program, 0,
                  fmt::format("cannot be run: {}", std::strerror(error)));
    }
    // Fails only when the host process has reaped the child already, or on kernels without pidfds.
    pidfd_.reset(::pidfd_open(pid_, 0));
    reaped_elsewhere_ = pidfd_.get() < 0 && errno == ESRCH;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (!waited_) {
      kill();
      (void)wait();
    }
  }

  void kill() {
    if (pidfd_.get() >= 0) {
      (void)::pidfd_send_signal(pidfd_.get(), SIGKILL, nullptr, 0);
    } else if (!reaped_elsewhere_) {
      (void)::kill(pid_, SIGKILL);
    }
  }

  // Whether the child ends within the time given, and before `interrupt` is readable; without a
  // pidfd nobody can tell.
  bool ends_within(int milliseconds, int interrupt = -1) const {
    pollfd ends[] = {{pidfd_.get(), POLLIN, 0}, {interrupt, POLLIN, 0}};
    return pidfd_.get() < 0 || (::poll(ends, 2, milliseconds) > 0 && ends[0].revents != 0);
  }

  // Its exit status, 128 + signal, or -1 when the host process took it or not even SIGKILL ends it.
  int wait() {
    waited_ = true;
    if (reaped_elsewhere_ || !ends_within(kKillMilliseconds)) return -1;
    siginfo_t info{};
    const bool by_pidfd = pidfd_.get() >= 0;
    const id_t id = by_pidfd ? static_cast<id_t>(pidfd_.get()) : static_cast<id_t>(pid_);
    while (::waitid(by_pidfd ? P_PIDFD : P_PID, id, &info, WEXITED) != 0) {
      if (errno != EINTR) return -1;
    }
    return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
  }

 private:
  pid_t pid_ = -1;
  FileDescriptor pidfd_;
  bool reaped_elsewhere_ = false;
  bool waited_ = false;
};

int milliseconds_until(Clock::time_point deadline) {
  const double left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::ceil(left));
}

// Appends what is there; text beyond `limit` is read and dropped. False at the end of the stream.
bool drain(int fd, std::string& text, std::size_t limit, bool& overflow) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size == 0) return false;
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    const std::size_t room = limit - text.size();
    overflow = overflow || static_cast<std::size_t>(size) > room;
    text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
    if (overflow) return true;
  }
}

// Reads both streams until both have ended; the end of the output is what counts.
ChildResult::End collect(const Pipe& output, const Pipe& errors, const ChildLimits& limits,
                         Clock::time_point deadline, ChildResult& result) {
  bool output_open = true;
  bool errors_open = true;
  while (output_open || errors_open) {
    const int wait = milliseconds_until(deadline);
    if (wait == 0) return ChildResult::End::deadline;
    pollfd streams[] = {{output_open ? output.read.get() : -1, POLLIN, 0},
                        {errors_open ? errors.read.get() : -1, POLLIN, 0},
                        {limits.interrupt, POLLIN, 0}};
    if (::poll(streams, 3, wait) <= 0) continue;
    if (streams[2].revents != 0) return ChildResult::End::interrupted;
    bool overflow = false;
    bool ignored = false;
    if (streams[0].revents != 0) {
      output_open = drain(output.read.get(), result.output, limits.max_output, overflow);
    }
    if (streams[1].revents != 0) {
      errors_open = drain(errors.read.get(), result.errors, kMaxErrors, ignored);
    }
    if (overflow) return ChildResult::End::too_large;
  }
  return ChildResult::End::exited;
}

}  // namespace

ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                      const ChildLimits& limits) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limits.deadline_seconds));
  Pipe output;
  Pipe errors;
  Child child(program, arguments, SpawnSettings(output, errors));
  output.write.reset();
  errors.write.reset();
  ChildResult result;
  result.end = collect(output, errors, limits, deadline, result);
  // A program may close its outputs and still not end.
  if (result.end == ChildResult::End::exited &&
      !child.ends_within(milliseconds_until(deadline), limits.interrupt)) {
    result.end = ChildResult::End::deadline;
  }
  if (result.end != ChildResult::End::exited) child.kill();
  result.status = child.wait();
  return result;
}

ChildResult run_to_end(const std::string& program, const std::vector<std::string>& arguments,
                       const ChildLimits& limits, const std::string& name) {
  ChildResult result = run_child(program, arguments, limits);
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::unavailable, fmt::format("{} {}", name, problem));
  };
  switch (result.end) {
    case ChildResult::End::exited:
      break;
    case ChildResult::End::deadline:
      fail(fmt::format("did not answer within {} s", limits.deadline_seconds));
      break;
    case ChildResult::End::too_large:
      fail(fmt::format("printed more than {} bytes", limits.max_output));
      break;
    case ChildResult::End::interrupted:
      fail("was interrupted");
      break;
  }
  return result;
}

std::string complaint_of(const ChildResult& result) {
  std::string text = result.errors;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  const std::string_view reason = trim(text);
  return reason.empty() ? fmt::format("status {}", result.status) : std::string(reason);
}

std::string run_and_check(const std::string& program, const std::vector<std::string>& arguments,
                          const ChildLimits& limits, const std::string& name) {
  ChildResult result = run_to_end(program, arguments, limits, name);
  if (result.status == 0) return std::move(result.output);
  throw Error(ErrorKind::unavailable, fmt::format("{} failed: {}", name, complaint_of(result)));
}

}  // namespace tofa
