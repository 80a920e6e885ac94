// SPDX-License-Identifier: BSD-3-Clause
// The interface of a mapper and the registry of them. A new mapper is one file that defines a
// function `Mapping map_NAME(const MappingTask&)`, declared here, plus its line in registry.cpp.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "mapping/needs.hpp"
#include "mapping/trace.hpp"
#include "tofa/place.hpp"

namespace tofa {

// A point in time after which work is cut short. Whoever works long asks for it again and again, so
// this is also where progress gets reported.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(double seconds, Clock::time_point start = Clock::now(), Trace* trace = nullptr)
      : end_(start +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        trace_(trace) {}
  bool passed() const {
    if (trace_ != nullptr) trace_->report_progress();
    return Clock::now() >= end_;
  }
  double seconds_left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }

 private:
  Clock::time_point end_;
  Trace* trace_;
};

// What a mapper is given. The allocation has enough slots and names each node once.
struct MappingTask {
  const CommGraph& graph;
  const Topology& topology;
  const OutageMap& outages;
  const Allocation& allocation;
  Objective objective;
  std::uint64_t seed;
  double seconds;  // the budget from which the amount of work is derived
  Deadline deadline;
  Trace& trace;                  // where it is recorded what was tried and found
  const Needs* needs = nullptr;  // null: none
};

// An answer respects the slots and the needs; `origin` names the candidate it grew from, if it is a
// portfolio.
struct MapperAnswer {
  Mapping mapping;
  std::string_view origin;
};

// The turns that candidates take under `auto`: some come first, since they may make all others
// needless; then two lanes run side by side. Mappers that use SCOTCH share one of them, since the
// library has a single random state.
enum class Turn { first, any_lane, scotch_lane };

struct Mapper {
  std::string_view name;
  Mapping (*map)(const MappingTask& task);
  // Whether `auto` tries it on this task: costly or pointless candidates are left out.
  bool (*candidate)(const MappingTask& task);
  // When `auto` runs it.
  Turn turn;
};

const std::vector<Mapper>& mapper_registry();

// What the mapper says, mended where it does not meet the needs.
Mapping run_mapper(const Mapper& mapper, const MappingTask& task);

// What searches compare mappings by: the objective, but under completion-time a mapping that no
// suspect node can abort comes before every mapping that one can.
double judge(Objective objective, const Metrics& metrics);

Mapping linear_mapping(const Allocation& allocation, Rank ranks);
Mapping map_linear(const MappingTask& task);
Mapping map_by_node(const MappingTask& task);
Mapping map_random(const MappingTask& task);
Mapping map_greedy(const MappingTask& task);
bool greedy_is_candidate(const MappingTask& task);
Mapping map_bisect(const MappingTask& task);
bool bisect_is_candidate(const MappingTask& task);
Mapping map_scotch(const MappingTask& task);
bool scotch_is_candidate(const MappingTask& task);
Mapping map_fold(const MappingTask& task);
bool fold_is_candidate(const MappingTask& task);
Mapping map_bit_linear(const MappingTask& task);
bool bit_linear_is_candidate(const MappingTask& task);
Mapping map_tofa(const MappingTask& task);
bool tofa_is_candidate(const MappingTask& task);

// The portfolio: every candidate of the registry, the best of them refined.
MapperAnswer map_auto(const MappingTask& task);

}  // namespace tofa
