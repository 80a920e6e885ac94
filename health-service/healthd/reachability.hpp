// SPDX-License-Identifier: BSD-3-Clause
// Tells a network that is interrupted from nodes that fail. Nodes fail one by one; when a good part
// of them, or all behind one switch, fall silent within the few rounds that it takes to call a
// silent node down, what failed is between them and this service. Such a network event changes no
// estimate and no rate, and nobody avoids nodes for it. It is over when half of its hosts have
// answered again; those that stay silent then are counted like any other silent host. When it lasts
// longer than `patience` while most other hosts answer, its hosts cannot be used whatever the
// reason: they count as down, but not as failed.
//
// Only silence is explained in this way: what a source is certain of, such as Slurm's states,
// holds. A host that has never answered is not part of it, and neither is one that is out of
// service on purpose and silent: it tells of the network as little as if it were not there. Pure:
// no clock, no network, no disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/switches.hpp"
#include "healthd/source.hpp"

namespace tofa::health {

struct NetworkConfig {
  // Of the hosts that are up: so many silent at once are a network event. At least three are.
  double share = 0.2;
  double patience = 600;  // seconds
  std::string topology;   // a file that tells which hosts are behind one switch; empty: none
};

struct NetworkEvent {
  std::optional<std::uint32_t> behind;  // all hosts behind this switch; else a part of the fleet
  std::size_t hosts = 0;                // that fell silent, and nothing else explains
  std::size_t silent = 0;               // of them, now
  double begun = 0;                     // in seconds since 1970
  unsigned rounds = 0;                  // since then
  bool over = false;
  bool given_up = false;  // it lasted too long
};

class Reachability {
 public:
  // Of no hosts.
  Reachability() = default;
  // By host: where it is attached (may be empty), and whether it was up when last heard of.
  Reachability(NetworkConfig config, unsigned down_after, SwitchOfHost switches,
               const std::vector<bool>& up);

  // Begins anew with other knowledge of which hosts were up.
  void begin_with(const std::vector<bool>& up);

  // One round: what is observed of each host, nothing where it was not observed. Changes the
  // observations that a network event explains. Returns the events that began, ended, or lasted too
  // long in this round.
  std::vector<NetworkEvent> judge(std::vector<std::optional<Observation>>& round, double time);

  // Whether there are events that are neither over nor given up.
  bool interrupted() const;

  // The wall clock was set, forward (above 0) or back, by so many seconds: what has begun is as old
  // as before.
  void set_clock(double seconds);

  // Hosts, also of events that were given up.
  std::size_t unreachable() const;

 private:
  enum class State : std::uint8_t {
    answers,
    silent,       // for so few rounds that it is not down yet
    left_behind,  // silent still after its event was over
    unreachable,
    planned,  // and not known to be up
    failed,   // or never heard of
  };
  struct Host {
    State state = State::failed;
    unsigned rounds = 0;  // of silence, in a row
    std::size_t event = 0;
  };
  struct Group {
    std::size_t up = 0;  // as far as is known, so also those that are quiet
    std::size_t quiet = 0;
    std::size_t fresh = 0;  // of them, in no event yet
    void add(State state);
  };

  bool was_given_up(const Host& host) const;
  void take(Host& host, const Observation& observation);
  void leave(Host& host, State state);
  void find_events(double time, std::vector<NetworkEvent>& told);
  void begin(const std::optional<std::uint32_t>& behind, double time,
             std::vector<NetworkEvent>& told);
  void settle(double time, bool looked, std::vector<NetworkEvent>& told);
  void release(std::size_t event);
  bool most_others_answer() const;

  NetworkConfig config_;
  unsigned down_after_ = 1;
  SwitchOfHost switches_;
  std::vector<Host> hosts_;
  std::vector<NetworkEvent> events_;  // that are not over; a free place has over = true
};

}  // namespace tofa::health
