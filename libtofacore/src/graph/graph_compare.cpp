// SPDX-License-Identifier: BSD-3-Clause
// Both graphs are sorted, so one walk along both sees every pair: see tofa/graph_compare.hpp.
#include "tofa/graph_compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tofa/error.hpp"

namespace tofa {
namespace {

void require_comparable(const Traffic& first, const Traffic& second) {
  if (first.ranks != second.ranks) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the graphs have {} and {} ranks; only graphs of one size can be "
                            "compared",
                            first.ranks, second.ranks));
  }
  if (counts_messages(first) != counts_messages(second)) {
    throw Error(ErrorKind::bad_input,
                "one graph counts messages, the other bytes; compare bytes with bytes and messages "
                "with messages");
  }
}

std::pair<Rank, Rank> ends(const TrafficEntry& entry) {
  return {entry.sender, entry.receiver};
}

}  // namespace

double TrafficDifference::relative() const {
  const Bytes most = std::max(first, second);
  return most == 0 ? 0 : static_cast<double>(absolute()) / static_cast<double>(most);
}

double TrafficComparison::relative() const {
  const double most = std::max(total_first, total_second);
  return most > 0 ? apart / most : 0;
}

TrafficComparison compare_traffic(const Traffic& first, const Traffic& second, double tolerance,
                                  std::size_t most) {
  require_comparable(first, second);
  TrafficComparison result;
  const auto add = [&](const TrafficDifference& pair) {
    if (pair.first == 0 && pair.second == 0) return;
    ++result.pairs;
    result.total_first += static_cast<double>(pair.first);
    result.total_second += static_cast<double>(pair.second);
    result.apart += static_cast<double>(pair.absolute());
    if (pair.relative() <= tolerance) return;
    ++result.differing;
    result.largest.push_back(pair);
  };
  auto a = first.entries.begin();
  auto b = second.entries.begin();
  while (a != first.entries.end() || b != second.entries.end()) {
    const bool only_a =
        b == second.entries.end() || (a != first.entries.end() && ends(*a) < ends(*b));
    const bool only_b = !only_a && (a == first.entries.end() || ends(*b) < ends(*a));
    const TrafficEntry& entry = only_b ? *b : *a;
    add({entry.sender, entry.receiver, only_b ? 0 : a->value, only_a ? 0 : b->value});
    if (!only_b) ++a;
    if (!only_a) ++b;
  }
  std::stable_sort(result.largest.begin(), result.largest.end(),
                   [](const TrafficDifference& one, const TrafficDifference& other) {
                     return one.absolute() > other.absolute();
                   });
  if (result.largest.size() > most) result.largest.resize(most);
  return result;
}

}  // namespace tofa
