// SPDX-License-Identifier: BSD-3-Clause
// From directed traffic to symmetric adjacency lists. Every sum is checked: a wrapped counter would
// look like two ranks that hardly talk.
#include "tofa/comm_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/lanes.hpp"
#include "base/large_pages.hpp"
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

// Fewer are not worth a second thread.
constexpr std::size_t kManyEntries = 50'000;

// Whether something holds of entries that follow one another, which each lane asks of a half, and
// the first of the other half.
template <typename Holds>
bool holds_throughout(const std::vector<TrafficEntry>& entries, const Holds& holds) {
  const std::size_t middle = entries.size() / 2;
  const std::span<const TrafficEntry> all(entries);
  std::array<bool, kLanes> held{};
  run_lanes_if(entries.size() >= kManyEntries, [&](unsigned lane) {
    const std::size_t end = std::min(middle + 1, entries.size());
    held[lane] = holds(lane == 0 ? all.first(end) : all.subspan(middle));
  });
  return held[0] && held[1];
}

bool is_normal(const Traffic& traffic) {
  const auto follows = [](const TrafficEntry& a, const TrafficEntry& b) { return !kByPair(a, b); };
  return holds_throughout(traffic.entries, [&](std::span<const TrafficEntry> entries) {
    return std::adjacent_find(entries.begin(), entries.end(), follows) == entries.end();
  });
}

bool has_known_ranks(const Traffic& traffic) {
  return holds_throughout(traffic.entries, [&](std::span<const TrafficEntry> entries) {
    return std::all_of(entries.begin(), entries.end(), [&](const TrafficEntry& entry) {
      return entry.sender < traffic.ranks && entry.receiver < traffic.ranks;
    });
  });
}

// Where the entries of each sender begin, and where the last ones end.
std::vector<std::size_t> starts_of_senders(const Traffic& traffic) {
  std::vector<std::size_t> start(std::size_t{traffic.ranks} + 1);
  for (const TrafficEntry& entry : traffic.entries) ++start[entry.sender + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  return start;
}

// Senders whose entries one lane sorts before those of the other lane.
constexpr std::size_t kSendersAtOnce = 256;

// Entries by one of their ends, and otherwise in the order they had. Each lane deals out a half of
// them, after those of the other half where they meet.
template <Rank TrafficEntry::*end>
void distribute(const Traffic& traffic, std::vector<TrafficEntry>& sorted) {
  const std::size_t count = traffic.entries.size();
  const auto entries_of = [&](unsigned lane) {
    const std::size_t first = lane * count / kLanes;
    return std::span(traffic.entries).subspan(first, (lane + 1) * count / kLanes - first);
  };
  std::array<std::vector<std::size_t>, kLanes> next;
  run_lanes_if(count >= kManyEntries, [&](unsigned lane) {
    next[lane].resize(traffic.ranks);
    for (const TrafficEntry& entry : entries_of(lane)) ++next[lane][entry.*end];
  });
  std::size_t start = 0;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    for (std::vector<std::size_t>& of_lane : next) start += std::exchange(of_lane[rank], start);
  }
  run_lanes_if(count >= kManyEntries, [&](unsigned lane) {
    for (const TrafficEntry& entry : entries_of(lane)) sorted[next[lane][entry.*end]++] = entry;
  });
}

// Finds what went the other way, for entries in their order from those of a first sender on:
// whoever sends to a rank does so in the order in which that rank has its receivers, so that
// nobody's list is gone through twice.
class OtherWay {
 public:
  OtherWay(const Traffic& traffic, const std::vector<std::size_t>& starts, Rank first = 0)
      : entries_(traffic.entries), starts_(starts), at_(starts) {
    if (first == 0) return;
    const auto before = [](const TrafficEntry& entry, Rank rank) { return entry.receiver < rank; };
    for (Rank rank = 0; rank < traffic.ranks; ++rank) {
      const auto begin = entries_.begin();
      const auto from = begin + static_cast<std::ptrdiff_t>(starts[rank]);
      const auto to = begin + static_cast<std::ptrdiff_t>(starts[rank + 1]);
      at_[rank] = static_cast<std::size_t>(std::lower_bound(from, to, first, before) - begin);
    }
  }

  void fetch(const TrafficEntry& entry) const {
    __builtin_prefetch(entries_.data() + at_[entry.receiver]);
  }

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

// Partners of senders from one to another, where each gets an answer from all that it sends to:
// these are its receivers, in their order, so that one pass finds them.
class AnsweredSenders {
 public:
  AnsweredSenders(const Traffic& traffic, const std::vector<std::size_t>& starts, Rank first,
                  Rank end)
      : traffic_(traffic), starts_(starts), first_(first), end_(end) {}

