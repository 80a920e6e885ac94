// SPDX-License-Identifier: BSD-3-Clause
// The lock is held for moments only, never while the disk is at work.
#include "healthd/writer.hpp"

#include <sys/eventfd.h>

#include <condition_variable>
#include <filesystem>
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

// A snapshot that cannot be read stays as it is, and what cannot be published the log tells alone.
void publish_notice(const Notice& notice) {
  (void)trouble_of([&] {
    Snapshot snapshot{notice.time, notice.period, {}, {}};
    if (std::filesystem::exists(notice.file)) snapshot = read_snapshot(notice.file);
    std::erase(snapshot.warnings, notice.text);
    snapshot.warnings.insert(snapshot.warnings.begin(), notice.text);
    write_snapshot(snapshot, notice.file);
  });
}

}  // namespace

struct Writer::State {
  void open(const StoreMaker& make);  // the opener's thread
  void write();                       // the writer's
  bool has_work() const { return store ? !queue.empty() : notice.has_value(); }
  void perform(WriteQueue::Step& step);
  void save(SaveBatch& batch);

  const FileDescriptor event = make_event();

  std::mutex mutex;                // of all below
  std::condition_variable wake;    // the thread
  std::condition_variable change;  // who waits for something, or for the end
  std::optional<Store> store;      // once it is there, the thread's
  std::optional<StoreContents> contents;
  std::exception_ptr failure;  // of opening
  std::optional<Notice> notice;
  WriteQueue queue;
  WriterNews news;
  std::optional<Clock::time_point> opening = Clock::now();  // since when
  std::optional<Clock::time_point> busy;
  bool stop = false;
  int running = 2;  // threads
};

Writer::Writer(StoreMaker open)
    : state_(std::make_shared<State>()),
      opener_([state = state_, open = std::move(open)] { state->open(open); }),
      thread_([state = state_] { state->write(); }) {}

Writer::~Writer() {
  std::unique_lock lock(state_->mutex);
  state_->stop = true;
  state_->wake.notify_one();
  const bool ended =
      state_->change.wait_for(lock, kFarewellOfThread, [this] { return state_->running == 0; });
  lock.unlock();
  for (std::thread* thread : {&opener_, &thread_}) ended ? thread->join() : thread->detach();
}

std::optional<StoreContents> Writer::opened() {
  const std::lock_guard lock(state_->mutex);
  if (state_->failure) std::rethrow_exception(state_->failure);
  return std::exchange(state_->contents, std::nullopt);
}

bool Writer::await_opened(Clock::time_point until) {
  std::unique_lock lock(state_->mutex);
  return state_->change.wait_until(lock, until, [this] { return !state_->opening; });
}

void Writer::tell(Notice notice) {
  const std::lock_guard lock(state_->mutex);
  state_->notice = std::move(notice);
  state_->wake.notify_one();
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
  return state_->opening ? state_->opening : state_->busy;
}

bool Writer::finish(std::uint64_t number, Clock::time_point until) {
  std::unique_lock lock(state_->mutex);
  return state_->change.wait_until(lock, until, [&] { return state_->news.done >= number; });
}

void Writer::State::open(const StoreMaker& make) {
  std::optional<Store> made;
  std::optional<StoreContents> read;
  std::exception_ptr why_not;
  try {
    made.emplace(make());
    read = made->read();
  } catch (...) {
    why_not = std::current_exception();
  }
  const std::lock_guard lock(mutex);
  failure = why_not;
  if (!failure) {
    news.damage = made->damage();
    news.only_in_memory = made->only_in_memory();
    store = std::move(made);
    contents = std::move(read);
  }
  opening.reset();
  --running;
  wake.notify_one();
  change.notify_all();
  (void)::eventfd_write(event.get(), 1);
}

void Writer::State::write() {
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [this] { return stop || has_work(); });
    if (stop) break;
    busy = Clock::now();
    if (!store) {
      const Notice told = *std::exchange(notice, std::nullopt);
      lock.unlock();
      publish_notice(told);
      lock.lock();
      busy.reset();
      continue;
    }
    WriteQueue::Step step = queue.take();
    lock.unlock();
    perform(step);
    lock.lock();
    busy.reset();
    news.done = step.number;
    change.notify_all();
    (void)::eventfd_write(event.get(), 1);
  }
  --running;
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
  if (step.task) step.task(*store);
  const std::lock_guard lock(mutex);
  news.damage = store->damage();
  news.only_in_memory = store->only_in_memory();
}

void Writer::State::save(SaveBatch& batch) {
  bool saved = false;
  const std::string trouble = trouble_of([&] {
    store->save(batch.records, batch.transitions, batch.last_round, batch.days, batch.clock);
    saved = true;
    if (batch.forget) store->forget_before(batch.forget->before, batch.forget->first_day);
  });
  const std::lock_guard lock(mutex);
  if (!saved) queue.give_back(std::move(batch));
  news.tried_to_save = true;
  news.save_trouble = trouble;
}

}  // namespace tofa::health
