// SPDX-License-Identifier: BSD-3-Clause
// The smooth stand-in for an objective that searches work on: a cost per byte between two places,
// and a penalty for every faulty link on the route of a pair that talks. It decomposes over pairs,
// so that a move is judged in time proportional to the partners of a rank. Costs are whole numbers
// in units of hops (halves of a hop where equation 1 is the objective), so that sums are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/grid_distances.hpp"
#include "mapping/mapper.hpp"
#include "mapping/seats.hpp"

namespace tofa {

// Costs in a grid: see GridDistances.
class GridCost {
 public:
  using Row = const std::uint8_t*;
  GridCost(const GridDistances& distances, const std::vector<std::int32_t>& keys)
      : middle_(distances.middle()), keys_(keys.data()) {}
  std::int32_t key(std::uint32_t place) const { return keys_[place]; }
  Row row(std::int32_t key) const { return middle_ + key; }
  static unsigned at(Row row, std::int32_t key) { return row[-key]; }

 private:
  const std::uint8_t* middle_;
  const std::int32_t* keys_;
};

// Costs from a square table over all places.
class TableCost {
 public:
  using Row = const std::uint16_t*;
  TableCost(const std::vector<std::uint16_t>& table, std::size_t places)
      : table_(table.data()), places_(places) {}
  static std::int32_t key(std::uint32_t place) { return static_cast<std::int32_t>(place); }
  Row row(std::int32_t key) const { return table_ + static_cast<std::size_t>(key) * places_; }
  static unsigned at(Row row, std::int32_t key) { return row[key]; }

 private:
  const std::uint16_t* table_;
  std::size_t places_;
};

class PairCost;

// Costs worked out from the topology every time: for machines too large for a table.
class ComputedCost {
 public:
  struct Row {
    const PairCost* cost;
    std::uint32_t place;
  };
  explicit ComputedCost(const PairCost& cost) : cost_(&cost) {}
  static std::int32_t key(std::uint32_t place) { return static_cast<std::int32_t>(place); }
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

  // Per byte between two places of the allocation.
  unsigned between(std::uint32_t a, std::uint32_t b) const;

  // Calls `use` with the fastest of GridCost, TableCost and ComputedCost that serves here.
  template <typename Use>
  auto with_costs(Use&& use) const {
    if (grid_) return use(GridCost(*grid_, keys_));
    if (!table_.empty()) return use(TableCost(table_, places_));
    return use(ComputedCost(*this));
  }

  // Whether the cost between two places is the hops between them.
  bool counts_hops() const { return !equation_1_; }
  // Whether routes and places carry a risk that the objective counts.
  bool risky() const { return risk_weight_ > 0; }
  // What a faulty link on the route of a pair that talks weighs, in bytes: how little the pair says
  // makes no difference to a job that is aborted when its route fails.
  double risk_weight() const { return risk_weight_; }
  // Faulty links on the way from a to b and back.
  unsigned faulty_links(std::uint32_t a, std::uint32_t b) const {
    return risks_.empty() ? compute_risk(a, b) : risks_[a * places_ + b];
  }
  // 1 for a place that is itself suspect, else 0.
  unsigned suspect(std::uint32_t place) const { return suspect_[place]; }

 private:
  friend class ComputedCost;
  unsigned compute(std::uint32_t a, std::uint32_t b) const;
  unsigned compute_risk(std::uint32_t a, std::uint32_t b) const;

  // Up to this many places all pairs are tabled: 8 MB a table.
  static constexpr std::size_t kMaxTable = 2048;

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t places_;
  FaultWeights weights_;
  bool equation_1_;
  double risk_weight_ = 0;
  std::optional<GridDistances> grid_;
  std::vector<std::int32_t> keys_;  // by place, where there is a grid
  std::vector<std::uint16_t> table_;
  std::vector<std::uint16_t> risks_;
  std::vector<std::uint8_t> suspect_;
};

inline unsigned ComputedCost::at(Row row, std::int32_t key) {
  return row.cost->compute(row.place, static_cast<std::uint32_t>(key));
}

inline unsigned PairCost::between(std::uint32_t a, std::uint32_t b) const {
  return with_costs([a, b](const auto& costs) {
    return static_cast<unsigned>(costs.at(costs.row(costs.key(a)), costs.key(b)));
  });
}

}  // namespace tofa
