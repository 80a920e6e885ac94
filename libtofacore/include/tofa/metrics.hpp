// SPDX-License-Identifier: BSD-3-Clause
// What a mapping costs. Links have a direction: bytes load the links of the route from their sender
// to their receiver, and no others. Hop-bytes count both directions of a pair together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/outage.hpp"
#include "tofa/topology.hpp"

namespace tofa {

// What an abort costs a job unless it says otherwise, in units of the communication time of a whole
// run. Half of a run is lost on average when a node fails; programs communicate for a part of their
// time only, a tenth to a half; and the job waits in the queue a second time. Twenty is a job that
// communicates for a quarter of its time, loses half of its run, and waits for four runs.
inline constexpr double kAbortCost = 20;

// What is left of survival when a node is certain to fail: little enough to lose against anything,
// yet such mappings still differ, and it has a logarithm.
inline constexpr double kLeastSurvival = 1e-12;

using MetricValue = std::variant<std::uint64_t, double>;

// What searches and objectives go by, and a value for every metric that reports show.
struct Metrics {
  Rank ranks = 0;
  Bytes bytes = 0;                   // sum of w over unordered pairs
  double hop_bytes = 0;              // sum of w(i,j) * hops(node(i), node(j))
  double average_hops_per_byte = 0;  // hop_bytes / bytes, 0 without traffic
  unsigned dilation = 0;             // most hops between two ranks that talk
  // Where links differ, in bytes that the fastest link would carry in the same time: times what the
  // link costs, tofa/link_costs.hpp.
  double max_link_load = 0;        // bytes over the busiest directed link
  double squared_load = 0;         // sum over directed links of their bytes times their load
  double pair_cost = 0;            // bytes times the cost of their route; else hop-bytes
  double fault_weighted_cost = 0;  // sum of w(i,j) * equation 1, mean of both directions
  // 1 - product of (1 - p) over nodes that hold a rank or forward its traffic.
  double abort_probability = 0;
  std::size_t nodes_used = 0;            // nodes that hold a rank
  std::vector<MetricValue> values = {};  // by entry of metric_registry(); from evaluate() only
};

// Throws Error (bad_input) unless `mapping` has graph.ranks() nodes, all of the topology.
void check_mapping(const CommGraph& graph, const Topology& topology, const Mapping& mapping);

// Throws Error as check_mapping() does. `abort_cost` is what the completion time counts an abort
// with.
Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping, double abort_cost = kAbortCost);

// The same in less time, without what links carry: `max_link_load`, `squared_load` and `pair_cost`
// are 0, and `values` is empty. Throws Error as check_mapping() does.
Metrics evaluate_distances(const CommGraph& graph, const Topology& topology,
                           const OutageMap& outages, const Mapping& mapping);

// Bytes times hops and nothing else, which takes no longer on a large machine. Nothing is checked.
double hop_bytes_of(const CommGraph& graph, const Topology& topology, const Mapping& mapping);

enum class MetricUnit { count, bytes, hops, hops_per_byte, cost, probability };

// What evaluate() hands a metric: metrics/gathered.hpp.
struct Gathered;

// A line of reports. A new one is a file in src/metrics/table and its line in the registry
// (src/metrics/registry.cpp).
struct Metric {
  std::string_view name;   // the key in JSON
  std::string_view title;  // in text; empty where only JSON has it
  MetricUnit unit;
  // Whether explanations set it beside the default's: not what no mapping changes, nor what an
  // objective says already.
  bool compared;
  MetricValue (*value)(const Gathered& gathered);
};

std::span<const Metric* const> metric_registry();

// Communication time as predicted, in bytes that pass one after the other before the job is done:
// - what a rank sends and receives itself, which no placement takes away;
// - what the busiest link carries, one and a half times;
// - the load that an average byte meets, added up over the links of its way, which is the sum of
//   squared loads over all bytes.
//
// Programs differ in how much of their traffic is under way at the same time. If all of it is, the
// busiest link decides; the more it comes in turns, the more the others count. Against simulated
// times of hundreds of mappings of NPB CG and DT, HPL, LAMMPS and stencils on a torus, this sum
// ranks better than either part alone and far better than hop-bytes: see bench/simulation.
double communication_time(const Metrics& metrics);

// The communication time C, times how often it has to be paid for: C (1 + a P / (1 - P)) with the
// abort probability P and the abort cost a.
double completion_time(const Metrics& metrics, double abort_cost);

}  // namespace tofa
