// SPDX-License-Identifier: BSD-3-Clause
// From rates to seconds: see move_cost.hpp.
#include "mapping/search/move_cost.hpp"

#include <algorithm>

#include "mapping/rates.hpp"
#include "mapping/search/ledger_rule.hpp"
#include "mapping/search/line_loads.hpp"
#include "mapping/search/pair_cost.hpp"
#include "mapping/search/route_table.hpp"

namespace tofa {
namespace {

double seconds_to_choose_seat(const MappingTask& task) {
  std::uint64_t slots = 0;
  for (const AllocationEntry& entry : task.allocation) slots += entry.slots;
  return slots >= kManySeats * task.allocation.size()
             ? (kSeatsLookedAt - 1) * rates::kLedgerSeatChoice
             : 0;
}

}  // namespace

double seconds_of_upkeep(const MappingTask& task, double partners) {
  if (task.topology.grid() != nullptr) return 0;
  return rates::kLedgerUpkeep * partners * static_cast<double>(ledger_width(task));
}

bool walks_routes(const MappingTask& task) {
  return !LineLoads::serves(task.topology) && task.allocation.size() > RouteTable::kMostEntries;
}

double seconds_per_load_try(const MappingTask& task, double partners) {
  const double walking = walks_routes(task) ? rates::kLoadWalkPerPartner : 0;
  const double risking = task.outages.suspects() > 0 ? rates::kRiskPerPartner : 0;
  return rates::kLoadTry + (rates::kLoadTryPerPartner + walking + risking) * partners;
}

double seconds_per_move(const MappingTask& task, double partners, bool risky) {
  const double ranks = std::max<double>(task.graph.ranks(), 1);
  const bool links = follows_link_costs(task);
  const bool tabled =
      (task.topology.grid() != nullptr && !links) || task.allocation.size() <= kMaxTabled;
  const double untabled = links ? rates::kLinksPerPartner : rates::kHopsPerPartner;
  return (ledger_serves(task)
              ? rates::kLedgerMove + seconds_to_choose_seat(task) +
                    rates::kLedgerMovePerPartner * partners + seconds_of_upkeep(task, partners)
              : rates::kMove + rates::kMovePerPartner * partners) +
         (tabled ? 0 : untabled * partners) + (risky ? rates::kRiskPerPartner * partners : 0) +
         (ranks > 8192 ? rates::kFarMemory : 0);
}

}  // namespace tofa
