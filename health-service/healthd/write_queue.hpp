// SPDX-License-Identifier: BSD-3-Clause
// What waits for the disk, in the order in which it is to happen: a step saves a batch, then
// publishes a snapshot, then runs a task. What is handed over while a step without a task waits
// becomes part of it, so that there are never more steps than tasks, and one. A snapshot is in the
// same step as the batch that it was made with, or in a later one: it is written when what it
// shows is saved. Pure: no thread, no disk.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "healthd/save_batch.hpp"
#include "tofa/health_snapshot.hpp"

namespace tofa::health {

class Store;

// Something to be done with the store. Throws nothing.
using StoreTask = std::function<void(Store& store)>;

struct Publication {
  Snapshot snapshot;
  std::string file;
};

class WriteQueue {
 public:
  struct Step {
    std::uint64_t number = 0;  // the last that was handed over for it
    std::optional<SaveBatch> batch;
    std::optional<Publication> publication;
    StoreTask task;
  };

  // Each returns its number; they count up.
  std::uint64_t save(SaveBatch batch);
  std::uint64_t publish(Publication publication);
  std::uint64_t run(StoreTask task);

  // Takes back a task that waits still. False where it does not.
  bool withdraw(std::uint64_t number);

  bool empty() const { return steps_.empty(); }
  Step take();
  // A batch that could not be saved goes along with the next one.
  void give_back(SaveBatch batch);

 private:
  Step& open_step();

  std::deque<Step> steps_;
  std::optional<SaveBatch> unsaved_;  // given back, and nothing to be saved since
  std::uint64_t last_ = 0;
};

}  // namespace tofa::health
