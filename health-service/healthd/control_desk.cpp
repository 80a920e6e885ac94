// SPDX-License-Identifier: BSD-3-Clause
// Who waits for long is told so, and whether the change can still come true: what the writer has
// not begun is taken back.
#include "healthd/control_desk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tofa/error.hpp"

namespace tofa::health {
namespace {

std::string too_slow(const char* outcome) {
  return format_control_error(
      Error(ErrorKind::unavailable,
            fmt::format("the disk of the database has not answered for {:.0f} s; {}",
                        ControlDesk::kPatience, outcome)));
}

}  // namespace

void ControlDesk::take(Connection connection, Caller caller, std::string request, double now) {
  waiting_.push_back({connection, now + kPatience, std::move(caller), std::move(request)});
}

std::optional<std::string> ControlDesk::finish(std::uint64_t done, double now,
                                               const Controlled& on) {
  if (!running_ || running_->number > done) return std::nullopt;
  ControlAnswer answer = running_->task->finish(on);
  const Running ended = *std::exchange(running_, std::nullopt);
  if (answer.done.empty()) {
    answers_.emplace_back(ended.connection, std::move(answer.text));
    return std::nullopt;
  }
  saved_.push_back({ended.connection, ended.deadline, std::nullopt, std::move(answer.text)});
  put_off(now);
  return std::move(answer.done);
}

void ControlDesk::put_off(double now) {
  if (!unpublished_since_) unpublished_since_ = now;
}

bool ControlDesk::must_publish(double now) const {
  return unpublished_since_ && !changing() &&
         (waiting_.empty() || now >= *unpublished_since_ + kGathering);
}

void ControlDesk::published(std::uint64_t number) {
  unpublished_since_.reset();
  for (Saved& saved : saved_) {
    if (!saved.number) saved.number = number;
  }
}

void ControlDesk::start(Writer& writer, double now, double time, const Controlled& on) {
  while (!running_ && !waiting_.empty() && !must_publish(now)) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    auto task = std::make_shared<ControlTask>(next.request, std::move(next.caller), time, on);
    if (!task->needs_store()) {
      answers_.emplace_back(next.connection, task->finish(on).text);
      continue;
    }
    const bool changes = task->changes();
    const std::uint64_t number = writer.run([task](Store& store) { task->run(store); });
    running_ = Running{next.connection, next.deadline, number, changes, std::move(task)};
  }
}

void ControlDesk::decline(const std::string& why) {
  for (const Waiting& waiting : waiting_) {
    answers_.emplace_back(waiting.connection,
                          format_control_error(Error(ErrorKind::unavailable, why)));
  }
  waiting_.clear();
}

ControlDesk::Answers ControlDesk::answers(Writer& writer, std::uint64_t done, double now) {
  give_up(writer, now);
  std::erase_if(saved_, [&](Saved& saved) {
    const bool over = (saved.number && *saved.number <= done) || now >= saved.deadline;
    if (over) answers_.emplace_back(saved.connection, std::move(saved.answer));
    return over;
  });
  return std::exchange(answers_, {});
}

void ControlDesk::give_up(Writer& writer, double now) {
  if (running_ && running_->connection != 0 && now >= running_->deadline) {
    const bool withdrawn = writer.withdraw(running_->number);
    answers_.emplace_back(
        running_->connection,
        too_slow(withdrawn ? "nothing was changed"
                           : "it is not known whether this will be done; look once it answers "
                             "again (tofa health export)"));
    running_->connection = 0;
    if (withdrawn) running_.reset();
  }
  while (!waiting_.empty() && now >= waiting_.front().deadline) {
    answers_.emplace_back(waiting_.front().connection, too_slow("nothing was changed"));
    waiting_.pop_front();
  }
}

double ControlDesk::deadline() const {
  double first = std::numeric_limits<double>::infinity();
  if (running_ && running_->connection != 0) first = running_->deadline;
  if (!waiting_.empty()) first = std::min(first, waiting_.front().deadline);
  for (const Saved& saved : saved_) first = std::min(first, saved.deadline);
  if (unpublished_since_ && !changing()) first = std::min(first, *unpublished_since_ + kGathering);
  return first;
}

void ControlDesk::hang_up() {
  waiting_.clear();
  saved_.clear();
  answers_.clear();
  if (running_) running_->connection = 0;
}

}  // namespace tofa::health
