// SPDX-License-Identifier: BSD-3-Clause
// Who talks to whom. `Traffic` is what a profile records: one directed entry per pair that
// exchanged anything. `CommGraph` is what placement works on: the same traffic symmetrised, w(i,j)
// = bytes(i->j) + bytes(j->i), and with how much of it went which way, without the diagonal and
// without pairs that exchanged no bytes, as compressed adjacency lists.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

// More than the largest machine runs, and little enough that a short file cannot ask for all of the
// memory.
inline constexpr Rank kMaxRanks = 1 << 24;

struct TrafficEntry {
  Rank sender;
  Rank receiver;
  Bytes value;
  friend bool operator==(const TrafficEntry&, const TrafficEntry&) = default;
};

// Directed traffic as recorded. Entries are sorted by sender, then receiver, without duplicates.
struct Traffic {
  Rank ranks = 0;
  std::vector<TrafficEntry> entries;
  // The `%tofa {json}` comment of the file as one line of JSON, empty when there was none.
  std::string metadata;
  // What was decided where the file could be read in two ways; empty when it could not.
  std::string note = {};

  // Sorts the entries and adds up duplicates. Throws Error when a sum exceeds 64 bits.
  void normalise();
};

// Whether the values are numbers of messages, as the metadata says, and not bytes.
bool counts_messages(const Traffic& traffic);

// Packed, since of a million ranks edges are most of the memory. So numbers are to be copied, and
// not referred to.
struct [[gnu::packed, gnu::aligned(4)]] CommEdge {
  Rank partner;
  Bytes bytes;  // both directions together
  Bytes sent;   // of these, what goes to the partner; the rest comes from it
};

class CommGraph {
 public:
  CommGraph() = default;
  // Throws Error when the total exceeds 64 bits, an entry names a rank outside [0, ranks), or there
  // are more than kMaxRanks.
  explicit CommGraph(const Traffic& traffic);

  // Ranks talk to their neighbours in rank order: what is assumed when there is no profile.
  static CommGraph neighbours_in_rank_order(Rank ranks);

  Rank ranks() const { return offsets_.empty() ? 0 : static_cast<Rank>(offsets_.size() - 1); }
  std::size_t pairs() const { return edges_.size() / 2; }
  Bytes total_bytes() const { return total_; }  // every unordered pair once
  // Partners of a rank, ascending.
  std::span<const CommEdge> partners(Rank rank) const {
    return {edges_.data() + offsets_[rank], edges_.data() + offsets_[rank + 1]};
  }
  // Fetches the first of them into the processor's cache, before they are asked for.
  void fetch(Rank rank) const { __builtin_prefetch(edges_.data() + offsets_[rank]); }

 private:
  void build(const Traffic& traffic);
  bool build_from_answered(const Traffic& traffic, const std::vector<std::size_t>& starts);

  std::vector<std::size_t> offsets_;  // size ranks() + 1
  std::vector<CommEdge> edges_;       // each pair twice
  Bytes total_ = 0;
};

}  // namespace tofa
