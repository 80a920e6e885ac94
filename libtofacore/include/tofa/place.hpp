// SPDX-License-Identifier: BSD-3-Clause
// Placement: the one decision everything else serves. `place` runs a mapper of the registry, or, as
// `auto`, all of them plus refinement, and never answers with anything worse than the default
// mapping on the objective asked for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/metrics.hpp"

namespace tofa {

// A node of the allocation and how many ranks it takes. Order matters: it is what `linear` fills.
struct NodeSlots {
  Node node;
  unsigned slots;
};
using Allocation = std::vector<NodeSlots>;

enum class Objective { completion_time, hop_bytes, congestion, fault_weighted };
std::string_view objective_name(Objective objective);
Objective parse_objective(std::string_view name);  // throws Error listing the names
std::vector<Objective> all_objectives();

// How far a search is.
struct Progress {
  double elapsed_seconds;  // since the time limit began to run
  double time_limit_seconds;
  double best_cost;    // of the objective, so far
  double linear_cost;  // of the runtime's default
};

// Ranks that must run on nodes with a resource, one unit of it each.
struct ResourceNeed {
  std::string resource;
  std::vector<Rank> ranks;  // these,
  Rank any = 0;             // or so many, whichever suit best

  friend bool operator==(const ResourceNeed&, const ResourceNeed&) = default;
};

// `fpga:0-3,8` names ranks, `fpga=4` says how many; several are separated by semicolons, and ranks
// by commas or, where commas have another meaning, by `+`. Throws Error (bad_input).
std::vector<ResourceNeed> parse_resource_needs(std::string_view text);

struct PlaceOptions {
  Objective objective = Objective::completion_time;
  std::string mapper = "auto";
  std::uint64_t seed = 1;
  // Bounds the call. Within it the amount of work, not the clock, decides, so that the same input
  // and seed give the same mapping; the clock only cuts off what would run late.
  double time_limit_seconds = 1;
  // When the limit began to run, for callers that count reading their input in; the call, if not
  // given.
  std::optional<std::chrono::steady_clock::time_point> started = std::nullopt;
  // Seconds of an ordinary core that the amount of work is measured by, if not by the time limit.
  // With a limit far above it the clock decides nothing, however slow the machine is.
  std::optional<double> work_seconds = std::nullopt;
  std::vector<ResourceNeed> needs = {};  // resources as the topology lists them
  // Called a few times a second at most, always from the thread that called `place`.
  std::function<void(const Progress&)> progress = {};
};

// A mapper that was tried.
struct CandidateReport {
  std::string mapper;
  double cost;     // value of the objective
  double seconds;  // it took
};

// A mapping better than all before it: cheaper, or the first that no node certain to fail, or,
// under completion-time, no suspect node at all, can abort.
struct Improvement {
  double seconds;  // since `place` was called
  double cost;     // value of the objective
  std::string source;
};

struct Placement {
  Mapping mapping;
  std::string mapper;  // the one asked for, or, under `auto`, the candidate the result grew from
  Metrics chosen;
  Metrics linear;          // the runtime's default: blocks in list order
  double chosen_cost = 0;  // value of the objective
  double linear_cost = 0;
  double elapsed_seconds = 0;
  bool out_of_time = false;                 // the clock cut the search short
  std::vector<CandidateReport> candidates;  // what was tried, cheapest first
  std::vector<Improvement> improvements;    // begins with linear, ends with the chosen mapping
};

// No mapper puts a rank on a node that is certain to fail (outage probability 1) while the other
// nodes have slots, and the resources, that are needed. Every mapper's answer meets the needs,
// which the default mapping it is compared with may not. Throws Error: bad_input for an unknown
// mapper, unmet when the allocation has too few slots or resources or repeats a node.
Placement place(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Allocation& allocation, const PlaceOptions& options);

// What the runtime does by itself: ranks in blocks over the allocation, in its order. Throws as
// `place` does.
Mapping default_mapping(const Topology& topology, const Allocation& allocation, Rank ranks);

// Value of an objective, smaller is better. Units: bytes (hop_bytes, congestion, fault_weighted) or
// byte times (completion_time).
double objective_value(Objective objective, const Metrics& metrics);

std::vector<std::string> mapper_names();  // registry order, `auto` last

}  // namespace tofa
