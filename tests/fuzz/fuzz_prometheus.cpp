// SPDX-License-Identifier: BSD-3-Clause
// Answers of Prometheus, or of whatever listens in its place: they are read or refused.
#include "fuzz_target.hpp"
#include "healthd/config.hpp"
#include "healthd/prometheus_answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  static const health::PrometheusOpinions opinions(
      {{"n0", {"n0", 7411}}, {"n1", {"10.0.0.1", 7411}}}, "up", "instance");
  fuzz::parse_or_refuse([&] {
    const auto judged = opinions.judge(parse_instant_vector(fuzz::as_text(data, size), ""));
    fuzz::require(judged.verdicts.size() == 2);
    for (const auto& [host, cause] : judged.causes) {
      fuzz::require(judged.verdicts.at(host) == health::Verdict::missed);
    }
  });
  return 0;
}
