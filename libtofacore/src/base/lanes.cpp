// SPDX-License-Identifier: BSD-3-Clause
// Lanes as threads. The library also runs inside launchers that handle signals in a thread of their
// own, so threads started here let none through.
#include "base/lanes.hpp"

#include <csignal>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

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

// While something else is waited for on this core. To give it up instead, on a busy machine, is to
// wait until others have had their turn, hundreds of times in a search.
void rest() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Counts what has been asked for or done. Who waits sleeps only after a moment, since to be woken
// takes longer than most lanes wait for each other.
class LaneCount {
 public:
  void add() {
    value_.fetch_add(1, std::memory_order_release);
    value_.notify_one();
  }
  void wait_for(std::uint32_t value) const {
    constexpr std::chrono::microseconds moment{50};
    const auto end = std::chrono::steady_clock::now() + moment;
    for (std::uint32_t seen = 0; (seen = value_.load(std::memory_order_acquire)) != value;) {
      if (std::chrono::steady_clock::now() < end) {
        rest();
      } else {
        value_.wait(seen, std::memory_order_acquire);
      }
    }
  }

 private:
  std::atomic<std::uint32_t> value_{0};
};

namespace {

// What this thread may use for its next lanes.
thread_local LaneThread* kept = nullptr;

}  // namespace

// A thread that does one piece of work after the other. It is started when there is the first.
class LaneThread {
 public:
  LaneThread() = default;
  LaneThread(const LaneThread&) = delete;
  LaneThread& operator=(const LaneThread&) = delete;
  ~LaneThread() {
    if (!thread_.joinable()) return;
    work_ = nullptr;
    posted_.add();
    thread_.join();
  }

  // False if no thread can be had. `work` must not throw, and live until wait() has returned.
  bool start(const std::function<void()>& work) {
    work_ = &work;
    try {
      if (!inner_) inner_ = std::make_unique<LaneThread>();
      const SignalsBlocked blocked;
      if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    } catch (const std::exception&) {
      return false;
    }
    posted_.add();
    ++pieces_;
    return true;
  }
  void wait() { done_.wait_for(pieces_); }
  // For lanes within the first lane, while this one is busy.
  LaneThread& next() {
    if (!next_) next_ = std::make_unique<LaneThread>();
    return *next_;
  }

 private:
  void run() {
    kept = inner_.get();
    for (std::uint32_t piece = 1;; ++piece) {
      posted_.wait_for(piece);
      if (work_ == nullptr) return;
      (*work_)();
      done_.add();
    }
  }

  const std::function<void()>* work_ = nullptr;  // nothing: the end
  LaneCount posted_;
  LaneCount done_;
  std::uint32_t pieces_ = 0;
  std::unique_ptr<LaneThread> next_;
  std::unique_ptr<LaneThread> inner_;  // for lanes within the work of this thread
  std::thread thread_;
};

KeptLanes::KeptLanes()
    : thread_(std::make_unique<LaneThread>()), before_(std::exchange(kept, thread_.get())) {}

KeptLanes::~KeptLanes() {
  kept = before_;
}

void run_lanes(const std::function<void(unsigned lane)>& work) {
  static_assert(kLanes == 2);
  std::array<std::exception_ptr, kLanes> failures;
  const auto run = [&](unsigned lane) {
    try {
      work(lane);
    } catch (...) {
      failures[lane] = std::current_exception();
    }
  };
  const std::function<void()> second = [&run] { run(1); };
  LaneThread fresh;
  LaneThread* const own = kept;
  LaneThread& thread = own != nullptr ? *own : fresh;
  kept = &thread.next();
  const bool beside = thread.start(second);
  run(0);
  if (beside) {
    thread.wait();
  } else {
    run(1);  // no thread to be had
  }
  kept = own;
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void run_lanes_if(bool worth_a_thread, const std::function<void(unsigned lane)>& work) {
  if (worth_a_thread) return run_lanes(work);
  for (unsigned lane = 0; lane < kLanes; ++lane) work(lane);
}

}  // namespace tofa
