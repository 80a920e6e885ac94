// SPDX-License-Identifier: BSD-3-Clause
// The list of mappers. The order breaks ties between candidates that cost the same, so the simplest
// come first.
#include "mapping/mapper.hpp"
#include "mapping/need_seats.hpp"

namespace tofa {
namespace {

bool always(const MappingTask& /*task*/) {
  return true;
}

}  // namespace

const std::vector<Mapper>& mapper_registry() {
  static const std::vector<Mapper> mappers = {
      {"linear", map_linear, always, Turn::first},
      {"by-node", map_by_node, always, Turn::any_lane},
      {"random", map_random, always, Turn::any_lane},
      {"greedy", map_greedy, greedy_is_candidate, Turn::any_lane},
      {"fold", map_fold, fold_is_candidate, Turn::first},
      {"bit-linear", map_bit_linear, bit_linear_is_candidate, Turn::any_lane},
      {"bisect", map_bisect, bisect_is_candidate, Turn::any_lane},
      {"scotch", map_scotch, scotch_is_candidate, Turn::scotch_lane},
      {"tofa", map_tofa, tofa_is_candidate, Turn::scotch_lane},
  };
  return mappers;
}

Mapping run_mapper(const Mapper& mapper, const MappingTask& task) {
  Mapping mapping = mapper.map(task);
  if (task.needs != nullptr) repair_needs(mapping, task.topology, task.allocation, *task.needs);
  return mapping;
}

std::vector<std::string> mapper_names() {
  std::vector<std::string> names;
  for (const Mapper& mapper : mapper_registry()) names.emplace_back(mapper.name);
  names.emplace_back("auto");
  return names;
}

}  // namespace tofa
