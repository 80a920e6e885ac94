// SPDX-License-Identifier: BSD-3-Clause
// Answers of the health service: what is not refused makes sense and reads back the same; of a
// topology, what is taken is whole.
#include <set>

#include "fuzz_target.hpp"
#include "tofa/health_query.hpp"
#include "tofa/topology_query.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  if (const auto reply = parse_topology_reply(fuzz::as_text(data, size)))
    fuzz::require(reply->text.size() < size &&
                  reply->text.empty() == (reply->kind != TopologyReply::Kind::text));
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
