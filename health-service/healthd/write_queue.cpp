// SPDX-License-Identifier: BSD-3-Clause
// A step is open for more until it has a task, which ends it, or is taken.
#include "healthd/write_queue.hpp"

#include <algorithm>
#include <utility>

namespace tofa::health {

WriteQueue::Step& WriteQueue::open_step() {
  if (steps_.empty() || steps_.back().task) steps_.emplace_back();
  steps_.back().number = ++last_;
  return steps_.back();
}

std::uint64_t WriteQueue::save(SaveBatch batch) {
  Step& step = open_step();
  if (unsaved_) batch = merge(*std::exchange(unsaved_, std::nullopt), std::move(batch));
  step.batch = step.batch ? merge(*std::move(step.batch), std::move(batch)) : std::move(batch);
  return last_;
}

std::uint64_t WriteQueue::publish(Publication publication) {
  open_step().publication = std::move(publication);
  return last_;
}

std::uint64_t WriteQueue::run(StoreTask task) {
  open_step().task = std::move(task);
  return last_;
}

bool WriteQueue::withdraw(std::uint64_t number) {
  // A task is the last that its step was made of.
  const auto found = std::find_if(steps_.begin(), steps_.end(), [number](const Step& step) {
    return step.number == number && step.task;
  });
  if (found == steps_.end()) return false;
  found->task = nullptr;
  return true;
}

WriteQueue::Step WriteQueue::take() {
  Step step = std::move(steps_.front());
  steps_.pop_front();
  return step;
}

void WriteQueue::give_back(SaveBatch batch) {
  const auto next = std::find_if(steps_.begin(), steps_.end(),
                                 [](const Step& step) { return step.batch.has_value(); });
  std::optional<SaveBatch>& rest = next == steps_.end() ? unsaved_ : next->batch;
  rest = rest ? merge(std::move(batch), *std::move(rest)) : std::move(batch);
}

}  // namespace tofa::health
