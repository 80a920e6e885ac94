// SPDX-License-Identifier: BSD-3-Clause
// Communication graphs of every format: what is read keeps its promises and reads back the same
// once written.
#include "fuzz_target.hpp"
#include "picture/heatmap.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/grid_traffic.hpp"

namespace {

// No more ranks than can be looked at one by one.
tofa::GridTraffic small(tofa::GridTraffic grid) {
  for (unsigned& extent : grid.shape) extent %= 6;
  return grid;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  constexpr Rank kMostRanks = 100;  // that the slower checks are made for
  fuzz::parse_or_refuse([&] {
    const Traffic traffic = parse_traffic(fuzz::as_text(data, size), "input");
    for (const TrafficEntry& entry : traffic.entries) {
      fuzz::require(entry.sender < traffic.ranks && entry.receiver < traffic.ranks);
    }
    const Traffic again = parse_traffic(format_traffic(traffic, "mtx"), "again");
    fuzz::require(again.ranks == traffic.ranks && again.entries == traffic.entries &&
                  again.metadata == traffic.metadata);
    if (traffic.ranks > kMostRanks) return;
    fuzz::require(cli::heatmap_svg(traffic, "input").size() < 2'000'000);
    const CommGraph graph(traffic);
    const CommGraph scotch(parse_traffic(format_traffic(traffic, "scotch"), "scotch"));
    fuzz::require(scotch.pairs() == graph.pairs() && scotch.total_bytes() == graph.total_bytes());
  });
  fuzz::parse_or_refuse([&] {
    const Traffic grid =
        grid_traffic(small(parse_grid_traffic(fuzz::as_text(data, size), "input")), "input");
    for (const TrafficEntry& entry : grid.entries) {
      fuzz::require(entry.sender < grid.ranks && entry.receiver < grid.ranks &&
                    entry.sender != entry.receiver);
    }
  });
  return 0;
}
