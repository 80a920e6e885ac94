// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are drawn as points, on a machine that is like a tree: the drawing is cut in as many
// slabs as the machine has groups, each of these in as many as it has groups again, down to the
// nodes, and ranks change places across what was cut where that gains something. As far as there is
// time the lower levels are cut as graphs instead. That takes a small part of what multisect
// (mappers/multisect.cpp) needs, which finds better arrangements where there is time for it.
#pragma once

#include <span>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/seats/levels.hpp"
#include "mapping/tools/slabs.hpp"

namespace tofa {

class DrawnLevels {
 public:
  // The task outlives it; the plan has seats for all ranks.
  DrawnLevels(const MappingTask& task, const SeatPlan& plan, const MachineLevels& levels);

  Mapping cut(const Drawing& drawing) const;

 private:
  // A group of nodes, as entries side by side, and its index; the ranks for it, by their places.
  struct Part {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t parent;
    std::uint32_t first_rank;
    std::uint32_t last_rank;

    std::uint32_t ranks() const { return last_rank - first_rank; }
    std::span<Rank> of(std::vector<Rank>& order) const {
      return std::span(order).subspan(first_rank, ranks());
    }
  };
  // The groups of all groups at a depth.
  struct Cut {
    std::vector<Part> children;
    std::vector<std::uint32_t> sizes;      // of these, in ranks
    std::vector<std::size_t> first_child;  // by group, and after the last
    bool as_graphs = false;

    std::span<const std::uint32_t> sizes_in(std::size_t group) const {
      return std::span(sizes).subspan(first_child[group],
                                      first_child[group + 1] - first_child[group]);
    }
  };

  Cut groups_below(const std::vector<Part>& groups, const MachineLevels& levels,
                   std::size_t level) const;
  void choose_graphs();
  void cut_drawing(const Slabs& slabs, const std::vector<Part>& groups, const Cut& cut,
                   std::vector<Rank>& order) const;
  void mend(const Cut& cut, std::vector<Rank>& order) const;
  void cut_graphs(const Slabs& slabs, const std::vector<Part>& groups, const Cut& cut,
                  std::vector<Rank>& order) const;

  const MappingTask& task_;
  std::vector<Node> nodes_;                  // groups side by side, of every level
  Entries entries_;                          // the same as entries of the plan
  std::vector<std::uint32_t> ranks_before_;  // by place among these, and of all
  std::vector<Part> whole_;                  // the machine
  std::vector<Cut> cuts_;                    // from the top down
};

}  // namespace tofa
