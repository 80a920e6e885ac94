// SPDX-License-Identifier: BSD-3-Clause
// Rows of traffic: adding them up from entries in any order, and what they cost.
#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "tofa/error.hpp"
#include "tofa/parallel.hpp"

namespace tofa {

std::vector<Rank> even_bounds(Rank ranks, unsigned parts) {
  std::vector<Rank> bounds;
  for (std::uint64_t i = 0; i <= parts; ++i)
    bounds.push_back(static_cast<Rank>(std::uint64_t{ranks} * i / parts));
  return bounds;
}

void RowCollector::add(std::span<const TrafficEntry> entries) {
  // A vector that grew by itself would hold twice what it needs.
  if (entries_.size() + entries.size() > entries_.capacity()) {
    merge();
    entries_.reserve(entries_.size() + std::max(spare_, entries_.size() / 2) + entries.size());
  }
  entries_.insert(entries_.end(), entries.begin(), entries.end());
}

void RowCollector::merge() {
  const auto place = [](const TrafficEntry& e) { return std::tuple(e.sender, e.receiver); };
  std::sort(entries_.begin(), entries_.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::size_t kept = 0;
  for (const TrafficEntry& entry : entries_) {
    if (kept == 0 || place(entries_[kept - 1]) != place(entry)) {
      entries_[kept++] = entry;
    } else if (__builtin_add_overflow(entries_[kept - 1].value, entry.value,
                                      &entries_[kept - 1].value)) {
      throw Error(ErrorKind::bad_input, fmt::format("ranks {} and {} exchange 2^64 bytes or more",
                                                    entry.sender, entry.receiver));
    }
  }
  entries_.resize(kept);
}

RankRows RowCollector::finish() {
  merge();
  RankRows rows;
  rows.partners.reserve(entries_.size());
  rows.bytes.reserve(entries_.size());
  std::size_t next = 0;
  for (Rank rank = first_; rank < last_; ++rank) {
    rows.ranks.push_back(rank);
    for (; next < entries_.size() && entries_[next].sender == rank; ++next) {
      rows.partners.push_back(entries_[next].receiver);
      rows.bytes.push_back(entries_[next].value);
    }
    rows.offsets.push_back(rows.partners.size());
  }
  entries_ = {};
  return rows;
}

RowCost cost_of_rows(const RankRows& rows, const Mapping& nodes, const Topology& topology) {
  RowCost cost;
  for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
    const Node mine = nodes[rows.ranks[row]];
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const auto bytes = static_cast<double>(rows.bytes[i]) / 2;
      const Node theirs = nodes[rows.partners[i]];
      cost.bytes += bytes;
      if (mine != theirs) cost.hop_bytes += bytes * topology.hops(mine, theirs);
    }
  }
  return cost;
}

}  // namespace tofa
