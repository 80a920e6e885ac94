// SPDX-License-Identifier: BSD-3-Clause
// The lock is held for moments only, never while the disk is at work.
#include "healthd/writer.hpp"

#include <sys/eventfd.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "common/daemon.hpp"
#include "common/snapshot.hpp"

namespace tofa::health {
namespace {

constexpr std::chrono::seconds kFarewellOfThread{1};  // for the thread to end

// What went wrong, empty if nothing did.
template <class Deed>
std::string trouble_of(const Deed& deed) {
  try {
    deed();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

struct Writer::State {
  explicit State(Store given) : store(std::move(given)) {
    news.damage = store.damage();
    news.only_in_memory = store.only_in_memory();
  }

  void write();  // the thread
  void perform(WriteQueue::Step& step);
  void save(SaveBatch& batch);

  Store store;  // the thread's
  const FileDescriptor event = make_event();

  std::mutex mutex;                // of all below
  std::condition_variable wake;    // the thread
  std::condition_variable change;  // who waits in finish() or for the end
  WriteQueue queue;
  WriterNews news;
  std::optional<Clock::time_point> busy;
  bool stop = false;
  bool ended = false;
};

Writer::Writer(Store store)
    : state_(std::make_shared<State>(std::move(store))),
      thread_([state = state_] { state->write(); }) {}

Writer::~Writer() {
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->wake.notify_one();
  const bool ended =
      state_->change.wait_for(lock, kFarewellOfThread, [this] { return state_->ended; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

std::uint64_t Writer::hand_over(const std::function<std::uint64_t(WriteQueue&)>& put) {
  const std::lock_guard lock(state_->mutex);
  const std::uint64_t number = put(state_->queue);
  state_->wake.notify_one();
  return number;
}

std::uint64_t Writer::save(SaveBatch batch) {
  return hand_over([&](WriteQueue& queue) { return queue.save(std::move(batch)); });
}

std::uint64_t Writer::publish(Publication publication) {
  return hand_over([&](WriteQueue& queue) { return queue.publish(std::move(publication)); });
}

std::uint64_t Writer::run(StoreTask task) {
  return hand_over([&](WriteQueue& queue) { return queue.run(std::move(task)); });
}

bool Writer::withdraw(std::uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  return state_->queue.withdraw(number);
}

int Writer::fd() const {
  return state_->event.get();
}

WriterNews Writer::news() {
  eventfd_t count = 0;
  (void)::eventfd_read(state_->event.get(), &count);
  const std::lock_guard lock(state_->mutex);
  WriterNews told = state_->news;
  state_->news.tried_to_save = state_->news.tried_to_publish = false;
  return told;
}

std::optional<Writer::Clock::time_point> Writer::busy_since() const {
  const std::lock_guard lock(state_->mutex);
  return state_->busy;
}

bool Writer::finish(std::uint64_t number, Clock::time_point until) {
  std::unique_lock lock(state_->mutex);
  return state_->change.wait_until(lock, until, [&] { return state_->news.done >= number; });
}

void Writer::State::write() {
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [this] { return stop || !queue.empty(); });
    if (stop) break;
    WriteQueue::Step step = queue.take();
    busy = Clock::now();
    lock.unlock();
    perform(step);
    lock.lock();
    busy.reset();
    news.done = step.number;
    change.notify_all();
    (void)::eventfd_write(event.get(), 1);
  }
  ended = true;
  change.notify_all();
}

void Writer::State::perform(WriteQueue::Step& step) {
  if (step.batch) save(*step.batch);
  if (step.publication) {
    const std::string trouble =
        trouble_of([&] { write_snapshot(step.publication->snapshot, step.publication->file); });
    const std::lock_guard lock(mutex);
    news.tried_to_publish = true;
    news.publish_trouble = trouble;
  }
  if (step.task) step.task(store);
  const std::lock_guard lock(mutex);
  news.damage = store.damage();
  news.only_in_memory = store.only_in_memory();
}

void Writer::State::save(SaveBatch& batch) {
  bool saved = false;
  const std::string trouble = trouble_of([&] {
    store.save(batch.records, batch.transitions, batch.last_round, batch.days, batch.clock);
    saved = true;
    if (batch.forget) store.forget_before(batch.forget->before, batch.forget->first_day);
  });
  const std::lock_guard lock(mutex);
  if (!saved) queue.give_back(std::move(batch));
  news.tried_to_save = true;
  news.save_trouble = trouble;
}

}  // namespace tofa::health
