// SPDX-License-Identifier: BSD-3-Clause
// From directed traffic to symmetric adjacency lists. Every sum is checked: a wrapped counter would
// look like two ranks that hardly talk.
#include "tofa/comm_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "tofa/error.hpp"

namespace tofa {

namespace {

Bytes add(Bytes a, Bytes b) {
  Bytes sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw Error(ErrorKind::bad_input, "the traffic adds up to more than 64 bits can count");
  }
  return sum;
}

void check_ranks(Rank ranks) {
  if (ranks > kMaxRanks) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} ranks; at most {} are supported", ranks, kMaxRanks));
  }
}

void check_entry(const TrafficEntry& entry, Rank ranks) {
  if (entry.sender >= ranks || entry.receiver >= ranks) {
    throw Error(ErrorKind::bad_input, fmt::format("traffic from rank {} to rank {} in a job of {}",
                                                  entry.sender, entry.receiver, ranks));
  }
}

// Adds up runs of edges to the same partner and drops pairs without bytes; `edges` is sorted by
// partner.
std::size_t merge_partners(std::span<CommEdge> edges) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size();) {
    CommEdge merged = edges[i++];
    while (i < edges.size() && edges[i].partner == merged.partner) {
      merged.bytes = add(merged.bytes, edges[i++].bytes);
    }
    if (merged.bytes > 0) edges[kept++] = merged;
  }
  return kept;
}

}  // namespace

void Traffic::normalise() {
  const auto before = [](const TrafficEntry& a, const TrafficEntry& b) {
    return std::tie(a.sender, a.receiver) < std::tie(b.sender, b.receiver);
  };
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::sort(entries.begin(), entries.end(), before);
  }
  std::size_t kept = 0;
  for (const TrafficEntry& entry : entries) {
    if (kept > 0 && entries[kept - 1].sender == entry.sender &&
        entries[kept - 1].receiver == entry.receiver) {
      entries[kept - 1].value = add(entries[kept - 1].value, entry.value);
    } else {
      entries[kept++] = entry;
    }
  }
  entries.resize(kept);
}

CommGraph::CommGraph(const Traffic& traffic) {
  check_ranks(traffic.ranks);
  std::vector<std::size_t> starts(std::size_t{traffic.ranks} + 1, 0);
  for (const TrafficEntry& entry : traffic.entries) {
    check_entry(entry, traffic.ranks);
    if (entry.sender == entry.receiver) continue;
    ++starts[entry.sender + 1];
    ++starts[entry.receiver + 1];
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];

  edges_.resize(starts.back());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (const TrafficEntry& entry : traffic.entries) {
    if (entry.sender == entry.receiver) continue;
    edges_[next[entry.sender]++] = {entry.receiver, entry.value};
    edges_[next[entry.receiver]++] = {entry.sender, entry.value};
  }

  // Merge each rank's list and move it down over what merging freed.
  offsets_.assign(starts.size(), 0);
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const std::span<CommEdge> list(edges_.data() + starts[rank], starts[rank + 1] - starts[rank]);
    std::sort(list.begin(), list.end(),
              [](const CommEdge& a, const CommEdge& b) { return a.partner < b.partner; });
    const std::size_t kept = merge_partners(list);
    for (std::size_t i = 0; i < kept; ++i) {
      if (list[i].partner > rank) total_ = add(total_, list[i].bytes);
      edges_[offsets_[rank] + i] = list[i];
    }
    offsets_[rank + 1] = offsets_[rank] + kept;
  }
  edges_.resize(offsets_.back());
}

CommGraph CommGraph::neighbours_in_rank_order(Rank ranks) {
  check_ranks(ranks);
  Traffic chain;
  chain.ranks = ranks;
  for (Rank rank = 0; rank + 1 < ranks; ++rank) chain.entries.push_back({rank, rank + 1, 1});
  return CommGraph(chain);
}

}  // namespace tofa
