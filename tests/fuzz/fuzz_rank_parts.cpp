// SPDX-License-Identifier: BSD-3-Clause
// The parts of a rank that died, beside counts that have little to do with them: phases hold no
// more than was counted, and graphs of them can be written and read again.
#include "fuzz_target.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/rank_parts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    RankParts parts = parse_rank_parts(fuzz::as_text(data, size), "fuzz");
    fuzz::require(parts.rank < parts.ranks && parts.phase <= kMostPhases);
    for (const PartCounts& part : parts.parts) {
      fuzz::require(part.counts.partner < parts.ranks && part.part < 165);
    }
    RankCounts counts;
    counts.rank = parts.rank;
    counts.ranks = parts.ranks;
    counts.partners = {{0, {1000}, {10}}};
    if (parts.ranks > 1000) return;
    const std::vector<RankParts> all = complete_parts({counts}, {std::move(parts)});
    for (const std::uint32_t phase : phases_of(all)) {
      fuzz::require(phase > 0 && phase <= kMostPhases);
      const Traffic traffic =
          recover_traffic(phase_counts({counts}, all, phase), TrafficClass::all, true);
      const Traffic again = parse_traffic(format_traffic(traffic, "mtx"), "again");
      fuzz::require(again.entries == traffic.entries && again.metadata == traffic.metadata);
    }
    const MessageSizes sizes = recover_sizes({counts}, all);
    fuzz::require(parse_message_sizes(format_message_sizes(sizes), "again").counts == sizes.counts);
  });
  return 0;
}
