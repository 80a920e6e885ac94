// SPDX-License-Identifier: BSD-3-Clause
// Traffic by rank: see flows.hpp.
#include "mapping/search/flows.hpp"

namespace tofa {

Flows::Flows(const CommGraph& graph, double bytes_per_unit) {
  offsets_.reserve(std::size_t{graph.ranks()} + 1);
  offsets_.push_back(0);
  flows_.reserve(2 * graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      flows_.push_back({partner, static_cast<float>(static_cast<double>(sent) / bytes_per_unit),
                        static_cast<float>(static_cast<double>(bytes - sent) / bytes_per_unit)});
    }
    offsets_.push_back(flows_.size());
  }
}

void EntryFlows::clear() {
  for (const EntryFlow& sum : sums_) place_[sum.entry] = kNone;
  sums_.clear();
}

void EntryFlows::add(std::uint32_t entry, float out, float in) {
  std::uint32_t& place = place_[entry];
  if (place == kNone) {
    place = static_cast<std::uint32_t>(sums_.size());
    sums_.push_back({entry, out, in});
    return;
  }
  sums_[place].out += out;
  sums_[place].in += in;
}

std::span<const EntryFlow> EntryFlows::of(Rank rank, const std::uint32_t* entry_of) {
  clear();
  for (const auto& [partner, out, in] : flows_.of(rank)) add(entry_of[partner], out, in);
  return sums_;
}

// What the two exchange with each other goes the other way round between the same entries.
std::span<const EntryFlow> EntryFlows::of_exchange(Rank rank, Rank other,
                                                   const std::uint32_t* entry_of) {
  clear();
  for (const auto& [partner, out, in] : flows_.of(rank)) {
    if (partner == other) {
      add(entry_of[rank], out - in, in - out);
    } else {
      add(entry_of[partner], out, in);
    }
  }
  if (other == kNoRank) return sums_;
  for (const auto& [partner, out, in] : flows_.of(other))
    if (partner != rank) add(entry_of[partner], -out, -in);
  return sums_;
}

}  // namespace tofa
