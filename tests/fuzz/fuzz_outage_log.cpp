// SPDX-License-Identifier: BSD-3-Clause
// Logs of outages, which people write by hand: what is read is in order, within its span, and can
// be replayed.
#include "fuzz_target.hpp"
#include "tofa/backtest.hpp"
#include "tofa/outage_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const OutageLog log = parse_outage_log(fuzz::as_text(data, size), "fuzz");
    double last = 0;
    for (const LoggedOutage& outage : log.outages) {
      fuzz::require(outage.host < log.hosts.size());
      fuzz::require(outage.start >= last && outage.end >= outage.start);
      fuzz::require(outage.start >= log.span.from && outage.start <= log.span.to);
      last = outage.start;
    }
    if (log.hosts.size() > 100 || log.outages.size() > 1000) return;
    auto estimators = backtest_estimators();
    estimators.resize(3);  // those that do not go from hour to hour
    BacktestOptions options;
    options.step = (log.span.to - log.span.from) / 5 + 1;
    options.burn_in = 0;
    options.horizons = {options.step};
    for (const HorizonScore& score : run_backtest(log, options, estimators)) {
      for (const EstimatorScore& estimator : score.estimators) {
        fuzz::require(estimator.log_loss >= 0 && estimator.brier >= 0 && estimator.brier <= 1);
      }
    }
  });
  return 0;
}
