// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhoods, three ways: by looking at all pairs where that is affordable, by walking outwards
// in a grid, and by order of the allocation elsewhere, since node lists follow the machine.
#include "mapping/search/neighbourhoods.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>

namespace tofa {
namespace {

constexpr std::size_t kFewest = 6;
constexpr std::size_t kMost = 16;
constexpr std::size_t kMaxAllPairs = 2048;

// Appends the neighbours of one entry; `candidates` are (cost, entry), cheapest first.
class Collector {
 public:
  Collector(const SeatPlan& plan, Neighbourhoods& result) : plan_(plan), result_(result) {
    result_.start.push_back(0);
  }

  void begin(std::uint32_t entry) { entry_ = entry; }

  // Takes another entry at `distance`; false when no more are wanted.
  bool offer(std::uint32_t other, unsigned distance) {
    const std::size_t taken = result_.entries.size() - result_.start.back();
    if (taken >= kMost || (taken >= kFewest && distance > nearest_worth_)) return false;
    if (other != entry_ || plan_.seats_of(entry_) > 1) result_.entries.push_back(other);
    return true;
  }

  void end() { result_.start.push_back(static_cast<std::uint32_t>(result_.entries.size())); }

 private:
  const SeatPlan& plan_;
  Neighbourhoods& result_;
  std::uint32_t entry_ = 0;
  unsigned nearest_worth_ = 1;
};

// The least of some numbers, in order.
class Nearest {
 public:
  explicit Nearest(std::size_t wanted) : wanted_(wanted) {}

  void clear() { found_ = 0; }
  void offer(std::uint64_t number) {
    if (found_ == wanted_ && number >= least_[found_ - 1]) return;
    std::size_t at = found_ < wanted_ ? found_++ : found_ - 1;
    for (; at > 0 && least_[at - 1] > number; --at) least_[at] = least_[at - 1];
    least_[at] = number;
  }
  std::span<const std::uint64_t> all() const { return std::span(least_).first(found_); }

 private:
  std::size_t wanted_;
  std::size_t found_ = 0;
  std::array<std::uint64_t, kMost + 1> least_{};
};

void look_at_all_pairs(const SeatPlan& plan, const PairCost& cost, Collector& collector) {
  const auto entries = static_cast<std::uint32_t>(plan.entries());
  Nearest nearest(std::min<std::size_t>(kMost + 1, entries));
  for (std::uint32_t a = 0; a < entries; ++a) {
    collector.begin(a);
    nearest.clear();
    // Cost and entry in one number, so that ties break by entry.
    for (std::uint32_t b = 0; b < entries; ++b)
      nearest.offer((std::uint64_t{cost.between(a, b)} << 32U) | b);
    for (const std::uint64_t number : nearest.all()) {
      const auto distance = static_cast<unsigned>(number >> 32U);
      if (!collector.offer(static_cast<std::uint32_t>(number), distance)) break;
    }
    collector.end();
  }
}

// A displacement in a grid and its length.
struct Offset {
  std::vector<int> step;
  unsigned length;
};

// All displacements of up to `reach` hops, shortest first.
std::vector<Offset> offsets_within(std::size_t dimensions, int reach) {
  std::vector<Offset> result;
  std::vector<int> step(dimensions, -reach);
  for (;;) {
    unsigned length = 0;
    for (const int s : step) length += static_cast<unsigned>(std::abs(s));
    if (length <= static_cast<unsigned>(reach)) result.push_back({step, length});
    std::size_t d = 0;
    while (d < dimensions && ++step[d] > reach) step[d++] = -reach;
    if (d == dimensions) break;
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Offset& a, const Offset& b) { return a.length < b.length; });
  return result;
}

class GridIndex {
 public:
  GridIndex(const Grid& grid, const Topology& topology, const SeatPlan& plan)
      : grid_(grid), entry_at_(grid.positions(), kNoNode) {
    for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
      entry_at_[grid.position(topology.coordinates(plan.node(entry)))] = entry;
    }
  }

  // The entry at a displacement from `at`, kNoNode where there is none.
  std::uint32_t find(const std::vector<unsigned>& at, const Offset& offset) const {
    std::vector<unsigned> there(at);
    for (std::size_t d = 0; d < at.size(); ++d) {
      const auto moved = grid_.moved(d, at[d], offset.step[d]);
      if (!moved) return kNoNode;
      there[d] = *moved;
    }
    return entry_at_[grid_.position(there)];
  }

 private:
  const Grid& grid_;
  std::vector<std::uint32_t> entry_at_;
};

void walk_the_grid(const Grid& grid, const MappingTask& task, const SeatPlan& plan,
                   Collector& collector) {
  const GridIndex index(grid, task.topology, plan);
  const std::size_t dimensions = grid.dimensions();
  const std::vector<Offset> offsets = offsets_within(dimensions, dimensions > 3 ? 2 : 3);
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    collector.begin(entry);
    const std::vector<unsigned> at = task.topology.coordinates(plan.node(entry));
    for (const Offset& offset : offsets) {
      const std::uint32_t other = index.find(at, offset);
      if (other != kNoNode && !collector.offer(other, offset.length)) break;
    }
    collector.end();
  }
}

void follow_the_list(const SeatPlan& plan, Collector& collector) {
  const auto entries = static_cast<std::uint32_t>(plan.entries());
  for (std::uint32_t entry = 0; entry < entries; ++entry) {
    collector.begin(entry);
    collector.offer(entry, 0);
    for (std::uint32_t step = 1; step <= kMost / 2; ++step) {
      if (entry >= step) collector.offer(entry - step, 1);
      if (entry + step < entries) collector.offer(entry + step, 1);
    }
    collector.end();
  }
}

// On a torus of a million nodes, where they begin is a seventh of the memory.
void drop_even_starts(Neighbourhoods& result) {
  const std::vector<std::uint32_t>& start = result.start;
  if (start.size() < 2) return;
  const std::uint32_t each = start[1];
  for (std::size_t i = 2; i < start.size(); ++i)
    if (start[i] - start[i - 1] != each) return;
  result.each = each;
  result.start = {};
}

}  // namespace

Neighbourhoods find_neighbourhoods(const MappingTask& task, const SeatPlan& plan,
                                   const PairCost& cost) {
  Neighbourhoods result;
  Collector collector(plan, result);
  if (plan.entries() <= kMaxAllPairs) {
    look_at_all_pairs(plan, cost, collector);
  } else if (const Grid* grid = task.topology.grid()) {
    walk_the_grid(*grid, task, plan, collector);
  } else {
    follow_the_list(plan, collector);
  }
  drop_even_starts(result);
  return result;
}

}  // namespace tofa
