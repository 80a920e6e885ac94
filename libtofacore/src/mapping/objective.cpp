// SPDX-License-Identifier: BSD-3-Clause
// The list of objectives: what "better" means, as one number per mapping.
#include "mapping/objective.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

extern const ObjectiveEntry kCompletionTime, kHopBytes, kCongestion, kFaultWeighted, kPairCost;

Registry<ObjectiveEntry> objective_registry() {
  static constexpr std::array objectives{&kCompletionTime, &kHopBytes, &kCongestion,
                                         &kFaultWeighted, &kPairCost};
  return objectives;
}

Objective::Objective() : entry_(objective_registry().front()) {}

std::string_view objective_name(Objective objective) {
  return objective->name;
}

Objective parse_objective(std::string_view name) {
  const ObjectiveEntry* entry = find_entry(objective_registry(), name);
  if (entry != nullptr) return Objective(*entry);
  const auto names = names_of(objective_registry());
  throw Error(ErrorKind::bad_input, fmt::format("unknown objective \"{}\"; known are {}{}", name,
                                                fmt::join(names, ", "), did_you_mean(name, names)));
}

std::vector<Objective> all_objectives() {
  std::vector<Objective> objectives;
  for (const ObjectiveEntry* entry : objective_registry()) objectives.emplace_back(*entry);
  return objectives;
}

Metrics evaluate_for(Objective objective, const CommGraph& graph, const Topology& topology,
                     const OutageMap& outages, const Mapping& mapping, double abort_cost) {
  return objective->counts_loads ? evaluate(graph, topology, outages, mapping, abort_cost)
                                 : evaluate_distances(graph, topology, outages, mapping);
}

double objective_value(Objective objective, const Metrics& metrics, double abort_cost) {
  return objective->value(metrics, abort_cost);
}

}  // namespace tofa