  // Partners go to `edges`, how many they are to `counts` by rank. False where there was no answer.
  bool find(CommEdge* edges, std::size_t* counts) {
    constexpr std::size_t ahead = 8;
    OtherWay other(traffic_, starts_, first_);
    for (Rank sender = first_; sender < end_; ++sender) {
      const std::size_t before = found_;
      for (std::size_t i = starts_[sender]; i < starts_[sender + 1]; ++i) {
        const TrafficEntry& entry = traffic_.entries[i];
        if (i + ahead < traffic_.entries.size()) other.fetch(traffic_.entries[i + ahead]);
        if (entry.sender == entry.receiver) continue;
        const std::optional<Bytes> back = other.find(entry);
        if (!back) return false;
        const Bytes sum = add(entry.value, *back);
        if (sum == 0) continue;
        edges[found_++] = {entry.receiver, sum, entry.value};
        if (sender < entry.receiver) total_ = add(total_, sum);
      }
      counts[sender] = found_ - before;
    }
    return true;
  }

  std::size_t found() const { return found_; }
  Bytes total() const { return total_; }

 private:
  const Traffic& traffic_;
  const std::vector<std::size_t>& starts_;
  Rank first_;
  Rank end_;
  std::size_t found_ = 0;
  Bytes total_ = 0;
};

// By sender, then receiver. Where senders have few entries, sorting each one's takes less than
// going through all of them by receiver first.
void sort_entries(Traffic& traffic) {
  constexpr std::size_t few = 24;
  std::vector<TrafficEntry>& entries = traffic.entries;
  if (!has_known_ranks(traffic)) return std::sort(entries.begin(), entries.end(), kByPair);
  const bool many = entries.size() > few * traffic.ranks;
  std::vector<TrafficEntry> sorted;
  resize_large(sorted, entries.size());
  if (many) {
    distribute<&TrafficEntry::receiver>(traffic, sorted);
    entries.swap(sorted);
  }
  distribute<&TrafficEntry::sender>(traffic, sorted);
  entries = std::move(sorted);
  if (many) return;
  const std::vector<std::size_t> starts = starts_of_senders(traffic);
  run_lanes_if(entries.size() >= kManyEntries, [&](unsigned lane) {
    for (std::size_t sender = 0; sender < traffic.ranks; ++sender) {
      if (sender / kSendersAtOnce % kLanes != lane) continue;
      const auto first = entries.begin() + static_cast<std::ptrdiff_t>(starts[sender]);
      const auto last = entries.begin() + static_cast<std::ptrdiff_t>(starts[sender + 1]);
      if (!std::is_sorted(first, last, kByPair)) std::sort(first, last, kByPair);
    }
  });
}

}  // namespace

void Traffic::normalise() {
  if (is_normal(*this)) return;
  if (!std::is_sorted(entries.begin(), entries.end(), kByPair)) {
    sort_entries(*this);
    if (is_normal(*this)) return;
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
  if (!is_normal(traffic)) {
    Traffic sorted = traffic;
    sorted.normalise();
    build(sorted);
  } else {
    build(traffic);
  }
}

// Two passes, one that counts and one that fills, so that no more memory is taken than is kept.
void CommGraph::build(const Traffic& traffic) {
  if (!has_known_ranks(traffic)) {
    for (const TrafficEntry& entry : traffic.entries) check_entry(entry, traffic.ranks);
  }
  const std::vector<std::size_t> starts = starts_of_senders(traffic);
  offsets_.assign(std::size_t{traffic.ranks} + 1, 0);
  if (build_from_answered(traffic, starts)) return;
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

bool CommGraph::build_from_answered(const Traffic& traffic,
                                    const std::vector<std::size_t>& starts) {
  const std::size_t entries = traffic.entries.size();
  const auto half = std::upper_bound(starts.begin(), starts.end(), entries / 2) - starts.begin();
  const auto middle = static_cast<Rank>(half - 1);
  resize_large(edges_, entries);
  std::array<AnsweredSenders, kLanes> parts = {
      AnsweredSenders(traffic, starts, 0, middle),
      AnsweredSenders(traffic, starts, middle, traffic.ranks)};
  std::array<bool, kLanes> answered{};
  run_lanes_if(entries >= kManyEntries, [&](unsigned lane) {
    CommEdge* const edges = edges_.data() + (lane == 0 ? 0 : starts[middle]);
    answered[lane] = parts[lane].find(edges, offsets_.data() + 1);
  });
  if (!answered[0] || !answered[1]) {
    edges_ = {};
    offsets_.assign(offsets_.size(), 0);
    return false;
  }
  const auto second = edges_.begin() + static_cast<std::ptrdiff_t>(starts[middle]);
  if (parts[0].found() < starts[middle]) {
    std::move(second, second + static_cast<std::ptrdiff_t>(parts[1].found()),
              edges_.begin() + static_cast<std::ptrdiff_t>(parts[0].found()));
  }
  edges_.resize(parts[0].found() + parts[1].found());
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  total_ = add(parts[0].total(), parts[1].total());
  return true;
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
