// SPDX-License-Identifier: BSD-3-Clause
// Finds levels by distances alone: see levels.hpp.
#include "mapping/seats/levels.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tofa {
namespace {

// More levels than any network has: distances that are no tree's differ again and again.
constexpr std::size_t kMostLevels = 8;
// Groups within a group of the next level, of which all pairs are looked at.
constexpr std::size_t kMostSiblings = 1024;

class Finder {
 public:
  Finder(const Topology& topology, const SeatPlan& plan) : topology_(topology), plan_(plan) {}

  std::optional<MachineLevels> find() {
    const auto entries = static_cast<std::uint32_t>(plan_.entries());
    if (entries < 2 || topology_.grid() != nullptr) return std::nullopt;
    for (std::uint32_t entry = 1; entry < entries; ++entry) note(hops(0, entry));
    // Another entry may have nearer ones than the first has.
    for (std::uint32_t entry = 2; entry < entries; ++entry) note(hops(entry - 1, entry));
    if (levels_.hops.empty() || levels_.hops.size() > kMostLevels) return std::nullopt;
    if (!may_be_tree()) return std::nullopt;
    // At first every entry stands for itself, later on the first of a group for all of it.
    std::vector<std::uint32_t> leaders(entries);
    for (std::uint32_t entry = 0; entry < entries; ++entry) leaders[entry] = entry;
    std::vector<std::uint32_t> group_of(leaders);  // by entry: which of the leaders is its own
    for (const unsigned reach : levels_.hops) {
      if (!join(reach, leaders, group_of)) return std::nullopt;
      levels_.group.push_back(group_of);
    }
    if (leaders.size() > 1 || !agrees()) return std::nullopt;
    return std::move(levels_);
  }

 private:
  // Of three entries the two longest ways are equally long, where there are levels. A few of them
  // tell most other networks, on which joining entries by distance takes in proportion to the
  // square of their number.
  bool may_be_tree() const {
    constexpr std::uint64_t sample = 4096;
    constexpr std::uint64_t step = 2'654'435'761;  // of multiplicative hashing: all over the list
    const std::uint64_t entries = plan_.entries();
    for (std::uint64_t i = 0; i < sample; ++i) {
      const auto a = static_cast<std::uint32_t>(i * step % entries);
      const auto b = static_cast<std::uint32_t>((a + 1 + i) % entries);
      const auto c = static_cast<std::uint32_t>((a + i * i) % entries);
      std::array<unsigned, 3> ways{hops(a, b), hops(b, c), hops(a, c)};
      std::sort(ways.begin(), ways.end());
      if (ways[1] != ways[2]) return false;
    }
    return true;
  }

  // Whether distances are those of the levels: of all pairs where they are few, of some for each
  // entry elsewhere.
  bool agrees() const {
    constexpr std::uint32_t few = 64;
    const auto entries = static_cast<std::uint32_t>(plan_.entries());
    const std::uint32_t step = 1 + (entries - 1) / few;
    for (std::uint32_t a = 0; a < entries; ++a) {
      for (std::uint32_t b = a % step; b < a; b += step) {
        std::size_t level = 0;
        while (levels_.group[level][a] != levels_.group[level][b]) ++level;
        if (hops(a, b) != levels_.hops[level]) return false;
      }
    }
    return true;
  }

  unsigned hops(std::uint32_t a, std::uint32_t b) const {
    return topology_.hops(plan_.node(a), plan_.node(b));
  }

  void note(unsigned hops) {
    const auto at = std::lower_bound(levels_.hops.begin(), levels_.hops.end(), hops);
    if (at != levels_.hops.end() && *at == hops) return;
    if (levels_.hops.size() <= kMostLevels) levels_.hops.insert(at, hops);
  }

