// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are to be drained in Slurm since they are likely to fail, and which of these are to
// be resumed. Pure: no clock, no Slurm, no disk.
//
// A node is drained where the lower end of the interval of its probability is above a threshold, so
// never on little evidence, and only if it is in use and Slurm keeps no reason for it: whoever gave
// one has decided. Never more than a limit are drained at once, and none while the network is
// interrupted. A node is resumed where its probability is below a lower threshold and its reason is
// still the one that was given: a node whose reason others changed is theirs. One that others
// resumed is in use because they say so, and is left alone until its probability has been below
// that threshold.
//
// What was drained follows from rows of the table of changes, so that it is known after a restart:
// a node is "drain"ed before Slurm is told, and "resume"d after it; "release" says that others have
// decided since.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/slurm_node.hpp"
#include "healthd/drain_config.hpp"
#include "healthd/exclusions.hpp"

namespace tofa::health {

// A host of the fleet.
struct DrainHost {
  std::string host;
  std::optional<SlurmNode> node = {};  // as Slurm says; nothing where it says nothing of it
  bool usable = false;                 // up, and not out of service on purpose
  double probability = 0;              // of an outage within the horizon
  double low = 0;                      // the lower end of its interval
};

struct DrainAction {
  ChangeKind kind = ChangeKind::drain;  // drain, resume or release
  std::string host;
  std::string node;    // as Slurm calls it
  std::string reason;  // in Slurm
  // Slurm is told nothing: it has never carried out what a resume would undo, or has carried out a
  // drain later than it was waited for.
  bool only_noted = false;
  friend bool operator==(const DrainAction&, const DrainAction&) = default;
};

class Drains {
 public:
  struct Drained {
    std::string reason;
    std::int64_t uid = 0;    // as whom
    double since = 0;        // in seconds since 1970
    bool confirmed = false;  // Slurm has said that it is
  };

  // A row of the table, in the order in which they were made; `now` where it was made just now,
  // rather than read.
  void apply(const Change& change, bool now = false);

  // What is to be done, given one answer of Slurm. `hold`: estimates are not to be relied on now,
  // so that nothing is drained or resumed. Nodes that `uid` has drained for a reason of this
  // service's are taken for its own; -1: none are.
  std::vector<DrainAction> plan(const DrainConfig& config, const std::vector<DrainHost>& hosts,
                                bool hold, std::int64_t uid = -1);

  const std::map<std::string, Drained>& drained() const { return drained_; }

 private:
  std::optional<DrainAction> review(const DrainConfig& config, const DrainHost& host,
                                    const Drained& drained, bool hold);

  std::map<std::string, Drained> drained_;
  std::set<std::string> overruled_;  // resumed by others
};

// How many nodes may be drained at once.
std::size_t most_drained(const DrainConfig& config, std::size_t hosts);

}  // namespace tofa::health
