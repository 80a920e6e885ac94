// SPDX-License-Identifier: BSD-3-Clause
// The smooth stand-in for an objective that searches work on: a cost per byte between two entries,
// and a penalty for every use of a node that is worth avoiding: by a rank on it, and by each pair
// that talks over it. It decomposes over pairs, so that a move is judged in time proportional to
// the partners of a rank, and each pair that gives a node up is a step towards not using it at all.
// Costs are whole numbers in units of hops (halves of a hop where equation 1 is the objective,
// sixteenths where links differ), so that sums are exact.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/search/grid_distances.hpp"
#include "mapping/seats/seat_plan.hpp"

namespace tofa {

// Costs in a grid: see GridDistances.
class GridCost {
 public:
  using Row = const std::uint8_t*;
  GridCost(const GridDistances& distances, const std::vector<std::int32_t>& keys)
      : middle_(distances.middle()), keys_(keys.data()) {}
  std::int32_t key(std::uint32_t entry) const { return keys_[entry]; }
  Row row(std::int32_t key) const { return middle_ + key; }
  static unsigned at(Row row, std::int32_t key) { return row[-key]; }

 private:
  const std::uint8_t* middle_;
  const std::int32_t* keys_;
};

// Costs from a square table over all entries.
class TableCost {
 public:
  using Row = const std::uint16_t*;
  TableCost(const std::vector<std::uint16_t>& table, std::size_t entries)
      : table_(table.data()), entries_(entries) {}
  static std::int32_t key(std::uint32_t entry) { return static_cast<std::int32_t>(entry); }
  Row row(std::int32_t key) const { return table_ + static_cast<std::size_t>(key) * entries_; }
  static unsigned at(Row row, std::int32_t key) { return row[key]; }

 private:
  const std::uint16_t* table_;
  std::size_t entries_;
};

class PairCost;

// Whether the way between two nodes does not cost its hops, since the objective counts that links
// differ.
bool follows_link_costs(const MappingTask& task);

// Up to this many entries all pairs are tabled, where there is no grid: 8 MB a table.
inline constexpr std::size_t kMaxTabled = 2048;
// Seconds of an ordinary core with a second one beside it.
double seconds_to_tabulate(const MappingTask& task);

// Costs worked out from the topology every time: for machines too large for a table.
class ComputedCost {
 public:
  struct Row {
    const PairCost* cost;
    std::uint32_t entry;
  };
  explicit ComputedCost(const PairCost& cost) : cost_(&cost) {}
  static std::int32_t key(std::uint32_t entry) { return static_cast<std::int32_t>(entry); }
  Row row(std::int32_t key) const { return {cost_, static_cast<std::uint32_t>(key)}; }
  static unsigned at(Row row, std::int32_t key);

 private:
  const PairCost* cost_;
};

class PairCost {
 public:
  PairCost(const MappingTask& task, const SeatPlan& plan);
  PairCost(const PairCost&) = delete;
  PairCost& operator=(const PairCost&) = delete;

  // Per byte between two entries of the allocation.
  unsigned between(std::uint32_t a, std::uint32_t b) const;

  // Calls `use` with the fastest of GridCost, TableCost and ComputedCost that serves here.
  template <typename Use>
  auto with_costs(Use&& use) const {
    if (grid_) return use(GridCost(*grid_, keys_));
    if (!table_.empty()) return use(TableCost(table_, entries_));
    return use(ComputedCost(*this));
  }

  // The table of distances in a grid, where there is one, and the keys of entries in it.
  const GridDistances* grid() const { return grid_ ? &*grid_ : nullptr; }
  std::int32_t grid_key(std::uint32_t entry) const { return keys_[entry]; }
  // Whether the cost between two entries is the hops between them.
  bool counts_hops() const { return !equation_1_ && link_costs_ == nullptr; }
  // Whether there are nodes worth avoiding.
  bool risky() const { return risk_weight_ > 0; }
  // What a unit of risk weighs, in bytes: how little a pair says makes no difference to a job that
  // is aborted when its route fails.
  double risk_weight() const { return risk_weight_; }
  // Risk of the nodes on the way from a to b and back. Safe to call in several threads.
  unsigned risk_between(std::uint32_t a, std::uint32_t b) const {
    if (passes_no_suspect(a, b)) return 0;
    if (risks_.empty()) return compute_risk(a, b);
    std::atomic<std::uint16_t>& known = risks_[a * entries_ + b];
    unsigned value = known.load(std::memory_order_relaxed);
    if (value == 0) {
      value = 1 + std::min(compute_risk(a, b), kLargestValue - 1);
      known.store(static_cast<std::uint16_t>(value), std::memory_order_relaxed);
    }
    return value - 1;
  }
  // Risk of an entry itself.
  unsigned risk_of(std::uint32_t entry) const { return level_[plan_.node(entry)]; }

 private:
  friend class ComputedCost;
  void tabulate();
  void weigh_suspects(const MappingTask& task);
  void measure_ways_to_suspects();
  // Where that is known without looking along the ways, as in a grid it mostly is.
  bool passes_no_suspect(std::uint32_t a, std::uint32_t b) const {
    return !hops_to_suspect_.empty() &&
           hops_to_suspect_[a] + hops_to_suspect_[b] > grid_->middle()[keys_[a] - keys_[b]];
  }
  unsigned compute(std::uint32_t a, std::uint32_t b) const;
  unsigned compute_risk(std::uint32_t a, std::uint32_t b) const;
  unsigned risk_on_route(Node from, Node to) const;
  double cost_of_links(Node from, Node to) const;

  // What the tables hold at most.
  static constexpr unsigned kLargestValue = 0xffff;

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t entries_;
  FaultWeights weights_;
  bool equation_1_;
  const LinkCosts* link_costs_;  // null where hops count
  double risk_weight_ = 0;
  std::optional<GridDistances> grid_;
  std::vector<std::int32_t> keys_;  // by entry, where there is a grid
  std::vector<std::uint16_t> table_;
  std::unique_ptr<RouteCensus> census_;                    // of the levels
  std::vector<std::uint8_t> level_;                        // by node: its risk
  std::vector<std::uint32_t> hops_to_suspect_;             // by entry of a grid
  mutable std::vector<std::atomic<std::uint16_t>> risks_;  // 1 more than the risk, 0 if unknown
};

inline unsigned ComputedCost::at(Row row, std::int32_t key) {
  return row.cost->compute(row.entry, static_cast<std::uint32_t>(key));
}

inline unsigned PairCost::between(std::uint32_t a, std::uint32_t b) const {
  return with_costs([a, b](const auto& costs) {
    return static_cast<unsigned>(costs.at(costs.row(costs.key(a)), costs.key(b)));
  });
}

}  // namespace tofa
