// SPDX-License-Identifier: BSD-3-Clause
// The shape a is one of a row of values, each about 1.7 times the one before, since what follows
// from it changes little in between; for each, the likelihood has one maximum over the mean, which
// Newton's method finds on the mean's logarithm, where it is concave.
//
// Two kinds are found by expectation and maximisation (A. Dempster, N. Laird and D. Rubin, 1977):
// how likely each host is of each kind, then the kinds that these hosts make most likely.
#include "outage/rate_prior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace tofa {
namespace {

constexpr std::array kPriorShapes{0.03, 0.05, 0.08, 0.13, 0.22, 0.36, 0.6,  1.0,   1.7,
                                  2.8,  4.6,  7.7,  13.0, 22.0, 36.0, 60.0, 200.0, 1000.0};
constexpr int kMostSteps = 60;
constexpr int kMostRounds = 40;
// Two kinds have three numbers more; by so much must the logarithm of the likelihood grow, between
// the criteria of H. Akaike (1974) and G. Schwarz (1978).
constexpr double kWorthOfSecondKind = 4.5;
constexpr std::size_t kLeastHostsOfTwoKinds = 10;

double log_gamma_of(double x) {
  int sign = 0;  // std::lgamma would write a global variable
  return ::lgamma_r(x, &sign);
}

// Hosts, each as likely of a kind as its weight says.
struct Members {
  std::span<const CountAndExposure> hosts;
  std::span<const double> weights;  // empty: 1 each
  MeanBelief belief;

  double weight(std::size_t host) const { return weights.empty() ? 1 : weights[host]; }
};

// Of log mean.
double newton_step(const Members& members, double shape, double mean) {
  const double b = shape / mean;
  double slope = members.belief.outages - members.belief.days * mean;
  double curvature = -members.belief.days * mean;
  for (std::size_t i = 0; i < members.hosts.size(); ++i) {
    const CountAndExposure& host = members.hosts[i];
    const double all = b + host.days;
    const double weight = members.weight(i) / all;
    slope += weight * (b * host.outages - shape * host.days);
    curvature -= weight / all * (shape + host.outages) * b * host.days;
  }
  return -slope / std::min(curvature, -1e-12);
}

double best_mean(const Members& members, double shape, double start) {
  double log_mean = std::log(start);
  for (int i = 0; i < kMostSteps; ++i) {
    const double step = std::clamp(newton_step(members, shape, std::exp(log_mean)), -1.0, 1.0);
    log_mean = std::clamp(log_mean + step, -25.0, 15.0);
    if (std::abs(step) < 1e-4) break;
  }
  return std::exp(log_mean);
}

double belief_in(const HostKind& kind, const MeanBelief& belief) {
  const double mean = kind.shape / kind.days;
  return belief.outages * std::log(mean) - belief.days * mean - 1 / std::sqrt(kind.shape);
}

// The likelihood of hosts of one kind, in parts that do not depend on the host.
class KindLikelihood {
 public:
  explicit KindLikelihood(const HostKind& kind)
      : kind_(kind),
        log_days_(kind.shape * std::log(kind.days)),
        at_zero_(log_gamma_of(kind.shape)) {}

  double of(const CountAndExposure& host) const {
    double value = log_days_ - (kind_.shape + host.outages) * std::log(kind_.days + host.days);
    // Most hosts have never failed.
    if (host.outages > 0) value += log_gamma_of(kind_.shape + host.outages) - at_zero_;
    return value;
  }

