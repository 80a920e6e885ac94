// SPDX-License-Identifier: BSD-3-Clause
// What each rank sends and receives, by partner, in one place: for searches that follow the loads
// of links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

struct Flow {
  Rank partner;
  float out;  // in units
  float in;
};

class Flows {
 public:
  Flows(const CommGraph& graph, double bytes_per_unit);
  std::span<const Flow> of(Rank rank) const {
    return {flows_.data() + offsets_[rank], flows_.data() + offsets_[rank + 1]};
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Flow> flows_;
};

// What goes from some place to an entry, and comes from there.
struct EntryFlow {
  std::uint32_t entry;
  float out;  // in units
  float in;
};

// What ranks exchange with whoever is at each entry, added up: of partners at the same one, and of
// two ranks that change places, what both exchange with it. Whatever follows takes as long as there
// are entries then, not partners.
class EntryFlows {
 public:
  EntryFlows(const Flows& flows, std::size_t entries) : flows_(flows), place_(entries, kNone) {}

  // Of a rank with its partners where they are; valid until the next call, as is the answer below.
  std::span<const EntryFlow> of(Rank rank, const std::uint32_t* entry_of);
  // What the entry of `other`, or the one that the rank goes to where there is nobody (kNoRank),
  // exchanges with each entry once the two have changed places, more than before; the entry that
  // the rank comes from exchanges as much less with all but itself.
  std::span<const EntryFlow> of_exchange(Rank rank, Rank other, const std::uint32_t* entry_of);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void clear();
  void add(std::uint32_t entry, float out, float in);

  const Flows& flows_;
  std::vector<std::uint32_t> place_;  // by entry: in sums_, if it is there
  std::vector<EntryFlow> sums_;       // in the order in which they were met
};

}  // namespace tofa
