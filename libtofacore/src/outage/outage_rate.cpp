// SPDX-License-Identifier: BSD-3-Clause
// From the evidence of all hosts to the forecast of one: see tofa/outage_rate.hpp.
#include "tofa/outage_rate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "outage/gamma_quantile.hpp"
#include "outage/hazard.hpp"
#include "outage/rate_prior.hpp"

namespace tofa {
namespace {

constexpr std::size_t kLeastClass = 10;     // hosts
constexpr double kClassBelief = 2;          // outages that the fleet's mean is worth to a class
constexpr double kLikelyShape = 0.75;       // k, before anything is known
constexpr double kShapeDeviation = 0.3;     // of log k
constexpr double kLeastAge = 1.0 / 86'400;  // days, for a rate, which has no end close to 0

double log_belief(double shape) {
  const double distance = std::log(shape / kLikelyShape) / kShapeDeviation;
  return -distance * distance / 2;
}

// All hosts for one shape, each with what is old forgotten as of `now`.
std::vector<CountAndExposure> counts_of(std::span<const FleetHost> hosts, std::size_t shape,
                                        double now) {
  std::vector<CountAndExposure> counts;
  counts.reserve(hosts.size());
  for (const FleetHost& host : hosts) {
    const double weight = host.evidence->decay(now);
    counts.push_back({weight * host.evidence->outages(), weight * host.evidence->exposure(shape)});
  }
  return counts;
}

// Sum over all outages of log g(s).
double log_hazards(std::span<const FleetHost> hosts, std::size_t shape, double now) {
  const double k = kHazardShapes[shape];
  double sum = 0;
  for (const FleetHost& host : hosts) {
    sum += host.evidence->decay(now) *
           (host.evidence->outages() * std::log(k) + (k - 1) * host.evidence->log_ages());
  }
  return sum;
}

}  // namespace

// What is known of a host's rate, if it is of one kind: Gamma(shape, days).
struct FleetRates::Posterior {
  double weight;  // how likely it is of that kind
  double shape;
  double days;
};

double RatePrior::mean() const {
  double sum = 0;
  for (const HostKind& kind : kinds) sum += kind.share * kind.shape / kind.days;
  return sum;
}

FleetRates::FleetRates(std::span<const FleetHost> hosts, std::span<const FleetHost> members,
                       double now) {
  double best = -std::numeric_limits<double>::infinity();
  FittedPrior one;
  for (std::size_t shape = 0; shape < kHazardShapes.size(); ++shape) {
    FittedPrior fitted = fit_one_kind(counts_of(hosts, shape, now));
    const double value =
        fitted.log_likelihood + log_hazards(hosts, shape, now) + log_belief(kHazardShapes[shape]);
    if (value <= best) continue;
    best = value;
    shape_ = shape;
    one = std::move(fitted);
  }
  fleet_ = {fit_two_kinds(counts_of(hosts, shape_, now), one).prior, hosts.size()};
  double up_days = 0;
  double exposure = 0;
  std::map<std::string_view, std::vector<FleetHost>> classes;
  for (const FleetHost& host : hosts) {
    const double weight = host.evidence->decay(now);
    up_days += weight * host.evidence->up_days();
    exposure += weight * host.evidence->exposure(shape_);
  }
  for (const FleetHost& host : members) {
    if (!host.host_class.empty()) classes[host.host_class].push_back(host);
  }
  if (up_days > 0 && exposure > 0) mean_hazard_ = exposure / up_days;
  const MeanBelief belief{kClassBelief, kClassBelief / fleet_.prior.mean()};
  for (const auto& [name, of_class] : classes) {
    if (of_class.size() < kLeastClass) continue;
    const auto counts = counts_of(of_class, shape_, now);
    classes_[std::string(name)] = {
        fit_two_kinds(counts, fit_one_kind(counts, belief), belief).prior, of_class.size()};
  }
}

const FleetRates::ClassPrior& FleetRates::known(std::string_view host_class) const {
  const auto found = classes_.find(host_class);
  return found == classes_.end() ? fleet_ : found->second;
}

std::vector<FleetRates::Posterior> FleetRates::posterior(const HostEvidence& host,
                                                         std::string_view host_class,
                                                         double now) const {
  const double decay = host.decay(now);
  const CountAndExposure own{decay * host.outages(), decay * host.exposure(shape_)};
  const std::vector<HostKind>& kinds = prior(host_class).kinds;
  std::vector<Posterior> posterior;
  double most = -std::numeric_limits<double>::infinity();
  for (const HostKind& kind : kinds) {
    const double likelihood =
        kinds.size() == 1 ? 0 : std::log(kind.share) + log_likelihood_of(own, kind);
    posterior.push_back({likelihood, kind.shape + own.outages, kind.days + own.days});
    most = std::max(most, likelihood);
  }
  double sum = 0;
  for (Posterior& kind : posterior) sum += kind.weight = std::exp(kind.weight - most);
  for (Posterior& kind : posterior) kind.weight /= sum;
  return posterior;
}

double FleetRates::hazard_ahead(const HostEvidence& host, double now, double horizon) const {
  const double age = host.age_days(now);
  return cumulative_hazard(kHazardShapes[shape_], age,
                           age + std::max(0.0, horizon) / kSecondsPerDay);
}

double FleetRates::probability(const HostEvidence& host, std::string_view host_class, double now,
                               double horizon_seconds) const {
  const double ahead = hazard_ahead(host, now, horizon_seconds);
  double sum = 0;
  for (const Posterior& kind : posterior(host, host_class, now)) {
    sum -= kind.weight * std::expm1(-kind.shape * std::log1p(ahead / kind.days));
  }
  return std::min(sum, 1.0);
}

// Each form is exact where the other is not; the second in logarithms, since what is left of 1 may
// be less than any number.
double FleetRates::hazard_of(const std::vector<Posterior>& kinds, double ahead) {
  double fails = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (const Posterior& kind : kinds) {
    const double exponent = -kind.shape * std::log1p(ahead / kind.days);
    fails -= kind.weight * std::expm1(exponent);
    most = std::max(most, std::log(kind.weight) + exponent);
  }
  if (fails < 0.5) return -std::log1p(-fails);
  double survives = 0;
  for (const Posterior& kind : kinds) {
    const double exponent = -kind.shape * std::log1p(ahead / kind.days);
    survives += std::exp(std::log(kind.weight) + exponent - most);
  }
  return -(most + std::log(survives));
}

double FleetRates::hazard_within(const HostEvidence& host, std::string_view host_class, double now,
                                 double horizon_seconds) const {
  return hazard_of(posterior(host, host_class, now), hazard_ahead(host, now, horizon_seconds));
}

double FleetRates::rate_quantile(const std::vector<Posterior>& kinds, double quantile) {
  const auto of_kind = [&](const Posterior& kind) {
    return gamma_quantile(kind.shape, quantile) / kind.days;
  };
  double low = of_kind(kinds.front());
  double high = of_kind(kinds.back());
  if (low > high) std::swap(low, high);
  // The mixture's lies between those of its parts.
  for (int i = 0; i < 100 && high - low > 1e-7 * high; ++i) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const Posterior& kind : kinds) {
      below += kind.weight * gamma_below(kind.shape, middle * kind.days);
    }
    (below < quantile ? low : high) = middle;
  }
  return (low + high) / 2;
}

