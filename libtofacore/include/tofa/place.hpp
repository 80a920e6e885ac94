// SPDX-License-Identifier: BSD-3-Clause
// Placement: the one decision everything else serves. `place` runs a mapper of the registry, or, as
// `auto`, those that suit the task plus refinement, and then never answers with anything worse than
// the default mapping on the objective asked for.
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

// A node of an allocation and how many ranks it takes. Order matters: it is what `linear` fills.
struct AllocationEntry {
  Node node;
  unsigned slots;
};
using Allocation = std::vector<AllocationEntry>;
std::uint64_t total_slots(const Allocation& allocation);
// The allocation with as many more slots as `ranks` need, shared out evenly.
Allocation with_room_for(const Allocation& allocation, Rank ranks);

// What "better" means: an entry of the registry of objectives (src/mapping/objective.hpp),
// completion-time unless said otherwise.
struct ObjectiveEntry;
class Objective {
 public:
  Objective();
  explicit Objective(const ObjectiveEntry& entry) : entry_(&entry) {}
  const ObjectiveEntry* operator->() const { return entry_; }
  friend bool operator==(Objective, Objective) = default;

 private:
  const ObjectiveEntry* entry_;
};
std::string_view objective_name(Objective objective);
Objective parse_objective(std::string_view name);  // throws Error listing the names
std::vector<Objective> all_objectives();

// Seconds that a placement may take unless its options say otherwise.
inline constexpr double kTimeLimit = 5;

// How much is searched. It decides, together with the task, how much work a placement is, whatever
// the machine is busy with.
enum class Effort { fast, normal, thorough };
std::string_view effort_name(Effort effort);
Effort parse_effort(std::string_view name);  // throws Error listing the names

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

// In seconds of an ordinary core.
struct PlannedWork {
  double seconds;
  double spare = 0;  // more, if the task turns out to be hard
  double more = 0;   // more moves, whatever it turns out to be, which few candidates count on
};

struct PlaceOptions {
  Objective objective = {};
  std::string mapper = "auto";
  double abort_cost = kAbortCost;  // completion_time only: what an abort costs, in its units
  std::uint64_t seed = 1;
  Effort effort = Effort::normal;
  // Bounds the call. The work follows from the task and the effort, at most what an ordinary core
  // does in two fifths of the default limit, so that the same input, options and seed give the same
  // mapping on a busy machine, too; only what would still run late is shortened by the clock.
  double time_limit_seconds = kTimeLimit;
  // Who gives a limit agrees to wait that long: many ranks get up to twice as many moves, and more
  // if they turn out to be hard; and where the limit cuts the work short, most of it is planned
  // instead of two fifths, of which a slower core does what the clock leaves it.
  bool limit_was_given = false;
  // When the limit began to run, for callers that count reading their input in; the call, if not
  // given.
  std::optional<std::chrono::steady_clock::time_point> started = std::nullopt;
  // Instead of what effort and time limit say.
  std::optional<PlannedWork> work = std::nullopt;
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

// A mapping cheaper than all before it, or the first that meets the request.
struct Improvement {
  double seconds;  // since `place` was called
  double cost;     // value of the objective
  std::string source;
};

struct Placement {
  Mapping mapping;
  Mapping by_default;  // what the runtime would have done
  std::string origin;  // the mapper asked for, or, under `auto`, the one the result grew from
  Metrics chosen;
  Metrics linear;          // the runtime's default: blocks in list order
  double chosen_cost = 0;  // value of the objective
  double linear_cost = 0;
  double elapsed_seconds = 0;
  bool out_of_time = false;                 // the clock made the search shorter than planned
  bool remembered = false;                  // found in a cache: nothing was searched
  std::vector<CandidateReport> candidates;  // what was tried, cheapest first
  std::vector<Improvement> improvements;    // begins with linear, ends with the chosen mapping
};

// No mapper puts a rank on a node that is certain to fail (outage probability 1) when the other
// nodes have the slots, and the resources, that are needed. Every mapper's answer meets the needs,
// which the default mapping it is compared with may not. Throws Error: bad_input for an unknown
// mapper, unmet when the allocation has too few slots or resources or repeats a node.
Placement place(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Allocation& allocation, const PlaceOptions& options);

// What the runtime does by itself: ranks in blocks over the allocation, in its order. Throws as
// `place` does.
Mapping default_mapping(const Topology& topology, const Allocation& allocation, Rank ranks);

// Value of an objective, smaller is better. Units: bytes (hop_bytes, congestion, fault_weighted) or
// byte times (completion_time).
double objective_value(Objective objective, const Metrics& metrics, double abort_cost = kAbortCost);

std::vector<std::string> mapper_names();  // registry order, `auto` last

}  // namespace tofa
