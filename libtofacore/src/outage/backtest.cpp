// SPDX-License-Identifier: BSD-3-Clause
// The replay: see tofa/backtest.hpp.
#include "tofa/backtest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr double kLongestBurnIn = 30 * 86'400.0;
constexpr double kSurest = 1e-6;  // a wrong verdict costs no more than this

// The pause in which a time lies.
const TimeSpan* pause_at(const OutageLog& log, double time) {
  const auto found =
      std::find_if(log.pauses.begin(), log.pauses.end(),
                   [time](const TimeSpan& pause) { return pause.from <= time && time < pause.to; });
  return found == log.pauses.end() ? nullptr : &*found;
}

bool meets_pause(const OutageLog& log, const TimeSpan& span) {
  return std::any_of(log.pauses.begin(), log.pauses.end(), [&span](const TimeSpan& pause) {
    return pause.from <= span.to && span.from < pause.to;
  });
}

// One host's outages as the log goes by.
class HostTimeline {
 public:
  explicit HostTimeline(double begin) : now_(begin) {}

  // `seen`: whether it was watched when it began. Where not, it is time that does not count.
  void add(const LoggedOutage& outage, bool seen) {
    events_.push_back({std::max(outage.start, now_), outage.end, seen});
  }

  // Tells the estimators what happened until `time`.
  void advance(std::size_t host, double time, const OutageLog& log,
               const std::vector<std::unique_ptr<BacktestEstimator>>& estimators) {
    for (; now_ < time || out_;) {
      if (out_) {
        const Event& event = events_[next_];
        if (event.end > time) break;
        if (event.seen) {
          for (const auto& estimator : estimators) estimator->recovered(host, event.end);
        }
        now_ = std::max(now_, event.end);
        out_ = false;
        ++next_;
        continue;
      }
      const bool fails = next_ < events_.size() && events_[next_].start <= time;
      const double to = fails ? std::max(now_, events_[next_].start) : time;
      tell_watched(host, now_, to, log, estimators);
      now_ = to;
      if (!fails) break;
      if (events_[next_].seen) {
        for (const auto& estimator : estimators) estimator->failed(host, to);
      }
      out_ = true;
    }
    now_ = std::max(now_, time);
  }

  bool up() const { return !out_; }
  // Of the present moment, or later.
  double next_failure() const {
    for (std::size_t i = next_; i < events_.size(); ++i) {
      if (events_[i].seen) return events_[i].start;
    }
    return HUGE_VAL;
  }

 private:
  struct Event {
    double start;
    double end;
    bool seen;
  };

  static void tell_watched(std::size_t host, double from, double to, const OutageLog& log,
                           const std::vector<std::unique_ptr<BacktestEstimator>>& estimators) {
    const auto tell = [&](double begin, double end) {
      if (end <= begin) return;
      for (const auto& estimator : estimators) estimator->watched(host, begin, end);
    };
    for (const TimeSpan& pause : log.pauses) {
      if (pause.to <= from || pause.from >= to) continue;
      tell(from, pause.from);
      from = std::min(to, pause.to);
    }
    tell(from, to);
  }

  double now_;
  std::vector<Event> events_;
  std::size_t next_ = 0;
  bool out_ = false;
};

void add_score(EstimatorScore& score, double probability, bool failed) {
  const double sure = std::clamp(probability, kSurest, 1 - kSurest);
  const double error = probability - (failed ? 1 : 0);
  score.brier += error * error;
  score.log_loss -= failed ? std::log(sure) : std::log1p(-sure);
  score.mean += probability;
  if (failed && probability <= 0) ++score.surprises;
  const auto edge =
      std::lower_bound(kReliabilityEdges.begin(), kReliabilityEdges.end() - 1, probability);
  ReliabilityBin& bin =
      score.reliability[static_cast<std::size_t>(edge - kReliabilityEdges.begin())];
  ++bin.predictions;
  bin.failures += failed ? 1 : 0;
  bin.sum += probability;
}

void finish(HorizonScore& score) {
  if (score.predictions == 0) return;
  const auto count = static_cast<double>(score.predictions);
  for (EstimatorScore& estimator : score.estimators) {
    estimator.brier /= count;
    estimator.log_loss /= count;
    estimator.mean /= count;
  }
}

class Replay {
 public:
  Replay(const OutageLog& log, const BacktestOptions& options,
         const std::vector<std::unique_ptr<BacktestEstimator>>& estimators)
      : log_(log), options_(options), estimators_(estimators) {
    timelines_.assign(log.hosts.size(), HostTimeline(log.span.from));
    for (const LoggedOutage& outage : log.outages) {
      if (outage.end <= log.span.from) continue;
      const bool seen = outage.start >= log.span.from && pause_at(log, outage.start) == nullptr;
      timelines_[outage.host].add(outage, seen);
    }
    for (const double horizon : options.horizons) {
      HorizonScore& score = scores_.emplace_back();
      score.horizon = horizon;
      for (const auto& estimator : estimators) {
        score.estimators.emplace_back().estimator = estimator->name();
      }
    }
    for (const auto& estimator : estimators) estimator->begin(log);
  }

  void ask(double now) {
    for (std::size_t host = 0; host < timelines_.size(); ++host) {
      timelines_[host].advance(host, now, log_, estimators_);
    }
    if (pause_at(log_, now) != nullptr) return;
    for (const auto& estimator : estimators_) estimator->look(now);
    for (std::size_t host = 0; host < timelines_.size(); ++host) {
      if (timelines_[host].up()) ask_about(host, now);
    }
  }

  std::vector<HorizonScore> finished() {
    for (HorizonScore& score : scores_) finish(score);
    return std::move(scores_);
  }

 private:
  void ask_about(std::size_t host, double now) {
    for (HorizonScore& score : scores_) {
      if (now + score.horizon > log_.span.to) continue;
      // Whether it failed while nobody looked, nobody knows.
      if (meets_pause(log_, {now, now + score.horizon})) continue;
      const bool failed = timelines_[host].next_failure() <= now + score.horizon;
      ++score.predictions;
      score.failures += failed ? 1 : 0;
      for (std::size_t i = 0; i < estimators_.size(); ++i) {
        const double p = std::clamp(estimators_[i]->within(host, score.horizon), 0.0, 1.0);
        add_score(score.estimators[i], p, failed);
        if (options_.each) options_.each({now, host, score.horizon, i, p, failed});
      }
    }
  }

  const OutageLog& log_;
  const BacktestOptions& options_;
  const std::vector<std::unique_ptr<BacktestEstimator>>& estimators_;
  std::vector<HostTimeline> timelines_;
  std::vector<HorizonScore> scores_;
};

}  // namespace

std::vector<HorizonScore> run_backtest(
    const OutageLog& log, const BacktestOptions& options,
    const std::vector<std::unique_ptr<BacktestEstimator>>& estimators) {
  const double length = log.span.to - log.span.from;
  const double burn_in =
      options.burn_in >= 0 ? options.burn_in : std::min(kLongestBurnIn, length / 3);
  const double shortest = *std::min_element(options.horizons.begin(), options.horizons.end());
  if (!(burn_in + shortest <= length)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the log is {:.2f} days long, which leaves no time to predict after "
                            "{:.2f} days to learn from; a longer log or a shorter burn-in helps",
                            length / 86'400, burn_in / 86'400));
  }
  Replay replay(log, options, estimators);
  for (std::size_t i = 0;; ++i) {
    const double now = log.span.from + burn_in + static_cast<double>(i) * options.step;
    if (now + shortest > log.span.to) break;
    replay.ask(now);
  }
  return replay.finished();
}

}  // namespace tofa
