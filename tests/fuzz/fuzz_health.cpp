// SPDX-License-Identifier: BSD-3-Clause
// Answers of the health service: what is not refused makes sense and reads back the same.
#include <set>

#include "fuzz_target.hpp"
#include "tofa/health_query.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const Snapshot snapshot = parse_health_answer(fuzz::as_text(data, size));
    std::set<std::string> hosts;
    for (const HostOutage& outage : outages_of(snapshot)) {
      fuzz::require(outage.probability >= 0 && outage.probability <= 1);
      fuzz::require(outage.age_seconds >= 0 && outage.rate >= 0);
      fuzz::require(hosts.insert(outage.host).second);
    }
    fuzz::require(parse_health_answer(format_snapshot(snapshot)) == snapshot);
  });
  return 0;
}
