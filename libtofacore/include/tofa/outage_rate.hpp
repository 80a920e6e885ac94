// SPDX-License-Identifier: BSD-3-Clause
// How likely a host fails within a time, from what the whole fleet has shown. Pure: times are
// arguments.
//
// A host i that came back from its last outage s days ago fails at the rate
//
//     h_i(s) = r_i g(s),   g(s) = k (s / 30)^(k - 1)
//
// r_i is the host's own; g falls with the time since the last outage. It is the hazard of a Weibull
// distribution of shape k: 0.7 to 0.8 for the nodes of large clusters (B. Schroeder and G. Gibson,
// A large-scale study of failures in high-performance computing systems, DSN 2006), 1 where outages
// come independently of each other (W. Nelson, Applied Life Data Analysis, 1982). A host that has
// not failed since it is watched counts as one that came back 30 days before.
//
// Let n be the outages of a host, and e the integral of g over the time it was seen up. What lies
// half_life days back counts half in both. With r_i distributed as Gamma(a, b) over the fleet
// (shape a, mean a / b), what is known of r_i after that is Gamma(a + n, b + e), and
//
//     p(T) = 1 - ((b + e) / (b + e + G))^(a + n),   G = integral of g from s to s + T
//
// A new host thus has the fleet's rate, one outage moves it by as much as hosts of this fleet
// differ, and no host is ever certain not to fail. a, b and k are the most likely ones given all
// hosts (empirical Bayes; H. Robbins, An empirical Bayes approach to statistics, 1956): they
// maximise the sum over hosts of
//
//     log L(n, e) = log Gamma(a + n) - log Gamma(a) + a log b - (a + n) log(b + e)
//
// and of log g(s) over all outages, which for k = 1 is the negative binomial likelihood, plus three
// weak beliefs that matter while little is known: the mean rate is that of half an outage seen in
// 90 days; hosts are alike, -1 / sqrt(a), with a at most 1000, where a fleet of equal hosts would
// go to infinity; and log k is normal around that of 0.75, what Schroeder and
// Gibson found, with deviation 0.3. Without any history the first
// alone holds: a mean of an outage in 180 days, with a = 1.
//
// Where a few hosts are far worse than all others, one Gamma distribution fits neither. When two of
// them, with shares w_1 + w_2 = 1, explain the fleet better by far, the rate is
// distributed as their mixture, and p(T) is the mean of what both say, weighted with
// w_j L_j(n, e).
//
// A class of at least ten hosts has a distribution of its own, with the belief of two outages'
// worth that its mean is the fleet's.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tofa {

// Of the Weibull distribution; the fleet's is one of them.
inline constexpr std::array<double, 7> kHazardShapes{1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4};
inline constexpr double kOutageHalfLifeDays = 180;

// n and e of one host for every shape. Times are seconds since 1970; what comes in is in the order
// of time, and a clock that was set back stands still unless set_clock() tells by how much. What is
// forgotten goes by these times alone, so whoever knows that the clock was set has to say so.
class HostEvidence {
 public:
  // Infinity forgets nothing. Throws Error (bad_input) unless above 0.
  explicit HostEvidence(double half_life_days = kOutageHalfLifeDays);

  // It was seen up for so many of the seconds between two times, evenly spread.
  void watch(double from, double to, double up_seconds);
  void watch(double from, double to) { watch(from, to, to - from); }
  // An outage began; it ended. Between the two, time does not count.
  void fail(double start);
  void recover(double end);
  // One that becomes known when it is long over; in any order.
  void add_past(double start, double end);

  // The clock that tells times was set, forward (above 0) or back: all is as old as it was, and
  // nothing is forgotten over a time that nobody lived through.
  void set_clock(double seconds);
  // What was told by a clock that was ahead, and was set since without a word, is as of `now`.
  void leave_future(double now);

  // What another has seen of the same host, all of it before this one began to watch.
  void add_earlier(const HostEvidence& earlier);
  // When it began to watch, taking it that it watched all the time since; infinity: it never has.
  double watched_since() const;

  // What all of it is as of.
  double as_of() const { return time_; }
  // The weight at a later time of what counts 1 now.
  double decay(double now) const;
  double outages() const { return outages_; }
  double up_days() const { return up_days_; }
  double exposure(std::size_t shape) const { return exposure_[shape]; }
  // Sum over the outages of log(s / 30), from which log g(s) follows.
  double log_ages() const { return log_ages_; }
  // Days since the last outage ended or, when there was none, 30 days before the host was first
  // watched; 0 while an outage lasts.
  double age_days(double now) const;
  bool has_failed() const { return has_failed_; }
  bool out() const { return out_; }  // an outage lasts

  // All of it but the half-life as one line of text, to about nine digits.
  std::string save() const;
  // Throws Error (bad_input) for what save() does not write.
  void restore(std::string_view state);

