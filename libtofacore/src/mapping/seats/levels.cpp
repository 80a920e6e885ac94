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
// Entries of a group of the lowest level that another one is compared with.
constexpr std::size_t kMostSiblings = 64;

class Finder {
 public:
  Finder(const Topology& topology, const SeatPlan& plan) : topology_(topology), plan_(plan) {}

  std::optional<MachineLevels> find() {
    const auto entries = static_cast<std::uint32_t>(plan_.entries());
    if (entries < 2 || topology_.grid() != nullptr) return std::nullopt;
    for (std::uint32_t entry = 1; entry < entries; ++entry) note(hops(0, entry));
    // Another entry may have nearer ones than the first has.
    for (std::uint32_t entry = 2; entry < entries; ++entry) note(hops(entry - 1, entry));
    // A distance that none of these is at is found on the way, and then it begins anew.
    for (std::size_t known = 0; known < levels_.count();) {
      known = levels_.count();
      if (known > kMostLevels || !may_be_tree()) return std::nullopt;
      if (divide(entries) && are_alike() && agrees()) return std::move(levels_);
    }
    return std::nullopt;
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
  bool agrees() {
    constexpr std::uint32_t few = 16;
    const auto entries = static_cast<std::uint32_t>(plan_.entries());
    const std::uint32_t step = 1 + (entries - 1) / few;
    for (std::uint32_t a = 0; a < entries; ++a) {
      for (std::uint32_t b = a % step; b < a; b += step) {
        std::size_t level = 0;
        while (levels_.group[level][a] != levels_.group[level][b]) ++level;
        if (!are_apart(a, b, levels_.hops[level])) return false;
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

  // From the top, where all are in one group, down: a group is only looked for among those that it
  // parts from there.
  bool divide(std::uint32_t entries) {
    levels_.group.resize(levels_.count());
    std::vector<std::uint32_t> group_of(entries, 0);
    for (std::size_t level = levels_.count(); level-- > 0;) {
      levels_.group[level] = group_of;
      if (level > 0 && !split(levels_.hops[level - 1], levels_.hops[level], group_of)) return false;
    }
    return true;
  }

  // Whether two entries are as far apart as they should be. If not, that is a distance to know of.
  bool are_apart(std::uint32_t a, std::uint32_t b, unsigned wanted) {
    const unsigned way = hops(a, b);
    if (way != wanted) note(way);
    return way == wanted;
  }

  // Divides groups into those of entries that are `near` to each other. The first of each stands
  // for all of it. False where others of the same group are not `far` from that.
  bool split(unsigned near, unsigned far, std::vector<std::uint32_t>& group_of) {
    struct Leader {
      std::uint32_t entry;
      std::uint32_t group;
    };
    std::vector<std::vector<Leader>> leaders;  // by group that is divided
    std::uint32_t count = 0;
    for (std::uint32_t entry = 0; entry < group_of.size(); ++entry) {
      leaders.resize(std::max<std::size_t>(leaders.size(), group_of[entry] + 1));
      std::vector<Leader>& known = leaders[group_of[entry]];
      // Lists of nodes follow the machine: it is most likely the last one.
      auto found = known.rbegin();
      for (; found != known.rend(); ++found) {
        if (hops(found->entry, entry) <= near) break;
        if (!are_apart(found->entry, entry, far)) return false;
      }
      if (found == known.rend()) {
        known.push_back({entry, count++});
        found = known.rbegin();
      }
      group_of[entry] = found->group;
    }
    return true;
  }

  // Whether the entries of a group of the lowest level are equally far from each other, as far as a
  // few of each tell.
  bool are_alike() {
    std::vector<std::vector<std::uint32_t>> members(plan_.entries());
    for (std::uint32_t entry = 0; entry < plan_.entries(); ++entry) {
      std::vector<std::uint32_t>& others = members[levels_.group.front()[entry]];
      const std::size_t first = others.size() - std::min(others.size(), kMostSiblings);
      for (std::size_t i = first; i < others.size(); ++i) {
        if (!are_apart(others[i], entry, levels_.hops.front())) return false;
      }
      others.push_back(entry);
    }
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

const MachineLevels* KnownLevels::get() const {
  std::call_once(looked_for_, [this] {
    constexpr Rank one = 1;  // how many seats there are makes no difference
    levels_ = MachineLevels::of(topology_, SeatPlan(allocation_, one));
  });
  return levels_ ? &*levels_ : nullptr;
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
