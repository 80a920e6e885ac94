// SPDX-License-Identifier: BSD-3-Clause
// Logs of outages, which people write by hand: what is read is in order, within its span, and can
// be replayed.
#include "fuzz_target.hpp"
#include "healthd/history_import.hpp"
#include "tofa/backtest.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/outage_log.hpp"

namespace {

// What goes into the database is what may be in it, and only once.
void import(const tofa::OutageLog& log) {
  using namespace tofa;
  health::HealthdConfig config;
  config.estimator.method = "gamma";
  for (const std::string& host : log.hosts) config.hosts.push_back({host, {host, 7411}});
  const double now = log.span.to;
  const auto plan = health::plan_import(log, config, {}, now);
  for (const health::StoredOutage& outage : plan.added.outages) {
    fuzz::require(is_cause(outage.cause) && outage.start >= 0 && outage.end >= outage.start);
  }
  fuzz::require(plan_import(log, config, plan.added, now).added.outages.empty());
}

}  // namespace

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
    if (log.span.to - log.span.from < 86'400.0 * 3650) import(log);
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
