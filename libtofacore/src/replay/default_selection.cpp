// SPDX-License-Identifier: BSD-3-Clause
// Slurm's rules are kept to where they look odd, too: what is counted of a switch above leaves is
// not reduced by what has been taken below it.
#include "replay/default_selection.hpp"

#include <algorithm>

namespace tofa {
namespace {

class LeafFit {
 public:
  LeafFit(const MachineGroups& groups, const std::vector<std::uint8_t>& fits)
      : groups_(groups), fits_(fits), distance_(groups.count[0], 0) {
    for (std::size_t level = 0; level < groups.levels(); ++level)
      free_.emplace_back(groups.count[level], 0U);
    for (std::uint32_t leaf = 0; leaf < groups.count[0]; ++leaf) {
      unsigned sum = 0;
      for (const Node node : groups.leaf_nodes[leaf]) sum += fits[node];
      free_[0][leaf] = sum;
    }
    for (std::size_t level = 0; level + 1 < groups.levels(); ++level) {
      for (std::uint32_t below = 0; below < groups.count[level]; ++below)
        free_[level + 1][groups.parent[level][below]] += free_[level][below];
    }
    for (std::uint32_t leaf = 0; leaf < groups.count[0]; ++leaf)
      if (free_[0][leaf] > 0) left_.push_back(leaf);
  }

  std::vector<Node> take(unsigned wanted) {
    std::vector<Node> taken;
    taken.reserve(wanted);
    while (taken.size() < wanted) {
      if (left_.empty()) return {};
      const auto best = best_leaf(wanted - static_cast<unsigned>(taken.size()));
      const std::uint32_t leaf = *best;
      left_.erase(best);
      for (const std::uint32_t other : left_) distance_[other] += groups_.apart(leaf, other);
      for (const Node node : groups_.leaf_nodes[leaf]) {
        if (taken.size() == wanted) break;
        if (fits_[node] != 0) taken.push_back(node);
      }
    }
    std::sort(taken.begin(), taken.end());
    return taken;
  }

 private:
  std::vector<std::uint32_t>::iterator best_leaf(unsigned wanted) {
    auto best = left_.begin();
    for (auto leaf = std::next(best); leaf != left_.end(); ++leaf) {
      if (distance_[*leaf] > distance_[*best]) continue;
      const int better = compare(*leaf, *best, wanted);
      if (better > 0 || (better == 0 && distance_[*leaf] < distance_[*best])) best = leaf;
    }
    return best;
  }

  // Above 0: `a` suits better. The smaller of those that suffice; where none of them does, what is
  // above them decides.
  int compare(std::uint32_t a, std::uint32_t b, unsigned wanted) const {
    for (std::size_t level = 0;; ++level) {
      const unsigned free_a = free_[level][a];
      const unsigned free_b = free_[level][b];
      const bool suffices_a = free_a >= wanted;
      const bool suffices_b = free_b >= wanted;
      if (suffices_a != suffices_b) return suffices_a ? 1 : -1;
      if (suffices_a && free_a != free_b) return free_a < free_b ? 1 : -1;
      const bool top = level + 1 == groups_.levels();
      if (suffices_a || top || groups_.parent[level][a] == groups_.parent[level][b])
        return static_cast<int>(free_a > free_b) - static_cast<int>(free_a < free_b);
      a = groups_.parent[level][a];
      b = groups_.parent[level][b];
    }
  }

  const MachineGroups& groups_;
  const std::vector<std::uint8_t>& fits_;
  std::vector<std::uint32_t> left_;          // leaves with nodes that are free
  std::vector<unsigned> distance_;           // from all leaves taken
  std::vector<std::vector<unsigned>> free_;  // by level and group
};

struct NodeRun {
  Node first;
  Node count;
};

std::vector<NodeRun> runs_of(const std::vector<std::uint8_t>& fits) {
  std::vector<NodeRun> runs;
  for (Node node = 0; node < fits.size(); ++node) {
    if (fits[node] == 0) continue;
    if (node > 0 && fits[node - 1] != 0) {
      ++runs.back().count;
    } else {
      runs.push_back({node, 1});
    }
  }
  return runs;
}

std::vector<Node> take_from_runs(std::vector<NodeRun> runs, unsigned wanted) {
  std::vector<Node> taken;
  while (taken.size() < wanted) {
    const auto left = static_cast<Node>(wanted - taken.size());
    const auto best =
        std::max_element(runs.begin(), runs.end(), [left](const NodeRun& a, const NodeRun& b) {
          if ((a.count >= left) != (b.count >= left)) return b.count >= left;
          return a.count >= left ? b.count < a.count : b.count > a.count;
        });
    if (best == runs.end() || best->count == 0) return {};
    for (Node i = 0; i < std::min(best->count, left); ++i) taken.push_back(best->first + i);
    best->count = 0;
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

// Of the run that begins with `first` the node with the fewest free cores.
Node fullest(const FreeNodes& free, const std::vector<std::uint8_t>& fits, Node first) {
  Node best = first;
  for (Node node = first; node < fits.size() && fits[node] != 0; ++node)
    if (free.cores(node) < free.cores(best)) best = node;
  return best;
}

}  // namespace

std::vector<Node> default_selection(const MachineGroups& groups, const FreeNodes& free,
                                    const NodeSet& allowed, const NodeRequest& request) {
  std::vector<std::uint8_t> fits;
  if (free.find_fitting(allowed, request, fits) < request.nodes) return {};
  if (groups.is_tree()) return LeafFit(groups, fits).take(request.nodes);
  std::vector<Node> taken = take_from_runs(runs_of(fits), request.nodes);
  if (request.cores > 0 && taken.size() == 1) taken.front() = fullest(free, fits, taken.front());
  return taken;
}

}  // namespace tofa
