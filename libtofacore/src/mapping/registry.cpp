// SPDX-License-Identifier: BSD-3-Clause
// The list of mappers. The order breaks ties between candidates that cost the same, so the simplest
// come first.
#include <array>
#include <utility>

#include "mapping/mapper.hpp"
#include "mapping/seats/need_seats.hpp"

namespace tofa {

extern const Mapper kLinearMapper, kByNodeMapper, kRandomMapper, kGreedyMapper, kFoldMapper,
    kBitLinearMapper, kBisectMapper, kMultisectMapper, kGeometricMapper, kGroupMapper,
    kScotchMapper, kTofaMapper, kComponentsMapper;

Registry<Mapper> mapper_registry() {
  // `auto` tries them in this order: drawings come before what cuts graphs, which may be needless
  // then, and groups before what takes all the time there is.
  static constexpr std::array mappers{
      &kLinearMapper,    &kByNodeMapper,    &kRandomMapper,     &kGreedyMapper, &kFoldMapper,
      &kBitLinearMapper, &kGeometricMapper, &kComponentsMapper, &kBisectMapper, &kGroupMapper,
      &kMultisectMapper, &kScotchMapper,    &kTofaMapper,
  };
  return mappers;
}

std::vector<Mapping> run_variants(const Mapper& mapper, const MappingTask& task, std::size_t most) {
  std::vector<Mapping> mappings;
  if (mapper.variants != nullptr) {
    mappings = mapper.variants(task, most);
  } else {
    mappings.push_back(mapper.map(task));
  }
  if (task.needs != nullptr) {
    for (Mapping& mapping : mappings)
      repair_needs(mapping, task.topology, task.allocation, *task.needs);
  }
  return mappings;
}

Mapping run_mapper(const Mapper& mapper, const MappingTask& task) {
  return std::move(run_variants(mapper, task, 1).front());
}

std::vector<std::string> mapper_names() {
  std::vector<std::string> names = names_of(mapper_registry());
  names.emplace_back("auto");
  return names;
}

}  // namespace tofa
