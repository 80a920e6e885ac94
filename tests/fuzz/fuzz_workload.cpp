// SPDX-License-Identifier: BSD-3-Clause
// Logs of jobs and rules of traffic: what is read makes sense, whatever the bytes are.
#include <cmath>

#include "fuzz_target.hpp"
#include "tofa/job_traffic.hpp"
#include "tofa/workload.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  const auto text = fuzz::as_text(data, size);
  fuzz::parse_or_refuse([text] {
    double before = -1e12;
    for (const LoggedJob& job : parse_workload(text, "jobs").jobs) {
      fuzz::require(std::isfinite(job.submit) && job.submit >= before);
      fuzz::require(job.ranks >= 1 && job.ranks <= kMaxRanks && job.nodes <= job.ranks);
      fuzz::require(job.run_seconds > 0 && job.run_seconds <= job.limit_seconds);
      fuzz::require(std::isfinite(job.limit_seconds));
      before = job.submit;
    }
  });
  fuzz::parse_or_refuse([text] {
    for (const TrafficRule& rule : parse_traffic_rules(text, "rules"))
      fuzz::require(rule.profile.empty() != rule.traffic_class.empty());
  });
  return 0;
}
