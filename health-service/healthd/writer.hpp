// SPDX-License-Identifier: BSD-3-Clause
// All that waits for a disk: a thread that owns the store and writes the snapshot, so that a disk
// that is slow, or hangs, never holds up a heartbeat. The daemon hands over and goes on; what came
// of it is told later, and a descriptor becomes readable then.
//
// A snapshot is written when the disk has said what came of the batch handed over before it: what
// is published is saved. Only where the disk refuses the batch, because it is full, say, is it
// published all the same; that is reported, and the batch is kept for the next one.
#pragma once

#include <chrono>
#include <cstdint>
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

class Writer {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Writer(Store store);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  // What still waits is dropped: see finish(). Leaves the thread to itself where the disk hangs.
  ~Writer();

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
  std::thread thread_;
};

}  // namespace tofa::health
