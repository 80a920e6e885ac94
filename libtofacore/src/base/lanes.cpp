// SPDX-License-Identifier: BSD-3-Clause
// Lanes as threads. The library also runs inside launchers that handle signals in a thread of their
// own, so threads started here let none through.
#include "base/lanes.hpp"

#include <csignal>

#include <array>
#include <exception>
#include <system_error>
#include <thread>

namespace tofa {
namespace {

// Blocks all signals while it lives; threads started meanwhile inherit that.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void run_lanes(const std::function<void(unsigned lane)>& work) {
  std::array<std::exception_ptr, kLanes> failures;
  const auto run = [&](unsigned lane) {
    try {
      work(lane);
    } catch (...) {
      failures[lane] = std::current_exception();
    }
  };
  std::array<std::thread, kLanes> threads;
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    try {
      const SignalsBlocked blocked;
      threads[lane] = std::thread(run, lane);
    } catch (const std::system_error&) {
      // No thread to be had: this lane's turn comes below.
    }
  }
  run(0);
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    if (threads[lane].joinable()) {
      threads[lane].join();
    } else {
      run(lane);
    }
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace tofa
