// SPDX-License-Identifier: BSD-3-Clause
// Outage lists: every probability is one, no host comes twice, and the JSON reads back the same.
#include <set>

#include "fuzz_target.hpp"
#include "tofa/outage.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const OutageList outages = parse_outages(fuzz::as_text(data, size), "input");
    std::set<std::string> hosts;
    for (const HostOutage& outage : outages) {
      fuzz::require(outage.probability >= 0 && outage.probability <= 1);
      fuzz::require(hosts.insert(outage.host).second);
    }
    const OutageList again = parse_outages(format_outages_json(outages), "again");
    fuzz::require(again.size() == outages.size());
    for (std::size_t i = 0; i < again.size(); ++i) {
      fuzz::require(again[i].host == outages[i].host &&
                    again[i].probability == outages[i].probability);
    }
  });
  return 0;
}
