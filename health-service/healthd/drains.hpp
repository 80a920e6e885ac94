// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are to be drained in Slurm since they are likely to fail, and which of these are to
// be resumed. Pure: no clock, no Slurm, no disk.
//
// A node is drained where the lower end of the interval of its probability is above a threshold, so
// never on little evidence, and only if it is in use and Slurm keeps no reason for it: whoever gave
// one has decided. Never more than a limit are drained at once, and none while the network is
// interrupted. One that is no longer in the configuration stays drained and does not count; one
// that goes on under another name goes on being drained under that. A node is resumed where its
// probability is below a lower threshold and its reason is still the one that was given: a node
// whose reason others changed is theirs. One that others resumed is in use because they say so, and
// is left alone until its probability has been below that threshold.
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
#include "tofa/health_snapshot.hpp"

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

// What becomes of a host, and why. Words as in tofa/health_snapshot.hpp.
enum class DrainState {
  none,       // it is not likely enough to fail
  to_drain,   // it is drained next, or would be
  drained,    // by this service
  to_resume,  // and is resumed next, or would be
  limited,    // as many are drained as may be
  held,       // estimates are not to be relied on now
  others,     // others have a say in it
};

struct DrainStanding {
  std::string host;
  DrainState state = DrainState::none;
  double probability = 0;   // of an outage within the horizon, as of Slurm's last answer
  double low = 0;           // as in DrainHost
  double since = 0;         // when it was drained, in seconds since 1970
  std::string reason = {};  // in Slurm, of one that this service drained
  std::string why = {};     // for people
  friend bool operator==(const DrainStanding&, const DrainStanding&) = default;
};

// All of them, as of Slurm's last answer.
struct DrainBoard {
  DrainConfig config = {};
  double asked = 0;          // when that was, in seconds since 1970; 0: never
  std::size_t most = 0;      // hosts that may be drained at once
  std::string trouble = {};  // why nothing is done at the moment; empty: nothing stands in the way
  std::vector<DrainStanding> hosts = {};
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

  // What plan() makes of each host, and why; nothing is changed. In the order of the hosts.
  std::vector<DrainStanding> standings(const DrainConfig& config,
                                       const std::vector<DrainHost>& hosts, bool hold,
                                       std::int64_t uid = -1) const;

  const std::map<std::string, Drained>& drained() const { return drained_; }

 private:
  std::optional<DrainAction> review(const DrainConfig& config, const DrainHost& host,
                                    const Drained& drained, bool hold);
  // Defined with standings() in drain_standings.cpp.
  void tell_drained(const DrainConfig& config, const DrainHost& host, const Drained& drained,
                    bool hold, DrainStanding& told) const;

  std::map<std::string, Drained> drained_;
  std::set<std::string> overruled_;  // resumed by others
};

// What is published of hosts about which there is something to say.
void mark_drains(const DrainBoard& board, Snapshot& snapshot);

// The same for an admin, as a line of JSON; of the hosts that are asked for, or of those about
// which there is something to say:
//
//     {"version": 1, "mode": "never", "show" or "do", "above": P, "resume_below": P,
//      "horizon": SECONDS, "most": N, "asked": T, "trouble": TEXT,
//      "hosts": [{"host": H, "state": S, "probability": P, "low": P, "since": T, "reason": TEXT,
//                 "why": TEXT}, ...]}
//
// "asked" is null until Slurm has answered; "trouble", "since" and "reason" are there where there
// is one.
std::string format_drains(const DrainBoard& board, const std::vector<std::string>& asked);

// "none", "to-drain", "drained", ...
const char* name_of(DrainState state);
// "never", "show" or "do".
const char* name_of(DrainMode mode);

// Whether it was drained by an order of `uid` that Slurm carried out after its deadline, and that
// was taken for one in vain.
bool is_late_drain(const DrainHost& host, std::int64_t uid);

// Below which probability a node is resumed.
double resume_threshold(const DrainConfig& config);

// How many nodes may be drained at once.
std::size_t most_drained(const DrainConfig& config, std::size_t hosts);

}  // namespace tofa::health
