// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd believes about each host, and how observations change it. Pure: no clock, no
// network, no disk.
//
// A host is down after `down_after` consecutive misses, or at once when a source is certain, and up
// again with the first observation that says so. The
// probability reported for a host that is down is 1, since a job started on it now fails for
// certain; otherwise it is the estimate, or 0 where the estimate is below `floor`, so that a node
// that has answered for long enough is trusted again.
//
// Misses count in the estimate once the host is down: a lost heartbeat says nothing. Neither does
// what a host does while it is out of service on purpose, or while the network is interrupted. A
// host that has started anew since it was heard of last has failed, even if no heartbeat missed it.
//
// The history of a host, its estimate and its outages, begins when it is first seen up. A host that
// has never answered is down like any other, but where no agent ran before nothing has failed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/snapshot.hpp"
#include "healthd/config.hpp"
#include "healthd/exposure.hpp"
#include "healthd/source.hpp"
#include "tofa/estimator.hpp"
#include "tofa/outage_rate.hpp"

namespace tofa::health {

// What is kept about a host across restarts.
struct HostRecord {
  std::string name;
  bool seen = false;  // has answered at least once
  bool up = true;
  double since = 0;  // when the state last changed, in seconds since 1970
  unsigned misses_in_row = 0;
  std::uint64_t misses = 0;  // all that were ever counted
  std::string method = {};   // of estimation, and its state
  std::string estimate = {};
  // That it was last seen in, as in Observation; 0: unknown, or it may start anew on purpose.
  std::uint64_t boot = 0;
  friend bool operator==(const HostRecord&, const HostRecord&) = default;
};

// A host went down or came up.
struct Transition {
  std::string host;
  bool up = true;
  double time = 0;
  bool outage = true;  // begins or ends one; false for a host that had never been up before
  std::string cause = "heartbeat";  // of an outage that begins: the source that noticed it
  bool observed = true;  // false for an end while nobody looked; `time` is when somebody last did
  friend bool operator==(const Transition&, const Transition&) = default;
};

// All that is worked out for a host and saved.
struct HostState {
  HostRecord record;
  std::vector<Day> days;
};

// Why a host is as likely to fail within a time as it is.
struct HostExplanation {
  SnapshotHost host;
  std::string host_class;
  std::string method;
  double since = 0;  // when its state last changed
  ExplainedEstimate why;
};

class Fleet {
 public:
  explicit Fleet(const HealthdConfig& config);

  std::size_t size() const { return hosts_.size(); }
  const std::string& name(std::size_t host) const { return hosts_[host].record.name; }
  bool up(std::size_t host) const { return hosts_[host].record.up; }
  // Whether a source has ever said that it is up.
  bool seen(std::size_t host) const { return hosts_[host].record.seen; }
  // Whether it is out of service on purpose.
  bool planned(std::size_t host) const { return hosts_[host].planned; }
  std::size_t down_hosts() const;

  // Hb(t, i): host i was up at `time`, or was not.
  std::optional<Transition> record(std::size_t host, const Observation& observation, double time);

  // To be called before record_restart() for all hosts of a round. Nodes fail one by one: where a
  // good part of those that an earlier run knew has started anew since, somebody did that to all of
  // them, which is no failure of any. Adds up over rounds; returns how many of the round that shows
  // it have.
  std::size_t forgive_restarts(const std::vector<std::optional<Observation>>& round);

  // To be called before record(): the outage, begin and end, of a host that was up, answers, and
  // has started anew meanwhile, also since an earlier run. Remembers which boot it is.
  std::vector<Transition> record_restart(std::size_t host, const Observation& observation,
                                         double time);

  // An outage of the past that no source noticed. with_outage() tells what is to be saved with it,
  // before add_outage() has it counted.
  std::pair<HostRecord, HostDay> with_outage(std::size_t host, double start, double end) const;
  void add_outage(std::size_t host, double start, double end);

  // What was known of a host under another name, all of it before this one was watched, as in
  // healthd/earlier_host.hpp.
  void add_earlier(std::size_t host, const HostState& earlier);
  HostState state(std::size_t host) const;

  double probability(std::size_t host) const;
  // Outages per hour.
  double rate(std::size_t host, double now) const;

  // For the method `gamma`, to be called before snapshot(): works out the hazards of hosts that
  // have none that are younger than a minute and, seldom, what all hosts have in common.
  void estimate(double time);

