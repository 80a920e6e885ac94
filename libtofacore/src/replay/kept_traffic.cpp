// SPDX-License-Identifier: BSD-3-Clause
// Least recently used goes first: see kept_traffic.hpp.
#include "replay/kept_traffic.hpp"

#include <utility>

namespace tofa {
namespace {

// An entry without traffic, so that many of those are not kept either.
constexpr std::size_t kEntryBytes = 256;

std::size_t bytes_of(const CommGraph& graph) {
  return std::size_t{graph.ranks()} * sizeof(std::size_t) + 2 * graph.pairs() * sizeof(CommEdge);
}

}  // namespace

const KeptTraffic::Entry* KeptTraffic::find(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return &entries_.front();
}

const NodeTraffic* KeptTraffic::keep(std::string key, std::unique_ptr<const NodeTraffic> traffic) {
  std::size_t bytes = kEntryBytes + key.size();
  if (traffic) bytes += bytes_of(traffic->blocks) + bytes_of(traffic->groups);
  while (!entries_.empty() && bytes_ + bytes > most_bytes_) {
    bytes_ -= entries_.back().bytes;
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({std::move(key), std::move(traffic), bytes});
  by_key_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
  return entries_.front().traffic.get();
}

}  // namespace tofa
