// SPDX-License-Identifier: BSD-3-Clause
// Signals arrive through a signalfd, so that a daemon handles them between two steps of its loop
// and none of its system calls is interrupted. Lines for the journal carry no time, which it adds
// itself.
#include "common/daemon.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tofa/error.hpp"

namespace tofa::health {
namespace {

// The command line says all that there is to do.
struct Ended {
  int status;
};

void log_to_stderr(const std::string& program) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt(program));
  const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  spdlog::set_pattern(journal ? "%l: %v" : "%Y-%m-%dT%H:%M:%S.%e%z %n %l: %v");
  spdlog::flush_on(spdlog::level::trace);
}

}  // namespace

int run_daemon(const std::string& name, int argc, char** argv, const Daemon& run) noexcept {
  try {
    log_to_stderr(name);
    cli::Program program(name, TOFA_VERSION);
    try {
      run(program.command(), [&] {
        if (const auto status = program.parse(argc, argv)) throw Ended{*status};
      });
      return 0;
    } catch (const Ended& ended) {
      return ended.status;
    } catch (const Error& error) {
      spdlog::error("{}", error.what());
      return error.kind() == ErrorKind::bad_input ? 2 : 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return 1;
  }
}

SignalQueue::SignalQueue(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  fd_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot receive signals: {}", std::strerror(errno)));
  }
}

int SignalQueue::take() {
  signalfd_siginfo info{};
  return ::read(fd_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                              : 0;
}

FileDescriptor make_event() {
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) {
    throw Error(ErrorKind::unavailable, fmt::format("no eventfd: {}", std::strerror(errno)));
  }
  return event;
}

double seconds_running() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<std::uint64_t> RateLimit::pass() {
  const auto now = std::chrono::steady_clock::now();
  if (last_ && now - *last_ < interval_) {
    ++held_back_;
    return std::nullopt;
  }
  last_ = now;
  return std::exchange(held_back_, 0);
}

}  // namespace tofa::health
