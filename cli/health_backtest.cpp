// SPDX-License-Identifier: BSD-3-Clause
// `tofa health backtest`: how good predictions would have been on a log of past outages. What is
// done and what the scores mean is in tofa/backtest.hpp.
#include "health_backtest.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "report.hpp"
#include "tofa/backtest.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr double kDay = 86'400;

struct Request {
  std::string log;
  std::string hosts;
  std::string from;
  std::string until;
  std::vector<std::string> horizons;
  std::string step = "1d";
  std::string burn_in;
  double half_life = kOutageHalfLifeDays;
  std::string predictions;
  bool json = false;
};

struct Backtest {
  OutageLog log;
  std::vector<HorizonScore> scores;
  std::string predictions;  // as lines, where they were asked for
};

double duration_of(const char* option, const std::string& text, double least) {
  const auto seconds = parse_duration(text);
  if (seconds && *seconds >= least) return *seconds;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} {}: a time like 1h, 24h or 7d is expected, {} s at least", option,
                          excerpt(text), least));
}

double time_of(const char* option, const std::string& text) {
  if (const auto time = parse_time(text)) return *time;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} {}: seconds since 1970 or 2026-01-31T12:00:00 are expected", option,
                          excerpt(text)));
}

std::string name_of_horizon(double seconds) {
  constexpr double hour = 3600;
  if (seconds >= 2 * kDay && std::fmod(seconds, kDay) == 0) {
    return fmt::format("{:.0f} d", seconds / kDay);
  }
  if (std::fmod(seconds, hour) == 0) return fmt::format("{:.0f} h", seconds / hour);
  return fmt::format("{:g} s", seconds);
}

OutageLog load_log(const Request& request) {
  if (request.log.empty()) {
    throw Error(ErrorKind::bad_input,
                "no log of outages; add --log FILE, lines host,start,end or what this prints:\n"
                "sacctmgr -nP show event start=2026-01-01 "
                "format=nodename,timestart,timeend,state,reason");
  }
  const bool stream = request.log == "-";
  OutageLog log = parse_outage_log(read_file(stream ? "/dev/stdin" : request.log),
                                   stream ? "standard input" : request.log);
  if (!request.hosts.empty()) {
    const std::size_t all = log.outages.size();
    log = log_of_hosts(log, expand_hostlist(request.hosts));
    if (log.outages.empty()) {
      throw Error(ErrorKind::unmet, fmt::format("none of the {} outages of {} is of a host of {}",
                                                all, request.log, excerpt(request.hosts)));
    }
  } else {
    fmt::print(stderr,
               "tofa: the hosts are the {} of the log; those that never failed are missing, and "
               "rates come out too high: --hosts HOSTLIST names all\n",
               log.hosts.size());
  }
  if (!request.from.empty()) log.span.from = time_of("--from", request.from);
  if (!request.until.empty()) log.span.to = time_of("--until", request.until);
  if (log.span.to <= log.span.from) {
    throw Error(ErrorKind::bad_input, "--until is not after --from or the first outage");
  }
  return log;
}

Backtest run_request(const Request& request) {
  Backtest backtest;
  BacktestOptions options;
  if (!request.horizons.empty()) options.horizons.clear();
  for (const std::string& horizon : request.horizons) {
    options.horizons.push_back(duration_of("--horizon", horizon, 1));
  }
  options.step = duration_of("--step", request.step, 60);
  if (!request.burn_in.empty()) options.burn_in = duration_of("--burn-in", request.burn_in, 0);
  backtest.log = load_log(request);
  const auto estimators = backtest_estimators({request.half_life});
  if (!request.predictions.empty()) {
    backtest.predictions = "time,host,horizon,estimator,probability,failed\n";
    options.each = [&](const Prediction& prediction) {
      backtest.predictions += fmt::format("{:.0f},{},{:.0f},{},{:.6g},{}\n", prediction.time,
                                          backtest.log.hosts[prediction.host], prediction.horizon,
                                          estimators[prediction.estimator]->name(),
                                          prediction.probability, prediction.failed ? 1 : 0);
    };
  }
  backtest.scores = run_backtest(backtest.log, options, estimators);
  return backtest;
}

nlohmann::ordered_json estimator_json(const EstimatorScore& score) {
  auto reliability = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < score.reliability.size(); ++i) {
    const ReliabilityBin& bin = score.reliability[i];
    if (bin.predictions == 0) continue;
    const auto count = static_cast<double>(bin.predictions);
    reliability.push_back({{"up_to", kReliabilityEdges[i]},
                           {"predictions", bin.predictions},
                           {"predicted", bin.sum / count},
                           {"failed", static_cast<double>(bin.failures) / count}});
  }
  return {{"estimator", score.estimator},
          {"log_loss", score.log_loss},
          {"brier", score.brier},
          {"mean_probability", score.mean},
          {"failures_given_zero", score.surprises},
          {"reliability", std::move(reliability)}};
}

