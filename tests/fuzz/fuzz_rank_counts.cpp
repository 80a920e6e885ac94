// SPDX-License-Identifier: BSD-3-Clause
// What a rank that died left: what is read makes a graph that can be written and read again.
#include "fuzz_target.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/rank_counts.hpp"
#include "tofa/run_times.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const RankCounts counts = parse_rank_counts(fuzz::as_text(data, size), "fuzz");
    fuzz::require(counts.rank < counts.ranks && counts.ranks <= kMaxRanks);
    for (const PartnerCounts& partner : counts.partners) {
      fuzz::require(partner.partner < counts.ranks);
    }
    if (counts.ranks > 1000) return;
    const std::optional<MpiShares> shares = parse_mpi_shares(recover_run({counts}), "run");
    fuzz::require(shares.has_value() == (counts.times && counts.times->run_seconds > 0));
    const Traffic traffic = recover_traffic({counts}, TrafficClass::all, true);
    const Traffic again = parse_traffic(format_traffic(traffic, "mtx"), "again");
    fuzz::require(again.entries == traffic.entries && again.metadata == traffic.metadata);
  });
  return 0;
}
