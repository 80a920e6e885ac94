// SPDX-License-Identifier: BSD-3-Clause
// What would have become of a site's jobs if their ranks and nodes had been chosen otherwise: the
// jobs of a log go through a queue, a scheduler and a machine, event by event, under one policy or
// another. The run time that the log tells is taken as what Slurm's own choice gave; another choice
// changes the part of it that is communication in proportion to its hop-bytes (Georgiou, Jeannot,
// Mercier, Villiermet, Topology-aware job mapping, 2018),
//
//     T' = (1 + R alpha - alpha) T
//
// with alpha the share of communication and R the hop-bytes of this choice over those of Slurm's
// on the same machine at the same time. No clock and no thread decides: same input, same result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/job_traffic.hpp"
#include "tofa/outage.hpp"
#include "tofa/topology.hpp"
#include "tofa/workload.hpp"

namespace tofa {

// How Slurm schedules unless its configuration says otherwise: jobs start in the order of their
// priorities until one does not fit; and every so often sched/backfill goes through the queue and
// starts what delays none of those before it.
struct SchedulerLimits {
  double interval_seconds = 30;    // bf_interval
  std::size_t depth = 500;         // bf_max_job_test: jobs that backfill looks at
  double window_seconds = 86'400;  // bf_window: no node is reserved later than this
};

struct ReplayOptions {
  unsigned cores_per_node = 1;
  SchedulerLimits limits = {};
  // Jobs that come in this time go by Slurm's own policy and are not counted: they fill the
  // machine.
  double warm_up_seconds = 0;
  std::uint64_t seed = 1;
  std::function<void(std::size_t done)> progress = {};  // jobs that have ended
  // Seconds; where there is one, replays tell how long choices take. It decides nothing.
  std::function<double()> clock = {};
};

// A way to choose nodes and to put ranks on them: an entry of the registry (src/replay/policy.hpp).
struct ReplayPolicy;
const ReplayPolicy& find_policy(std::string_view name);  // throws Error (bad_input) with the names
std::string_view policy_name(const ReplayPolicy& policy);
std::string_view policy_title(const ReplayPolicy& policy);
// Whether it does what another does unless some nodes may fail.
bool policy_needs_outages(const ReplayPolicy& policy);
// Whether it is worth a look only beside what was published.
bool policy_for_comparison(const ReplayPolicy& policy);
std::vector<std::string> policy_names();  // Slurm's own first

// A job runs again, maybe elsewhere, when a node's failure has ended its run.
struct JobRun {
  std::uint32_t job = 0;
  double start = 0;
  double end = 0;
  double run_seconds = 0;  // from its start to its end
  bool aborted = false;    // a node's failure ended it
  double abort_probability = 0;
  double ratio = 1;           // R
  std::uint32_t leaves = 0;   // switches it was on; 0: unknown
  double choice_seconds = 0;  // to choose nodes and put ranks on them, by ReplayOptions::clock
  std::vector<Node> nodes;    // ascending
};

struct JobOutcome {
  std::size_t last_run = 0;  // by number: the one that ended well
  unsigned aborts = 0;       // runs before it, which all aborted
  double lost_seconds = 0;   // in them
  bool counted = true;       // it came after the warm-up
  bool backfilled = false;   // it started before one that was ahead of it
};

struct Replay {
  std::string policy;
  std::vector<JobOutcome> jobs;  // by job of the workload
  std::vector<JobRun> runs;      // in the order they started in
  const JobRun& last_run(std::size_t job) const { return runs[jobs[job].last_run]; }
  // Mean over time, from the first counted job's submission to the last one's, of the share of idle
  // nodes that are not below a leaf switch all of which is idle; in a machine without switches, of
  // those that are outside of the longest run of idle nodes.
  double fragmentation = 0;
};

// The nodes that the machine has. Virtual hosts are none: they are used only where a node list
// names them, and Slurm knows them as part of what they run on.
Node machine_nodes(const Topology& topology);

// The workload that fits the machine: jobs that ask for more than it has are left out. Nodes that
// are certain to fail count as missing.
Workload fitting_workload(const Workload& workload, const Topology& topology,
                          const OutageMap& outages, unsigned cores_per_node);

// Throws Error (bad_input) when a job does not fit on the machine, or a log has none.
Replay replay(const Workload& workload, const Topology& topology, const OutageMap& outages,
              JobTraffic& traffic, const ReplayPolicy& policy, const ReplayOptions& options);

}  // namespace tofa
