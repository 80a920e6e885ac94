// SPDX-License-Identifier: BSD-3-Clause
// From directed traffic to symmetric adjacency lists. Every sum is checked: a wrapped counter would
// look like two ranks that hardly talk.
#include "tofa/comm_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

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

// A function object, since sorting a list calls it more often than anything else.
constexpr auto kByPair = [](const TrafficEntry& a, const TrafficEntry& b) {
  const auto key = [](const TrafficEntry& entry) {
    return std::uint64_t{entry.sender} << 32U | entry.receiver;
  };
  return key(a) < key(b);
};

// Where entries with each number of one of their ends begin, and where the last ones end.
template <Rank TrafficEntry::*end>
std::vector<std::size_t> starts_by(const Traffic& traffic) {
  std::vector<std::size_t> start(std::size_t{traffic.ranks} + 1);
  for (const TrafficEntry& entry : traffic.entries) ++start[entry.*end + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  return start;
}
std::vector<std::size_t> starts_of_senders(const Traffic& traffic) {
  return starts_by<&TrafficEntry::sender>(traffic);
}

// Entries by one of their ends, and otherwise in the order they had.
template <Rank TrafficEntry::*end>
void distribute(const Traffic& traffic, std::vector<TrafficEntry>& sorted) {
  std::vector<std::size_t> next = starts_by<end>(traffic);
  for (const TrafficEntry& entry : traffic.entries) sorted[next[entry.*end]++] = entry;
}

// Finds what went the other way, for entries in their order: whoever sends to a rank does so in the
// order in which that rank has its receivers, so that nobody's list is gone through twice.
class OtherWay {
 public:
  OtherWay(const Traffic& traffic, const std::vector<std::size_t>& starts)
      : entries_(traffic.entries), starts_(starts), at_(starts) {}

  // Bytes from the receiver to the sender; nothing if there is no entry.
  std::optional<Bytes> find(const TrafficEntry& entry) {
    std::size_t& at = at_[entry.receiver];
    const std::size_t end = starts_[entry.receiver + 1];
    while (at < end && entries_[at].receiver < entry.sender) ++at;
    if (at == end || entries_[at].receiver != entry.sender) return std::nullopt;
    return entries_[at].value;
  }

 private:
  const std::vector<TrafficEntry>& entries_;
  const std::vector<std::size_t>& starts_;
  std::vector<std::size_t> at_;
};

// Calls `use` with sender, receiver, the bytes of both directions and those from sender to receiver
// for every pair that exchanged any, once.
template <typename Use>
void for_each_pair(const Traffic& traffic, const std::vector<std::size_t>& starts, Use&& use) {
  OtherWay other(traffic, starts);
  for (const TrafficEntry& entry : traffic.entries) {
    if (entry.sender == entry.receiver) continue;
    const std::optional<Bytes> back = other.find(entry);
    // Of two directions, the one that comes first in the list stands for both.
    if (back && entry.receiver < entry.sender) continue;
    const Bytes sum = add(entry.value, back.value_or(0));
    if (sum > 0) use(entry.sender, entry.receiver, sum, entry.value);
  }
}

// By sender, then receiver. Where senders have few entries, sorting each one's takes less than
// going through all of them by receiver first.
void sort_entries(Traffic& traffic) {
  constexpr std::size_t few = 24;
  std::vector<TrafficEntry>& entries = traffic.entries;
  const bool known = std::all_of(entries.begin(), entries.end(), [&](const TrafficEntry& entry) {
    return entry.sender < traffic.ranks && entry.receiver < traffic.ranks;
  });
  if (!known) return std::sort(entries.begin(), entries.end(), kByPair);
  const bool many = entries.size() > few * traffic.ranks;
  std::vector<TrafficEntry> sorted(entries.size());
  if (many) {
    distribute<&TrafficEntry::receiver>(traffic, sorted);
    entries.swap(sorted);
  }
  distribute<&TrafficEntry::sender>(traffic, sorted);
  entries = std::move(sorted);
  if (many) return;
  const std::vector<std::size_t> starts = starts_of_senders(traffic);
  for (std::size_t sender = 0; sender < traffic.ranks; ++sender) {
    const auto first = entries.begin() + static_cast<std::ptrdiff_t>(starts[sender]);
    const auto last = entries.begin() + static_cast<std::ptrdiff_t>(starts[sender + 1]);
    if (!std::is_sorted(first, last, kByPair)) std::sort(first, last, kByPair);
  }
}

}  // namespace

void Traffic::normalise() {
  if (!std::is_sorted(entries.begin(), entries.end(), kByPair)) {
    sort_entries(*this);
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
  const auto follows = [](const TrafficEntry& a, const TrafficEntry& b) { return !kByPair(a, b); };
  if (std::adjacent_find(traffic.entries.begin(), traffic.entries.end(), follows) !=
      traffic.entries.end()) {
    Traffic sorted = traffic;
    sorted.normalise();
    build(sorted);
  } else {
    build(traffic);
  }
}

// Two passes, one that counts and one that fills, so that no more memory is taken than is kept.
void CommGraph::build(const Traffic& traffic) {
  for (const TrafficEntry& entry : traffic.entries) check_entry(entry, traffic.ranks);
  const std::vector<std::size_t> starts = starts_of_senders(traffic);
  offsets_.assign(std::size_t{traffic.ranks} + 1, 0);
  for_each_pair(traffic, starts, [this](Rank a, Rank b, Bytes bytes, Bytes) {
    ++offsets_[a + 1];
    ++offsets_[b + 1];
    total_ = add(total_, bytes);
  });
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  edges_.resize(offsets_.back());
  std::vector<std::size_t> next(offsets_.begin(), offsets_.end() - 1);
  for_each_pair(traffic, starts, [&](Rank a, Rank b, Bytes bytes, Bytes forth) {
    edges_[next[a]++] = {b, bytes, forth};
    edges_[next[b]++] = {a, bytes, bytes - forth};
  });
  const auto by_partner = [](const CommEdge& a, const CommEdge& b) {
    return a.partner < b.partner;
  };
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const auto first = edges_.begin() + static_cast<std::ptrdiff_t>(offsets_[rank]);
    const auto last = edges_.begin() + static_cast<std::ptrdiff_t>(offsets_[rank + 1]);
    if (!std::is_sorted(first, last, by_partner)) std::sort(first, last, by_partner);
  }
}

CommGraph CommGraph::neighbours_in_rank_order(Rank ranks) {
  check_ranks(ranks);
  Traffic chain;
  chain.ranks = ranks;
  for (Rank rank = 0; rank + 1 < ranks; ++rank) {
    chain.entries.push_back({rank, rank + 1, 1});
    chain.entries.push_back({rank + 1, rank, 1});
  }
  return CommGraph(chain);
}

}  // namespace tofa
