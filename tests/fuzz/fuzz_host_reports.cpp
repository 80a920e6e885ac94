// SPDX-License-Identifier: BSD-3-Clause
// Files of reports about hosts, which any tool may write: what is read is about hosts that are
// known, and its causes can be shown.
#include "fuzz_target.hpp"
#include "healthd/host_reports.hpp"
#include "tofa/outage_cause.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  static const HostIndex hosts({"n0", "n1", "n2.cluster"});
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::parse_or_refuse([&] {
    for (const bool settled : {false, true}) {
      const auto file = health::parse_reports(text, "n1", hosts, settled);
      const auto opinions = health::judge_reports({{"n1", file}}, hosts.names().size());
      fuzz::require(opinions.verdicts.size() == 3);
      for (const auto& [host, cause] : opinions.causes) {
        fuzz::require(opinions.verdicts.at(host) == health::Verdict::down && is_cause(cause));
      }
    }
  });
  return 0;
}
