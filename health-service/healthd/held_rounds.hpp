// SPDX-License-Identifier: BSD-3-Clause
// Rounds that were observed while the disk has not told yet what was known before: they are kept in
// the order in which they were, and counted once it has, as if it had never been slow. Only what
// changes from one round to the next takes room, and where that is not enough, the oldest go: for
// these it is as if the daemon had been started later. Pure: no clock, no disk.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "healthd/source.hpp"

namespace tofa::health {

using ObservedRound = std::vector<std::optional<Observation>>;  // one per host

class HeldRounds {
 public:
  // Observations, of all hosts and rounds, which take a few seconds to be counted; and of these
  // those that differ from the round before, which take the room.
  static constexpr std::size_t kMostObservations = 20'000'000;
  static constexpr std::size_t kMostChanges = 1'000'000;

  explicit HeldRounds(std::size_t most_observations = kMostObservations,
                      std::size_t most_changes = kMostChanges)
      : most_observations_(most_observations), most_changes_(most_changes) {}

  bool empty() const { return rounds_.empty(); }
  std::size_t size() const { return rounds_.size(); }
  // Rounds that had no room, since it was empty last.
  std::size_t dropped() const { return dropped_; }

  // All rounds have as many hosts, but after take_over(). `time` is by whatever clock take() is to
  // tell it.
  void add(const ObservedRound& round, double time);

  struct Round {
    double time = 0;
    ObservedRound hosts;
  };
  // The oldest; not while empty(). Its causes belong to this object, until the next call.
  Round take();

  // The configuration has been read anew: where each host was before; nothing for a new one, of
  // which nothing was observed.
  void take_over(const std::vector<std::optional<std::size_t>>& before);

 private:
  struct Kept {
    std::optional<Observation> observation;
    std::string cause;  // what the observation's would refer to
    bool operator==(const Kept&) const = default;
  };
  struct Change {
    std::size_t host = 0;
    Kept now;
  };
  struct Changes {
    double time = 0;
    std::vector<Change> hosts;
  };

  static Kept kept(const std::optional<Observation>& observation);
  void drop_oldest();

  std::size_t most_observations_;
  std::size_t most_changes_;
  std::vector<Kept> first_;  // before the oldest round
  std::vector<Kept> last_;   // as of the newest
  std::deque<Changes> rounds_;
  std::size_t changes_ = 0;  // in all rounds
  std::size_t dropped_ = 0;
};

}  // namespace tofa::health