std::string as_json(const Backtest& backtest) {
  auto horizons = nlohmann::ordered_json::array();
  for (const HorizonScore& score : backtest.scores) {
    nlohmann::ordered_json entry{{"horizon_seconds", score.horizon},
                                 {"predictions", score.predictions},
                                 {"failures", score.failures}};
    entry["estimators"] = nlohmann::ordered_json::array();
    if (score.predictions > 0) {
      for (const EstimatorScore& estimator : score.estimators) {
        entry["estimators"].push_back(estimator_json(estimator));
      }
    }
    horizons.push_back(std::move(entry));
  }
  const nlohmann::ordered_json json{{"version", 1},
                                    {"hosts", backtest.log.hosts.size()},
                                    {"outages", backtest.log.outages.size()},
                                    {"planned", backtest.log.planned},
                                    {"from", backtest.log.span.from},
                                    {"until", backtest.log.span.to},
                                    {"horizons", std::move(horizons)}};
  return json_text(json);
}

std::string utc_day(double time) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time)));
}

std::string reliability_text(const EstimatorScore& score) {
  std::string text =
      fmt::format("  {} said     predictions  mean of it      failed\n", score.estimator);
  for (std::size_t i = 0; i < score.reliability.size(); ++i) {
    const ReliabilityBin& bin = score.reliability[i];
    if (bin.predictions == 0) continue;
    const auto count = static_cast<double>(bin.predictions);
    text += fmt::format("  {:<{}} {:>11}  {:>10.6f}  {:>10.6f}\n",
                        i == 0 ? "0" : fmt::format("up to {:g}", kReliabilityEdges[i]),
                        score.estimator.size() + 9, bin.predictions, bin.sum / count,
                        static_cast<double>(bin.failures) / count);
  }
  return text;
}

std::string as_text(const Backtest& backtest) {
  const OutageLog& log = backtest.log;
  std::string text = fmt::format("{} hosts, {} outages, {} to {}", log.hosts.size(),
                                 log.outages.size(), utc_day(log.span.from), utc_day(log.span.to));
  if (log.planned > 0) text += fmt::format("; {} lines are of planned work", log.planned);
  text += "\n";
  for (const HorizonScore& score : backtest.scores) {
    text += fmt::format("\nWithin {}: ", name_of_horizon(score.horizon));
    if (score.predictions == 0) {
      text += "the log is too short\n";
      continue;
    }
    text += fmt::format("{} predictions, {} failures\n", score.predictions, score.failures);
    text += "  estimator         log loss      Brier  mean said  failed, given 0\n";
    for (const EstimatorScore& estimator : score.estimators) {
      text += fmt::format("  {:<16}  {:8.5f}  {:9.5f}  {:9.5f}  {:>15}\n", estimator.estimator,
                          estimator.log_loss, estimator.brier, estimator.mean, estimator.surprises);
    }
    for (const EstimatorScore& estimator : score.estimators) {
      text += "\n" + reliability_text(estimator);
    }
  }
  return text;
}

void run(const Request& request) {
  const Backtest backtest = run_request(request);
  if (!request.predictions.empty()) write_output(request.predictions, backtest.predictions);
  write_output("", request.json ? as_json(backtest) : as_text(backtest));
}

}  // namespace

void add_health_backtest(Command& health) {
  Command& command = *health.add_subcommand(
      "backtest", "How good predictions would have been on a log of past outages");
  auto request = std::make_shared<Request>();
  command
      .add_option("--log", request->log,
                  "Lines host,start,end[,cause], or what sacctmgr -P show event prints; - is "
                  "standard input")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--hosts", request->hosts,
                  "All hosts, those that never failed as well (default: those of the log)")
      ->type_name("HOSTLIST");
  command
      .add_option("--from", request->from, "Since when they were watched (default: first outage)")
      ->type_name("TIME");
  command.add_option("--until", request->until, "Until when (default: the last time in the log)")
      ->type_name("TIME");
  command
      .add_option("--horizon", request->horizons,
                  "Within which time a host fails or not (default: 1h 24h 7d)")
      ->take_all()
      ->type_name("TIME...");
  command.add_option("--step", request->step, "From one prediction to the next")
      ->capture_default_str()
      ->type_name("TIME");
  command
      .add_option("--burn-in", request->burn_in,
                  "Only to learn from (default: 30d, a third of a shorter log)")
      ->type_name("TIME");
  command
      .add_option("--half-life", request->half_life,
                  "gamma: after so many days an outage counts half")
      ->check(range(0.1, 100'000.0))
      ->capture_default_str()
      ->type_name("DAYS");
  command.add_option("--predictions", request->predictions, "Also write each prediction, as CSV")
      ->type_name("FILE");
  command.add_flag("--json", request->json, "The scores as JSON");
  command.footer(
      "Examples:\n"
      "  tofa health backtest --log outages.csv --hosts n[000-511]\n"
      "  sacctmgr -nP show event start=2026-01-01 format=nodename,timestart,timeend,state,reason |\n"
      "    tofa health backtest --log - --hosts n[000-511] --json");
  command.callback([request] { run(*request); });
}

}  // namespace tofa::cli