 private:
  void forget(double now);

  double half_life_seconds_;
  double time_ = 0;   // what all sums are as of
  double begin_ = 0;  // of the age
  bool watched_ = false;
  bool has_failed_ = false;
  bool out_ = false;
  double outages_ = 0;
  double up_days_ = 0;
  double log_ages_ = 0;
  std::array<double, kHazardShapes.size()> exposure_{};
};

// What a daemon keeps of a day.
struct WatchedDay {
  double start = 0;  // seconds since 1970
  double up_seconds = 0;
  unsigned outages = 0;  // that began
};
struct OutageTimes {
  double start = 0;
  double end = 0;  // 0 while it lasts
};
// The same from rows per day, in the order of time. Outages that a day counts but `known` does not
// list began spread over the day and were over at once.
HostEvidence evidence_of_days(std::span<const WatchedDay> days, std::span<const OutageTimes> known,
                              double half_life_days = kOutageHalfLifeDays);

// Hosts whose rates are distributed as one Gamma(a, b).
struct HostKind {
  double share = 1;   // of all hosts
  double shape = 1;   // a
  double days = 180;  // b
};

// The distribution of rates over the hosts of a fleet or class: one kind, or two.
struct RatePrior {
  std::vector<HostKind> kinds = std::vector<HostKind>(1);
  double mean() const;  // outages per day
};

struct OutageForecast {
  double probability = 0;  // within the horizon
  double low = 0;          // with probability 0.9 it is between these
  double high = 0;
  // Why. Rates are outages per day.
  double prior_rate = 0;        // of the fleet or class, at an average moment
  bool of_class = false;        // whether it is the class's
  std::size_t prior_hosts = 0;  // how many hosts it follows from
  double outages = 0;           // its own, what is old counts less
  double up_days = 0;           // in which it had them, likewise
  double age_days = 0;          // since its last outage
  bool has_failed = false;      // whether there was one
  double multiplier = 1;        // what that age makes of the rate, 1 for an average moment
  double rate = 0;              // its own now, with all of that
  // The same in steps that somebody can follow. Days are as many as there would be at average
  // moments:
  //     average_rate = sum over kinds of share (prior_outages + outages) / (prior_days + own_days)
  //     probability = 1 - exp(-average_rate hazard T doubt), T the horizon in days
  struct Kind {
    double share = 1;  // how likely the host is one of them
    double prior_outages = 0;
    double prior_days = 0;
  };
  std::vector<Kind> kinds = {};
  double own_days = 0;
  double average_rate = 0;
  double rate_low = 0;  // with probability 0.9 its rate at an average moment is between these
  double rate_high = 0;
  double hazard = 1;  // the mean over the horizon, 1 for an average moment
  double doubt = 1;   // at most 1: a rate that is not known exactly gives less than its mean does
};

struct FleetHost {
  std::string_view host_class;  // may be empty
  const HostEvidence* evidence;
};

class FleetRates {
 public:
  FleetRates() = default;  // without any history
  FleetRates(std::span<const FleetHost> hosts, double now) : FleetRates(hosts, hosts, now) {}
  // Classes are learned from `members`, which may be others than what stands for the fleet.
  FleetRates(std::span<const FleetHost> hosts, std::span<const FleetHost> members, double now);

  const RatePrior& prior(std::string_view host_class) const { return known(host_class).prior; }
  double hazard_shape() const { return kHazardShapes[shape_]; }

  // That a host which is up now fails within the horizon.
  double probability(const HostEvidence& host, std::string_view host_class, double now,
                     double horizon_seconds) const;
  // The same as a hazard, -log(1 - probability), finite where the probability rounds to 1.
  double hazard_within(const HostEvidence& host, std::string_view host_class, double now,
                       double horizon_seconds) const;
  OutageForecast forecast(const HostEvidence& host, std::string_view host_class, double now,
                          double horizon_seconds) const;

 private:
  struct ClassPrior {
    RatePrior prior;
    std::size_t hosts = 0;
  };
  const ClassPrior& known(std::string_view host_class) const;
  struct Posterior;
  std::vector<Posterior> posterior(const HostEvidence& host, std::string_view host_class,
                                   double now) const;
  static double rate_quantile(const std::vector<Posterior>& kinds, double quantile);
  double hazard_ahead(const HostEvidence& host, double now, double horizon_seconds) const;
  static double hazard_of(const std::vector<Posterior>& kinds, double ahead);

  std::size_t shape_ = 2;   // of kHazardShapes
  double mean_hazard_ = 1;  // of g, over the time all hosts were seen up
  ClassPrior fleet_;
  std::map<std::string, ClassPrior, std::less<>> classes_;
};

}  // namespace tofa
