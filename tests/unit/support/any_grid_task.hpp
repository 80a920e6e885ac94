// SPDX-License-Identifier: BSD-3-Clause
// A small task on any grid, or one of a given shape, with all that a task refers to. For properties
// of what searches are made of.
#pragma once

#include <algorithm>
#include <utility>

#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa::test {

class AnyGridTask {
 public:
  explicit AnyGridTask(GridSpec spec = any_grid_spec()) : topology_(std::move(spec)) {}

  const MappingTask& task() const { return task_; }
  const SearchSpace& space() const { return space_; }
  Seating linear_seating() const { return {space_.plan(), map_linear(task_)}; }
  // Every entry in zone 0 or 1, at random.
  std::vector<std::uint8_t> any_zones() const {
    std::vector<std::uint8_t> zone_of;
    for (std::size_t entry = 0; entry < space_.plan().entries(); ++entry)
      zone_of.push_back(*rc::gen::inRange<std::uint8_t>(0, 2));
    return zone_of;
  }

 private:
  GridTopology topology_;
  Allocation allocation_ = any_allocation(topology_);
  CommGraph graph_ = any_graph(std::min(test::total_slots(allocation_), 40U));
  PlaceOptions options_;
  Trace trace_{options_};
  OutageMap outages_;
  MappingTask task_ =
      task_of(graph_, topology_, outages_, allocation_, trace_, parse_objective("hop-bytes"));
  SearchSpace space_{task_};
};

}  // namespace tofa::test
