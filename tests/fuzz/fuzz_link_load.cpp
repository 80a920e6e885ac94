// SPDX-License-Identifier: BSD-3-Clause
// Link loads in every format: what is read can be on a link, and costs of links are finite.
#include <cmath>

#include "fuzz_target.hpp"
#include "tofa/link_load.hpp"
#include "tofa/topology.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  static const auto ring =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [3, 2]\nnodes = \"n[0-5]\"\n", "ring");
  fuzz::parse_or_refuse([&] {
    const std::string_view text = fuzz::as_text(data, size);
    LinkLoadRules rules;
    rules.counters = size % 2 == 0;
    std::size_t ahead = 0;
    LinkLoadList load = parse_link_load(text, "input", rules, 1000, ahead);
    for (const LinkSample& sample : load) {
      fuzz::require(sample.bytes_per_second >= 0 && std::isfinite(sample.bytes_per_second));
      fuzz::require(sample.share <= 1 && sample.stalled <= 1);
    }
    const LinkUse use = link_use_of(load, *ring);
    fuzz::require(use.measured <= ring->links() && use.unknown <= load.size());
    const LinkCosts costs = link_costs_of(*ring, use, {});
    for (const double cost : costs.costs()) fuzz::require(cost >= 1 && std::isfinite(cost));
  });
  fuzz::parse_or_refuse([&] { parse_link_load_rules(fuzz::as_text(data, size), "input"); });
  return 0;
}
