// SPDX-License-Identifier: BSD-3-Clause
// The thread asks; report() only looks, and notices when an answer is overdue.
#include "healthd/background_source.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <utility>

#include "common/daemon.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFarewellMilliseconds = 1000;  // for the thread to end

Clock::duration in_seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

bool is_readable(const FileDescriptor& fd, int milliseconds) {
  pollfd waiting{fd.get(), POLLIN, 0};
  return ::poll(&waiting, 1, milliseconds) > 0;
}

}  // namespace

struct BackgroundSource::State {
  State(BackgroundOptions given, std::unique_ptr<Oracle> asked_one)
      : options(std::move(given)),
        oracle(std::move(asked_one)),
        valid_until(Clock::now() + in_seconds(options.validity)) {}

  void watch();  // the thread
  void take(Opinions answer);
  // These two with the lock held.
  void fail(const std::string& problem);
  void note_delay();

  const BackgroundOptions options;
  const std::unique_ptr<Oracle> oracle;

  std::mutex mutex;
  std::optional<Opinions> opinions;  // nothing until there is an answer, and when it is too old
  bool fresh = false;
  std::optional<Clock::time_point> asked;  // a question that is not answered yet
  Clock::time_point valid_until;
  std::string trouble;
  std::string remark;

  FileDescriptor stop = make_event();   // readable when the thread is to end
  FileDescriptor ended = make_event();  // and when it has
};

BackgroundSource::BackgroundSource(BackgroundOptions options, std::size_t hosts,
                                   std::unique_ptr<Oracle> oracle)
    : hosts_(hosts),
      state_(std::make_shared<State>(std::move(options), std::move(oracle))),
      thread_([state = state_] {
        state->watch();
        (void)::eventfd_write(state->ended.get(), 1);
      }) {}

BackgroundSource::~BackgroundSource() {
  (void)::eventfd_write(state_->stop.get(), 1);
  state_->oracle->give_up();
  if (is_readable(state_->ended, kFarewellMilliseconds)) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

std::optional<SourceReport> BackgroundSource::report(int /*interrupt*/) {
  const std::lock_guard lock(state_->mutex);
  state_->note_delay();
  SourceReport report{.source = state_->options.source,
                      .verdicts = std::vector<Verdict>(hosts_, Verdict::unknown),
                      .fresh = false};
  report.trouble = state_->trouble.empty() ? state_->remark : state_->trouble;
  if (Clock::now() >= state_->valid_until) {
    state_->opinions.reset();
    return report;
  }
  report.pending = !state_->opinions;
  if (state_->opinions) {
    report.verdicts = state_->opinions->verdicts;
    report.causes = state_->opinions->causes;
    report.booted = state_->opinions->booted;
  }
  report.fresh = std::exchange(state_->fresh, false);
  return report;
}

void BackgroundSource::State::watch() {
  double left = 0;
  do {
    const auto begin = Clock::now();
    {
      const std::lock_guard lock(mutex);
      asked = begin;
    }
    try {
      take(oracle->ask());
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex);
      fail(error.what());
    }
    {
      const std::lock_guard lock(mutex);
      asked.reset();
    }
    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    left = std::max(0.0, options.period - spent);
  } while (!is_readable(stop, static_cast<int>(std::ceil(left * 1000))));
}

void BackgroundSource::State::take(Opinions answer) {
  const std::lock_guard lock(mutex);
  if (is_readable(stop, 0)) return;
  if (!std::exchange(trouble, {}).empty()) spdlog::info("{} answers again", options.subject);
  if (answer.remark != remark && !answer.remark.empty()) spdlog::warn("{}", answer.remark);
  remark = answer.remark;
  opinions = std::move(answer);
  fresh = true;
  valid_until = Clock::now() + in_seconds(options.validity);
}

// Logged once, until there is an answer again.
void BackgroundSource::State::fail(const std::string& problem) {
  if (is_readable(stop, 0)) return;
  const bool known = !trouble.empty();
  trouble = fmt::format("no node states from {}: {}", options.subject, problem);
  if (!known) spdlog::warn("{}; it is asked again every {} s", trouble, options.period);
}

void BackgroundSource::State::note_delay() {
  if (!asked || Clock::now() < *asked + in_seconds(options.timeout + 1)) return;
  fail(fmt::format("no answer within {} s", options.timeout));
  oracle->give_up();
}

}  // namespace tofa::health
