// SPDX-License-Identifier: BSD-3-Clause
// Drains nodes in Slurm, or shows which it would: asks for all nodes once in a while, decides
// (healthd/drains.hpp), notes what it is about to do, and does it. Slurm is asked and told by
// tofa-slurm-nodes, with a deadline and in a thread of its own, so that rounds of polling never
// wait for it. Off unless configured.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "healthd/drain_retry.hpp"
#include "healthd/drains.hpp"
#include "healthd/fleet.hpp"
#include "healthd/writer.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Drainer {
 public:
  explicit Drainer(DrainConfig config);
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;
  ~Drainer();

  // Once a round; waits for nothing. `done` is as in WriterNews.
  void step(const Fleet& fleet, bool hold, Drains& drains, Writer& writer, std::uint64_t done,
            double time);

  // What an admin should know; empty: nothing.
  const std::string& remark() const { return remark_; }
  // What becomes of each host; of no host before Slurm has answered.
  const DrainBoard& board() const { return board_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Answer {
    std::vector<SlurmNode> nodes;
    std::vector<DrainAction> done;
    std::vector<std::string> left_alone;  // why others have a say in these
    std::string failed;    // the first action that did, and why; the rest was not tried
    bool refused = false;  // by Slurm, rather than not heard or not answered in time
    std::string problem;   // why there are no nodes
  };

  // Rows on their way to the disk, and what follows once they are there.
  struct Note {
    std::vector<Change> rows;
    std::string problem;
  };
  struct Noting {
    std::uint64_t number = 0;  // as the writer counts
    std::shared_ptr<Note> note;
    std::vector<DrainAction> next;
    Clock::time_point decided;
  };

  void start(std::vector<DrainAction> actions);
  Answer ask(const std::vector<DrainAction>& actions) const;  // in the thread
  void finish_noting(Drains& drains, bool hold);
  // What was done, as rows.
  std::vector<Change> settle(const Answer& answer, Drains& drains, double time);
  void show(const std::vector<DrainAction>& actions);
  void act(const std::vector<DrainAction>& actions, std::vector<Change> rows, Writer& writer,
           double time);
  Change row_of(const DrainAction& action, double time) const;
  void complain(const std::string& problem);
  void tell_of_left(const Drains& drains);
  std::string trouble(const Answer& answer) const;

  const DrainConfig config_;
  const std::int64_t uid_;
  std::future<Answer> answer_;
  std::optional<Noting> noting_;
  Clock::time_point next_;  // question
  DrainRetry pause_;
  Clock::time_point retry_;  // what failed
  std::string complaint_;    // the last one
  std::string remark_;
  DrainBoard board_;
  std::atomic<bool> hold_ = false;  // as of the last step(), for the thread
  FileDescriptor stop_;             // readable when the thread is to end
};

}  // namespace tofa::health
