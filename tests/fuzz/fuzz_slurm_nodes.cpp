// SPDX-License-Identifier: BSD-3-Clause
// What tofa-slurm-nodes and sinfo print, or whatever is run in their place: it is read or refused.
#include "fuzz_target.hpp"
#include "healthd/slurm_states.hpp"
#include "tofa/outage_cause.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  const auto judge = [](const std::vector<health::NodeState>& states) {
    const auto opinions = health::SlurmOpinions({"n000", "n001"}).judge(states);
    fuzz::require(opinions.verdicts.size() == 2 && opinions.booted.size() == 2);
    for (const auto& [host, cause] : opinions.causes) fuzz::require(host < 2 && is_cause(cause));
  };
  fuzz::parse_or_refuse([&] {
    const auto nodes = health::parse_slurm_nodes(fuzz::as_text(data, size));
    for (const health::SlurmNode& node : nodes) {
      fuzz::require(health::parse_slurm_nodes(format_slurm_node(node)) == std::vector{node});
    }
    judge(node_states(nodes));
  });
  fuzz::parse_or_refuse([&] { judge(health::parse_node_states(fuzz::as_text(data, size))); });
  return 0;
}