OutageForecast FleetRates::forecast(const HostEvidence& host, std::string_view host_class,
                                    double now, double horizon_seconds) const {
  const std::vector<Posterior> own = posterior(host, host_class, now);
  const ClassPrior& fleet = known(host_class);
  const double ahead = hazard_ahead(host, now, horizon_seconds);
  OutageForecast forecast;
  forecast.probability = probability(host, host_class, now, horizon_seconds);
  const double low = rate_quantile(own, 0.05);
  const double high = rate_quantile(own, 0.95);
  forecast.low = -std::expm1(-low * ahead);
  forecast.high = -std::expm1(-high * ahead);
  forecast.rate_low = low * mean_hazard_;
  forecast.rate_high = high * mean_hazard_;
  forecast.of_class = &fleet != &fleet_;
  forecast.prior_hosts = fleet.hosts;
  forecast.outages = host.decay(now) * host.outages();
  forecast.up_days = host.decay(now) * host.up_days();
  forecast.age_days = host.age_days(now);
  forecast.has_failed = host.has_failed();
  forecast.multiplier =
      hazard(kHazardShapes[shape_], std::max(kLeastAge, forecast.age_days)) / mean_hazard_;
  forecast.prior_rate = fleet.prior.mean() * mean_hazard_;
  forecast.own_days = host.decay(now) * host.exposure(shape_) / mean_hazard_;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const HostKind& prior = fleet.prior.kinds[i];
    forecast.average_rate += own[i].weight * own[i].shape / own[i].days * mean_hazard_;
    forecast.kinds.push_back({own[i].weight, prior.shape, prior.days / mean_hazard_});
  }
  forecast.rate = forecast.average_rate * forecast.multiplier;
  const double days = std::max(0.0, horizon_seconds) / kSecondsPerDay;
  if (days > 0) forecast.hazard = ahead / mean_hazard_ / days;
  const double expected = forecast.average_rate * forecast.hazard * days;
  if (expected > 0) forecast.doubt = hazard_of(own, ahead) / expected;
  return forecast;
}

}  // namespace tofa
