// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are likely to fail. An OutageList is what a file or the health service says, by host
// name; an OutageMap is the same by node of one topology. Equation 1 of the TOFA paper weighs
// routes with it.
//
// A probability is about now: that a job started on the host fails at once. For how likely it fails
// while a job runs, the job's horizon T, the host's rate of outages counts as well; with
// exponential times between failures,
//
//     p(T) = 1 - (1 - p) exp(-rate T)
//
// Where the service has worked out the hazard H of a host that is up over several horizons, as its
// estimate `gamma` does, p(T) = 1 - exp(-H(T)), with H a power of T from one of these horizons to
// the next.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/topology.hpp"
#include "tofa/types.hpp"

namespace tofa {

// The cumulative hazard of a host that is up, -log(1 - p(T)), over these horizons.
inline constexpr std::array<double, 3> kHazardHorizons{3600, 86'400, 604'800};  // seconds
using HazardsWithin = std::array<double, kHazardHorizons.size()>;

// That an admin took a host out of use.
struct HostExclusion {
  std::string reason;
  std::string by;
  double since = 0;  // in seconds since 1970
  double until = 0;  // 0: until somebody includes it again
  friend bool operator==(const HostExclusion&, const HostExclusion&) = default;
};

struct HostOutage {
  std::string host;
  double probability = 0;   // in [0, 1]
  double age_seconds = -1;  // since this estimate was made; negative when unknown
  double rate = -1;         // outages per hour while it is up; negative when unknown
  std::string state = {};   // what the service calls it (tofa/health_snapshot.hpp); may be empty
  std::optional<HazardsWithin> within = std::nullopt;
  std::optional<HostExclusion> excluded = std::nullopt;  // why the probability is 1
};
using OutageList = std::vector<HostOutage>;

// Less than this, on a host with p = 0, counts as 0 over a horizon, too: a host that fails once a
// year is not suspect.
inline constexpr double kHorizonFloor = 1e-3;
// p(T) of one host; p where neither its hazards nor its rate are known or the horizon is 0.
double probability_within(const HostOutage& outage, double horizon_seconds);
// The list with p(T), or 0 where it is below the floor, instead of p, rate and hazards; the same
// list when the horizon is 0.
OutageList over_horizon(OutageList outages, double horizon_seconds);
// The same for a job of which nobody knows how long it runs: an hour, where hazards are known,
// since hosts of which they are known have p = 0 while they are up.
OutageList over_assumed_horizon(OutageList outages);

// A time that is running out, up to an eighth longer: a whole number of seconds, minutes, hours
// ..., so that what is asked a moment later is the same question.
double round_horizon(double seconds);

// Lines `host probability [age [rate]]` with # comments; or JSON, be it of `tofa health list
// --json` or of a snapshot (tofa/health_snapshot.hpp). Throws Error with file and line.
OutageList read_outages(const std::string& path);
OutageList parse_outages(std::string_view text, const std::string& name);
// {"version": 1, "nodes": [{"host": ..., "probability": ..., "age": seconds, "rate": ...}, ...]},
// with "excluded" as in a snapshot.
std::string format_outages_json(const OutageList& outages);

// Of several estimates for a host, from several sources, the worst counts. Sorted by host.
OutageList worst_of(const OutageList& outages);

class OutageMap {
 public:
  OutageMap() = default;  // no node is suspect
  // Hosts that the topology does not have are ignored; their number is unknown_hosts().
  OutageMap(const OutageList& outages, const Topology& topology);

  // Of a virtual host: the worse of its own and its host's.
  double probability(Node node) const { return node < p_.size() ? p_[node] : 0.0; }
  // That the node fails while what it runs on does not; probability() but for virtual hosts.
  double own_probability(Node node) const {
    return node < own_.size() ? own_[node] : probability(node);
  }
  bool suspect(Node node) const { return probability(node) > 0; }
  // Whether the node is certain to fail.
  bool dead(Node node) const { return probability(node) >= 1; }
  std::size_t suspects() const { return suspects_; }
  std::size_t unknown_hosts() const { return unknown_; }

 private:
  // By node; empty where no node is suspect, and `own_` where there are no virtual hosts, either.
  std::vector<double> p_;
  std::vector<double> own_;
  std::size_t suspects_ = 0;
  std::size_t unknown_ = 0;
};

// Equation 1: every link of the route costs c hops, or 101 c when an end has a non-zero outage
// probability.
class FaultWeights {
 public:
  FaultWeights(const Topology& topology, const OutageMap& outages);
  double weight(Node from, Node to) const {
    return cost_of(topology_->hops(from, to), marked_links(from, to));
  }
  // The same from its parts: the length of a route and how many of its links have a suspect end.
  double cost_of(unsigned hops, unsigned marked) const {
    return topology_->hop_cost() * (hops + kFaultFactor * marked);
  }
  unsigned marked_links(Node from, Node to) const { return census_ ? census_->count(from, to) : 0; }

  static constexpr double kFaultFactor = 100;

 private:
  const Topology* topology_;
  std::unique_ptr<RouteCensus> census_;  // null when no node is suspect
};

}  // namespace tofa
