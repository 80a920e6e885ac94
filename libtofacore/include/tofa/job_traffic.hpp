// SPDX-License-Identifier: BSD-3-Clause
// What the jobs of a log exchange, by rules: profiles by the name of the program, or classes of
// traffic drawn at random, as in the paper, where the log names none. Between nodes only, since
// that is what the network sees: ranks sit on nodes in blocks, as Slurm puts them, or grouped by
// who talks to whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/workload.hpp"

namespace tofa {

// Where the traffic of some jobs comes from.
struct TrafficRule {
  std::string name = "*";  // of the program; * stands for any text
  // One of these. {ranks} in a path stands for the job's number of ranks; a profile of another
  // number of ranks than the job's is not used.
  std::string profile;
  std::string traffic_class;  // of traffic_classes(), "random", one for each program, or "none"
  double communication = -1;  // alpha; negative: the default
};

std::vector<std::string> traffic_classes();

// TOML, as tofa(1) describes it. Throws Error with file and line.
std::vector<TrafficRule> read_traffic_rules(const std::string& path);
std::vector<TrafficRule> parse_traffic_rules(std::string_view text, const std::string& name);

class KeptTraffic;

// What the nodes of a job exchange, in bytes; a vertex for every node.
struct NodeTraffic {
  CommGraph blocks;             // ranks in list order
  CommGraph groups;             // ranks grouped so that little leaves a node
  double grouping_seconds = 0;  // what that took, by the clock that was given
};

struct TrafficOfJob {
  // Null: it is on one node, or nothing is known of it. Until the next job is asked for.
  const NodeTraffic* nodes = nullptr;
  double communication = 0;  // alpha
};

// Works out the traffic of jobs when it is asked for, once for all that have the same, or again
// where more than `most_bytes` would have to be kept.
class JobTraffic {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{512} << 20;

  // Without rules all jobs are of class "random".
  JobTraffic(std::vector<TrafficRule> rules, double communication, std::uint64_t seed,
             std::size_t most_bytes = kMostBytes);
  ~JobTraffic();
  JobTraffic(const JobTraffic&) = delete;
  JobTraffic& operator=(const JobTraffic&) = delete;

  // The job has `nodes` nodes, each with an even share of its ranks. Throws Error as read_traffic()
  // does for a profile that is there and cannot be read.
  TrafficOfJob of(const LoggedJob& job, unsigned nodes);
  void set_communication(double communication) { communication_ = communication; }
  void set_clock(std::function<double()> clock) { clock_ = std::move(clock); }

 private:
  const NodeTraffic* build(const LoggedJob& job, const std::string& source, unsigned nodes);

  std::vector<TrafficRule> rules_;
  double communication_;
  std::uint64_t seed_;
  std::unique_ptr<KeptTraffic> kept_;
  std::function<double()> clock_;
};

}  // namespace tofa