  // How likely the host fails within a time, and the lower end of that; the latter is 0 where the
  // former is not above `least`. Nothing for methods that do not know how sure they are.
  struct Outlook {
    double probability = 0;
    double low = 0;
  };
  std::optional<Outlook> outlook(std::size_t host, double time, double horizon, double least) const;

  // Hosts that have never been polled are left out: nothing is known about them.
  Snapshot snapshot(double time) const;

  // As of the last estimate(); nothing of a host that has never been polled. Defined in
  // healthd/host_explanation.cpp.
  std::optional<HostExplanation> explain(std::size_t host, double now,
                                         double horizon_seconds) const;

  // Takes over what an earlier run knew; hosts that are no longer polled are passed over. The time
  // between is unknown, neither outage nor health, but the outages of the hosts in `lasting` go on:
  // such a host that is up at first sight came back after the `last_round` of that run, and one
  // that has started anew failed after it. Returns how many estimates did not fit the configured
  // method and begin anew.
  std::size_t restore(const std::vector<HostRecord>& records, const std::vector<HostDay>& days = {},
                      const std::vector<std::string>& lasting = {}, double last_round = 0);
  // The wall clock was set, forward (above 0) or back by so many seconds, and is `now`: what
  // happened is as long ago as before.
  void set_clock(double seconds, double now);

  // The hosts whose outages last.
  std::vector<std::string> lasting_outages() const;

  // Takes over what this run knew under the configuration before. Returns the ends of the outages
  // of hosts that are no longer polled.
  std::vector<Transition> take_over(const Fleet& previous, double time);

  // Whether a host was seen for the first time, went down or came up since mark_saved().
  bool state_unsaved() const;
  // The records that have changed enough since mark_saved(); at the end of the daemon, all that
  // have changed. The same of days.
  std::vector<HostRecord> unsaved(bool all = false) const;
  std::vector<HostDay> unsaved_days(bool all = false) const;
  void mark_saved();

 private:
  struct Host {
    std::string host_class;  // of nodes that are built alike
    HostRecord record;       // without the estimate, which the estimator has
    std::unique_ptr<Estimator> estimator;
    double polled = 0;
    double period = 0;  // from one observation to the next; 0: not known yet
    Exposure exposure;
    double first_miss = 0;        // of the present row of misses
    bool planned = false;         // when it was observed last: out of service on purpose,
    bool unreachable = false;     // or silent because of the network
    unsigned withheld = 0;        // misses that the estimate does not know of yet
    double boot_known_until = 0;  // by an earlier run, where this one has not heard of it yet
    double booted = 0;            // when it started, as a source that tells times says
    bool reported_down = false;   // in this run, or in an earlier one whose outage goes on
    double looked_until = 0;      // by an earlier run, where this one has not looked yet
    HostRecord saved;
    std::optional<HazardsWithin> within;  // as of `estimated`
    double estimated = 0;
  };

  std::optional<Transition> record_planned(Host& host, const Observation& observation,
                                           double time) const;
  std::optional<Transition> record_up(Host& host, double time, bool seen_before) const;
  void go_on(Host& host, double last_round) const;
  void leave_future(double last_round);
  std::optional<Transition> record_miss(Host& host, const Observation& observation,
                                        double time) const;
  void fail(Host& host, double start) const;
  HeartbeatTimes observations(const Host& host) const;
  void fit(double time);
  std::vector<FleetHost> members_of_classes() const;
  static bool has_restarted(Host& host, const Observation& observation);
  static HostNote note(const Host& host);
  SnapshotHost snapshot_of(std::size_t host, double now) const;
  static HostRecord record_of(const Host& host, bool all = false);
  bool restore_host(Host& host, const HostRecord& record) const;
  std::unordered_map<std::string, std::size_t> index() const;

  std::vector<Host> hosts_;
  EstimatorOptions method_;
  double floor_;
  unsigned down_after_;
  double share_;                      // of hosts, of which more do not fail at once
  bool boots_restored_ = false;       // and their restarts are not forgiven yet
  std::size_t restarts_heard_ = 0;    // of hosts with such a boot, each once,
  std::size_t restarts_changed_ = 0;  // those that have another by now
  double period_;
  FleetRates rates_;
  double fitted_ = 0;
};

}  // namespace tofa::health
