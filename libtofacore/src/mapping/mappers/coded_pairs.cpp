// SPDX-License-Identifier: BSD-3-Clause
// Pairs drawn by how they differ: see coded_pairs.hpp.
#include "mapping/mappers/coded_pairs.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tofa {
namespace {

constexpr std::size_t kToTell = 4096;    // pairs, to find out whether they are alike
constexpr std::size_t kOfAlike = 32768;  // to know of rare differences, too
constexpr std::size_t kMostPairs = 4096;
constexpr std::size_t kFewDifferences = 128;

}  // namespace

CodedPairs::CodedPairs(const CommGraph& graph, const std::vector<std::uint32_t>& codes,
                       RandomSource& random) {
  draw(graph, codes, kToTell, random);
  if (alike() && all_.size() < graph.pairs()) draw(graph, codes, kOfAlike, random);
}

bool CodedPairs::alike() const {
  return starts_.size() <= kFewDifferences + 1;
}

std::vector<CodedPair> CodedPairs::some(std::size_t of_each) const {
  const std::size_t differences = starts_.size() - 1;
  const std::size_t most =
      std::max<std::size_t>(kMostPairs / std::max<std::size_t>(differences, 1), 1);
  of_each = alike() ? std::min(of_each, most) : most;
  std::vector<Drawn> kept;
  for (std::size_t d = 0; d < differences; ++d) {
    const auto first = all_.begin() + static_cast<std::ptrdiff_t>(starts_[d]);
    const std::size_t count = starts_[d + 1] - starts_[d];
    const auto bytes = [first](std::size_t pairs) {
      return std::accumulate(first, first + static_cast<std::ptrdiff_t>(pairs), 0.0,
                             [](double sum, const Drawn& one) { return sum + one.pair.bytes; });
    };
    const std::size_t taken = std::min(count, of_each);
    const double said = bytes(taken);
    if (said <= 0) continue;
    const auto scale = static_cast<float>(bytes(count) / said);
    for (std::size_t i = 0; i < taken; ++i) {
      kept.push_back(all_[starts_[d] + i]);
      kept.back().pair.bytes *= scale;
    }
  }
  if (kept.size() > kMostPairs) {
    std::sort(kept.begin(), kept.end(),
              [](const Drawn& a, const Drawn& b) { return a.draw < b.draw; });
    kept.resize(kMostPairs);
  }
  std::vector<CodedPair> pairs;
  pairs.reserve(kept.size());
  for (const Drawn& one : kept) pairs.push_back(one.pair);
  return pairs;
}

void CodedPairs::draw(const CommGraph& graph, const std::vector<std::uint32_t>& codes,
                      std::size_t count, RandomSource& random) {
  const double share = std::min(
      1.0, static_cast<double>(count) / std::max<double>(1, static_cast<double>(graph.pairs())));
  all_.clear();
  starts_.clear();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (partner < rank || (share < 1 && random.unit() > share)) continue;
      all_.push_back({{codes[rank], codes[partner], static_cast<float>(bytes)}, random.next()});
    }
  }
  std::sort(all_.begin(), all_.end(), [](const Drawn& a, const Drawn& b) {
    return std::tuple(a.difference(), a.draw) < std::tuple(b.difference(), b.draw);
  });
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (i == 0 || all_[i].difference() != all_[i - 1].difference()) starts_.push_back(i);
  }
  starts_.push_back(all_.size());
}

}  // namespace tofa