 private:
  HostKind kind_;
  double log_days_;
  double at_zero_;
};

double likelihood(const Members& members, const HostKind& kind) {
  const KindLikelihood of_kind(kind);
  double sum = belief_in(kind, members.belief);
  for (std::size_t i = 0; i < members.hosts.size(); ++i) {
    sum += members.weight(i) * of_kind.of(members.hosts[i]);
  }
  return sum;
}

struct KindAndLikelihood {
  HostKind kind;
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

// The best of shapes `first` to `last`.
KindAndLikelihood best_kind(const Members& members, std::size_t first, std::size_t last,
                            double mean) {
  KindAndLikelihood best;
  for (std::size_t i = last + 1; i-- > first;) {
    mean = best_mean(members, kPriorShapes[i], mean);
    const HostKind kind{1, kPriorShapes[i], kPriorShapes[i] / mean};
    const double value = likelihood(members, kind);
    if (value > best.log_likelihood) best = {kind, value};
  }
  return best;
}

std::size_t position_of(double shape) {
  const auto found = std::lower_bound(kPriorShapes.begin(), kPriorShapes.end() - 1, shape);
  return static_cast<std::size_t>(found - kPriorShapes.begin());
}

// Two kinds as they become round by round.
class TwoKinds {
 public:
  TwoKinds(std::span<const CountAndExposure> hosts, const MeanBelief& belief, double mean)
      : hosts_(hosts), belief_(belief), weights_{std::vector<double>(hosts.size()), {}} {
    weights_[1] = weights_[0];
    kinds_ = {HostKind{0.9, 1.7, 1.7 / (mean / 2)}, HostKind{0.1, 1.7, 1.7 / (mean * 4)}};
  }

  FittedPrior fit() {
    double value = weigh();
    for (int round = 0; round < kMostRounds; ++round) {
      maximise();
      const double before = std::exchange(value, weigh());
      if (value - before < 0.01) break;
    }
    return {RatePrior{{kinds_.begin(), kinds_.end()}}, value};
  }

 private:
  // How likely each host is of each kind; the likelihood of all.
  double weigh() {
    const KindLikelihood first(kinds_[0]);
    const KindLikelihood second(kinds_[1]);
    double sum = belief_in(kinds_[0], belief_) + belief_in(kinds_[1], kNoBelief);
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      const double a = std::log(kinds_[0].share) + first.of(hosts_[i]);
      const double b = std::log(kinds_[1].share) + second.of(hosts_[i]);
      const double more = std::max(a, b);
      const double both = more + std::log(std::exp(a - more) + std::exp(b - more));
      weights_[0][i] = std::exp(a - both);
      weights_[1][i] = std::exp(b - both);
      sum += both;
    }
    return sum;
  }

  void maximise() {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
      const Members members{hosts_, weights_[kind], kind == 0 ? belief_ : kNoBelief};
      // A step at a time: the next round goes on.
      const std::size_t at = position_of(kinds_[kind].shape);
      const auto best = best_kind(members, at - std::min<std::size_t>(at, 1),
                                  std::min(at + 1, kPriorShapes.size() - 1),
                                  kinds_[kind].shape / kinds_[kind].days);
      double share = 0.5;
      for (const double weight : weights_[kind]) share += weight;
      kinds_[kind] = best.kind;
      kinds_[kind].share = share / (static_cast<double>(hosts_.size()) + 1);
    }
  }

  static constexpr MeanBelief kNoBelief{0.01, 0.1};

  std::span<const CountAndExposure> hosts_;
  MeanBelief belief_;
  std::array<HostKind, 2> kinds_;
  std::array<std::vector<double>, 2> weights_;
};

}  // namespace

double log_likelihood_of(const CountAndExposure& host, const HostKind& kind) {
  return KindLikelihood(kind).of(host);
}

FittedPrior fit_one_kind(std::span<const CountAndExposure> hosts, const MeanBelief& belief) {
  double outages = belief.outages;
  double days = belief.days;
  for (const CountAndExposure& host : hosts) {
    outages += host.outages;
    days += host.days;
  }
  // Without a host to tell, the belief that hosts are alike is none to act on.
  if (days <= belief.days) return {{{{1, 1, days / outages}}}, 0};
  const auto best = best_kind({hosts, {}, belief}, 0, kPriorShapes.size() - 1, outages / days);
  return {{{best.kind}}, best.log_likelihood};
}

FittedPrior fit_two_kinds(std::span<const CountAndExposure> hosts, const FittedPrior& one,
                          const MeanBelief& belief) {
  if (hosts.size() < kLeastHostsOfTwoKinds) return one;
  FittedPrior two = TwoKinds(hosts, belief, one.prior.mean()).fit();
  return two.log_likelihood > one.log_likelihood + kWorthOfSecondKind ? two : one;
}

}  // namespace tofa
