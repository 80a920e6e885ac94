// SPDX-License-Identifier: BSD-3-Clause
// Admins' requests from when they are heard until they are answered, one at a time at the disk, for
// which nobody waits: who cannot be served in time is told whether it may still be done. A change
// is acknowledged when it is saved and published. While one is being saved, the daemon hands
// nothing else over to be saved or published, since what that says of the same hosts would be
// older. No socket; seconds are by any clock that nobody sets.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "healthd/control_commands.hpp"
#include "healthd/control_session.hpp"
#include "healthd/writer.hpp"

namespace tofa::health {

class ControlDesk {
 public:
  // After which a request is answered for certain: before `tofa health` gives up.
  static constexpr double kPatience = 8;
  // For which what is to be published waits for more requests at most.
  static constexpr double kGathering = 0.5;

  using Connection = std::uint64_t;
  using Answers = std::vector<std::pair<Connection, std::string>>;

  void take(Connection connection, Caller caller, std::string request, double now);

  // One after the other, whenever something may have happened. `done` is as in WriterNews. The
  // first returns what was changed, for the log.
  std::optional<std::string> finish(std::uint64_t done, double now, const Controlled& on);
  // Whether something is to be published now; published() has to follow then.
  bool must_publish(double now) const;
  void published(std::uint64_t number);
  void start(Writer& writer, double now, double time, const Controlled& on);
  // In place of start(): nothing can be done now.
  void decline(const std::string& why);
  // What can be answered.
  Answers answers(Writer& writer, std::uint64_t done, double now);

  // Whether a change is on its way to the disk.
  bool changing() const { return running_ && running_->changes; }
  // A round would have been published now.
  void put_off(double now);

  // When it has to be looked at even if nothing happens; infinite when nobody waits.
  double deadline() const;
  // Nobody waits for answers any more: the socket is another one.
  void hang_up();
  // What is on its way to the disk is done up to this number; 0 when nothing is.
  std::uint64_t number() const { return running_ ? running_->number : 0; }

 private:
  struct Waiting {
    Connection connection = 0;
    double deadline = 0;
    Caller caller;
    std::string request;
  };
  struct Running {
    Connection connection = 0;  // 0: nobody waits any more
    double deadline = 0;
    std::uint64_t number = 0;
    bool changes = false;
    std::shared_ptr<ControlTask> task;  // the writer's, until the number is done
  };
  struct Saved {
    Connection connection = 0;
    double deadline = 0;
    std::optional<std::uint64_t> number;  // of what publishes it; nothing until it is handed over
    std::string answer;
  };

  void give_up(Writer& writer, double now);

  std::deque<Waiting> waiting_;
  std::optional<Running> running_;
  std::vector<Saved> saved_;
  Answers answers_;
  std::optional<double> unpublished_since_;
};

}  // namespace tofa::health
