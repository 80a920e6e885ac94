// SPDX-License-Identifier: BSD-3-Clause
// All that waits for a disk: a thread that owns the store and writes the snapshot, so that a disk
// that is slow, or hangs, never holds up a heartbeat. The daemon hands over and goes on; what came
// of it is told later, and a descriptor becomes readable then.
//
// A snapshot is written when the disk has said what came of the batch handed over before it: what
// is published is saved. Only where the disk refuses the batch, because it is full, say, is it
// published all the same; that is reported, and the batch is kept for the next one.
//
// The store is opened, checked and brought up to date by another thread, which may hang as long;
// what is handed over waits for it. Until then the only thing that can be published is what was
// published before, with a notice.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "healthd/store.hpp"
#include "healthd/write_queue.hpp"

namespace tofa::health {

// Since the last time.
struct WriterNews {
  std::uint64_t done = 0;  // all that was handed over up to this number is dealt with
  bool tried_to_save = false;
  std::string save_trouble;  // of the last try; empty: all that was handed over is saved
  bool tried_to_publish = false;
  std::string publish_trouble;  // of the last try
  std::string damage;           // as in Store
  std::string only_in_memory;   // as in Store
};

// The snapshot that is there, or one without hosts where there is none, to be published again with
// one more warning: nobody is told less than before, and what is told is as old as it is.
struct Notice {
  std::string file;
  std::string text;
  double time = 0;    // of one without hosts,
  double period = 0;  // and its period
};

class Writer {
 public:
  using Clock = std::chrono::steady_clock;
  using StoreMaker = std::function<Store()>;  // throws what opening a store throws

  explicit Writer(StoreMaker open);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // What still waits is dropped: see finish(). Leaves the thread to itself where the disk hangs.
  ~Writer();

  // What was in the store when it was opened: given once, nothing until then. Throws what opening
  // it threw.
  std::optional<StoreContents> opened();
  // Waits until there is that to be had, or not; false where it is not by then.
  bool await_opened(Clock::time_point until);
  // While the store is being opened; too late, it does nothing.
  void tell(Notice notice);

  // None of these waits for the disk. See WriteQueue.
  std::uint64_t save(SaveBatch batch);
  std::uint64_t publish(Publication publication);
  std::uint64_t run(StoreTask task);
  bool withdraw(std::uint64_t number);

  // Readable when there is news.
  int fd() const;
  WriterNews news();

  // Since when the disk has been at work on one and the same thing; nothing while it is idle.
  std::optional<Clock::time_point> busy_since() const;

  // Waits until all that was handed over up to this number is dealt with. False where it is not by
  // then.
  bool finish(std::uint64_t number, Clock::time_point until);

 private:
  struct State;  // which the thread shares
  std::uint64_t hand_over(const std::function<std::uint64_t(WriteQueue&)>& put);

  std::shared_ptr<State> state_;
  std::thread opener_;
  std::thread thread_;
};

}  // namespace tofa::health
