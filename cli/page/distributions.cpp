// SPDX-License-Identifier: BSD-3-Clause
// Histograms and curves: see distributions.hpp.
#include "page/distributions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kMostPlainBars = 24;

// Adds up by power of two; 0 has a bar of its own.
class PowerBars {
 public:
  void add(Bytes size, double weight) { bars_[std::bit_width(size)] += weight; }

  // Bars without a value between others are there, too.
  Bars take(const std::function<std::string(Bytes)>& name) const {
    Bars result;
    if (bars_.empty()) return result;
    for (int width = bars_.begin()->first; width <= bars_.rbegin()->first; ++width) {
      const auto bar = bars_.find(width);
      result.labels.push_back(name(width == 0 ? 0 : Bytes{1} << (width - 1)));
      result.values.push_back(bar == bars_.end() ? 0 : bar->second);
    }
    return result;
  }

 private:
  std::map<int, double> bars_;  // by bits of the size
};

std::string size_name(Bytes least) {
  return human_bytes(static_cast<double>(least));
}

std::string range_name(Bytes least) {
  return least < 2 ? std::to_string(least) : fmt::format("{}–{}", least, 2 * least - 1);
}

}  // namespace

Bars ranks_by_partners(const CommGraph& graph) {
  std::map<std::size_t, double> ranks;
  PowerBars powers;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    ++ranks[graph.partners(rank).size()];
    powers.add(graph.partners(rank).size(), 1);
  }
  if (ranks.empty()) return {};
  const std::size_t least = ranks.begin()->first;
  const std::size_t most = ranks.rbegin()->first;
  if (most - least >= kMostPlainBars) return powers.take(range_name);
  Bars bars;
  for (std::size_t partners = least; partners <= most; ++partners) {
    bars.labels.push_back(std::to_string(partners));
    bars.values.push_back(ranks.contains(partners) ? ranks[partners] : 0);
  }
  return bars;
}

Bars pairs_by_amount(const CommGraph& graph, bool bytes) {
  PowerBars bars;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      if (edge.partner > rank) bars.add(edge.bytes, 1);
  }
  return bars.take(bytes ? size_name : range_name);
}

Bars messages_by_size(const Traffic& bytes, const Traffic& messages) {
  PowerBars bars;
  auto size = bytes.entries.begin();
  for (const TrafficEntry& count : messages.entries) {
    if (count.value == 0) continue;
    const auto before = [&](const TrafficEntry& entry) {
      return std::pair(entry.sender, entry.receiver) < std::pair(count.sender, count.receiver);
    };
    while (size != bytes.entries.end() && before(*size)) ++size;
    const bool known = size != bytes.entries.end() && size->sender == count.sender &&
                       size->receiver == count.receiver;
    bars.add(known ? size->value / count.value : 0, static_cast<double>(count.value));
  }
  return bars.take(size_name);
}

std::vector<double> amount_by_hops(const CommGraph& graph, const Topology& topology,
                                   const Mapping& mapping) {
  std::vector<double> amounts(1);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.partner < rank) continue;
      const unsigned hops = topology.hops(mapping[rank], mapping[edge.partner]);
      if (hops >= amounts.size()) amounts.resize(hops + 1);
      amounts[hops] += static_cast<double>(edge.bytes);
    }
  }
  return amounts;
}

std::vector<double> descending_curve(std::vector<double> values, std::size_t points) {
  std::sort(values.begin(), values.end(), std::greater<>());
  if (values.size() <= points || points < 2) return values;
  std::vector<double> curve;
  for (std::size_t i = 0; i < points; ++i)
    curve.push_back(values[i * (values.size() - 1) / (points - 1)]);
  return curve;
}

std::vector<double> envelope(const std::vector<double>& values, std::size_t points) {
  const std::size_t step = std::max<std::size_t>(1, (values.size() + points - 1) / points);
  std::vector<double> curve;
  for (std::size_t i = 0; i < values.size(); i += step) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
    const auto last =
        values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), i + step));
    curve.push_back(*std::max_element(first, last));
  }
  return curve;
}

}  // namespace tofa::cli
