// SPDX-License-Identifier: BSD-3-Clause
// From heartbeats to an outage probability. The TOFA paper (section 4) polls every node
// periodically: Hb(t, i) is the heartbeat of node i at interval t, the absence of a reply means
// that the node was out, and the outage probability is inferred from the history of each node's
// heartbeats, for instance by a moving or weighted moving average. An Estimator holds what it needs
// of that history for one node. Methods are found by name through a registry
// (src/outage/estimator.cpp).
//
// The method `gamma` counts outages rather than heartbeats: what it knows of a host is evidence
// from which tofa/outage_rate.hpp makes probabilities, of all hosts at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/outage_rate.hpp"

namespace tofa {

// When heartbeats have come: the last, and how many seconds after the one before it each has.
struct HeartbeatTimes {
  double last = 0;  // in seconds since 1970; 0: none has come
  double period = 1;
};

// Why a probability is what it is: the numbers that lead to it, in the order in which somebody
// follows them, and how they do.
struct ExplainedNumber {
  std::string name;
  double value = 0;
  std::string text;  // what it is
};
struct ExplainedEstimate {
  double probability = 0;
  std::string formula;  // in the names of the numbers
  std::vector<ExplainedNumber> numbers;
};
// What it is asked about: a host that is up, and a time from now on.
struct ExplainedCase {
  const FleetRates& fleet;
  std::string_view host_class;
  double now = 0;
  double horizon_seconds = 0;
};

class Estimator {
 public:
  virtual ~Estimator() = default;

  // One more heartbeat: answered, or missed.
  virtual void record(bool answered) = 0;

  // Estimated probability that the node is out, in [0, 1]. Heartbeats from before the first one
  // recorded count as answered, so that one lost packet does not discredit a node that has just
  // been added.
  virtual double probability() const = 0;

  // An outage that nothing noticed becomes known, in seconds since 1970. Heartbeats that have come
  // in its time were missed rather than answered; of the others there is nothing to be changed.
  virtual void add_past(double start, double end, const HeartbeatTimes& times) = 0;

  // What other methods pass over, in seconds since 1970: it was up between two times; an outage
  // began, or ended. Days that an earlier run counted, instead of what is known.
  virtual void watch(double from, double to);
  virtual void fail(double start);
  virtual void recover(double end);
  virtual void learn(std::span<const WatchedDay> days);
  // The clock that tells these times was set, forward (above 0) or back, by so many seconds.
  virtual void set_clock(double seconds);
  // What was restored is from before `now`: where it claims to be later, a clock that was ahead has
  // told it, and may have had it forgotten; then days that an earlier run counted may know more.
  virtual void mend(double now, std::span<const WatchedDay> days);
  // What was seen of the same host under another name, all of it earlier.
  virtual void add_earlier(const HostEvidence& earlier);
  // Null for a method whose probability() is all that it says.
  virtual const HostEvidence* evidence() const;

  // Of probability() or, where there is evidence, of what follows from it within the horizon.
  virtual ExplainedEstimate explain(const ExplainedCase& asked) const = 0;

  // The state as one line of text, for a restart; unchanged by a heartbeat that tells nothing new.
  virtual std::string save() const = 0;
  // The same with what save() holds back so as not to change with every heartbeat.
  virtual std::string save_all() const;
  // Takes over what save() of the same method wrote, also under other options. Throws Error
  // (bad_input).
  virtual void restore(std::string_view state) = 0;
};

struct EstimatorOptions {
  std::string method = "ewma";
  unsigned window = 100;  // moving-average: over how many heartbeats, 1 to 100000
  double half_life = 50;  // ewma: after how many heartbeats one counts half, above 0
  double half_life_days = kOutageHalfLifeDays;  // gamma: after how many days an outage does
};

// Throws Error (bad_input) for an unknown method, naming the known ones, or an option out of range.
std::unique_ptr<Estimator> make_estimator(const EstimatorOptions& options);

}  // namespace tofa
