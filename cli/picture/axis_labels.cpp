// SPDX-License-Identifier: BSD-3-Clause
// Labels of axes: see axis_labels.hpp.
#include "picture/axis_labels.hpp"

#include <algorithm>

#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kMostLabels = 16;
constexpr std::size_t kLongestName = 9;
constexpr std::size_t kGap = 2;  // characters between two labels

// The end of a name tells nodes of one machine apart.
std::string shorten(const std::string& host) {
  if (find_invalid_utf8(host) != std::string::npos) return "?";
  if (host.size() <= kLongestName) return host;
  std::size_t start = host.size() - kLongestName + 1;
  while (start < host.size() && (static_cast<unsigned char>(host[start]) & 0xC0) == 0x80) ++start;
  return "…" + host.substr(start);
}

// A power of two, so that labels are round numbers.
std::size_t step_for(std::size_t labels, std::size_t longest, std::size_t characters) {
  const std::size_t most = std::clamp<std::size_t>(characters / (longest + kGap), 1, kMostLabels);
  std::size_t step = 1;
  while (labels / step > most) step *= 2;
  return step;
}

}  // namespace

std::vector<AxisLabel> axis_labels(Rank ranks, const RankOrder& order, std::size_t characters) {
  std::vector<AxisLabel> labels;
  if (order.in_rank_order()) {
    const std::size_t step = step_for(ranks, std::to_string(ranks).size(), characters);
    for (std::size_t rank = 0; rank < ranks; rank += step)
      labels.push_back({static_cast<double>(rank) + 0.5, std::to_string(rank)});
    return labels;
  }
  std::size_t longest = 1;
  for (const NodeBlock& block : order.blocks)
    longest = std::max(longest, std::min(block.host.size(), kLongestName));
  const std::size_t step = step_for(order.blocks.size(), longest, characters);
  for (std::size_t i = 0; i < order.blocks.size(); i += step) {
    const NodeBlock& block = order.blocks[i];
    labels.push_back({(block.first + block.end) / 2.0, shorten(block.host)});
  }
  return labels;
}

}  // namespace tofa::cli