  // Joins groups whose leaders are `reach` apart; false where these are not equally far from each
  // other, or nearer than the levels below allow.
  bool join(unsigned reach, std::vector<std::uint32_t>& leaders,
            std::vector<std::uint32_t>& group_of) const {
    std::vector<std::uint32_t> next;
    std::vector<std::vector<std::uint32_t>> siblings;
    std::vector<std::uint32_t> joined(leaders.size());
    for (std::size_t i = 0; i < leaders.size(); ++i) {
      std::size_t found = siblings.size();
      // Lists of nodes follow the machine: it is most likely the last one.
      for (std::size_t back = 0; back < siblings.size() && found == siblings.size(); ++back) {
        const std::size_t candidate = siblings.size() - 1 - back;
        if (hops(next[candidate], leaders[i]) <= reach) found = candidate;
      }
      if (found == siblings.size()) {
        next.push_back(leaders[i]);
        siblings.emplace_back();
      }
      for (const std::uint32_t sibling : siblings[found]) {
        if (hops(sibling, leaders[i]) != reach) return false;
      }
      if (siblings[found].size() < kMostSiblings) siblings[found].push_back(leaders[i]);
      joined[i] = static_cast<std::uint32_t>(found);
    }
    for (std::uint32_t& group : group_of) group = joined[group];
    leaders = std::move(next);
    return true;
  }

  const Topology& topology_;
  const SeatPlan& plan_;
  MachineLevels levels_;
};

void choose_among(const MachineLevels& levels, const SeatPlan& plan, const Entries& entries,
                  std::size_t level, std::uint64_t wanted, Entries& chosen) {
  if (wanted == 0) return;
  if (seats_of(plan, entries) <= wanted || entries.size() == 1) {
    chosen.insert(chosen.end(), entries.begin(), entries.end());
    return;
  }
  std::vector<Entries> children = children_of(levels, entries, level);
  std::stable_sort(children.begin(), children.end(), [&plan](const Entries& a, const Entries& b) {
    return seats_of(plan, a) > seats_of(plan, b);
  });
  // The largest ones whole, and of the others the smallest that has the seats that are left.
  for (std::size_t i = 0; i < children.size() && wanted > 0; ++i) {
    std::size_t last = i;
    while (last + 1 < children.size() && seats_of(plan, children[last + 1]) >= wanted) ++last;
    const std::uint64_t seats = seats_of(plan, children[last]);
    choose_among(levels, plan, children[last], level == 0 ? 0 : level - 1, wanted, chosen);
    wanted -= std::min(wanted, seats);
    if (last != i) break;
  }
}

}  // namespace

std::optional<MachineLevels> MachineLevels::of(const Topology& topology, const SeatPlan& plan) {
  return Finder(topology, plan).find();
}

std::optional<MachineLevels> MachineLevels::roughly(const Topology& topology,
                                                    const SeatPlan& plan) {
  const std::optional<Hierarchy> tree = topology.hierarchy();
  if (!tree || tree->fan_out.empty() || topology.grid() != nullptr) return std::nullopt;
  MachineLevels levels;
  std::vector<std::uint32_t> group(plan.entries());
  for (std::uint32_t entry = 0; entry < group.size(); ++entry) {
    group[entry] = tree->leaf[plan.node(entry)];
  }
  // Virtual hosts share the leaf of their host.
  std::vector<std::uint32_t> leaves(group);
  std::sort(leaves.begin(), leaves.end());
  if (std::adjacent_find(leaves.begin(), leaves.end()) != leaves.end()) {
    levels.hops.push_back(0);
    levels.group.push_back(group);
  }
  for (std::size_t depth = tree->fan_out.size(); depth-- > 0;) {
    for (std::uint32_t& index : group) index /= tree->fan_out[depth];
    levels.hops.push_back(tree->hops[depth]);
    levels.group.push_back(group);
  }
  return levels;
}

std::uint64_t seats_of(const SeatPlan& plan, const Entries& entries) {
  std::uint64_t seats = 0;
  for (const std::uint32_t entry : entries) seats += plan.seats_of(entry);
  return seats;
}

std::vector<Entries> children_of(const MachineLevels& levels, const Entries& entries,
                                 std::size_t level) {
  std::vector<Entries> children;
  if (level == 0) {
    for (const std::uint32_t entry : entries) children.push_back({entry});
    return children;
  }
  const std::vector<std::uint32_t>& group = levels.group[level - 1];
  Entries sorted(entries);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&group](auto a, auto b) { return group[a] < group[b]; });
  for (const std::uint32_t entry : sorted) {
    if (children.empty() || group[children.back().front()] != group[entry]) children.emplace_back();
    children.back().push_back(entry);
  }
  return children;
}

Entries choose_entries(const MachineLevels& levels, const SeatPlan& plan, std::uint64_t wanted) {
  Entries all(plan.entries());
  std::iota(all.begin(), all.end(), 0U);
  Entries chosen;
  choose_among(levels, plan, all, levels.count() - 1, wanted, chosen);
  return chosen;
}

}  // namespace tofa
