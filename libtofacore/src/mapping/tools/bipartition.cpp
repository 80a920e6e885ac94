// SPDX-License-Identifier: BSD-3-Clause
// Multilevel bisection: see bipartition.hpp.
#include "mapping/tools/bipartition.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <queue>

namespace tofa {
namespace {

using Sides = std::vector<std::uint8_t>;

constexpr std::uint32_t kCoarsest = 48;  // vertices at which coarsening stops
constexpr double kLeastShrinking = 0.9;  // a level that keeps more than this is the last
constexpr int kTries = 4;                // cuts of the coarsest graph
constexpr int kPasses = 3;               // of refinement on a level, at most
constexpr std::uint32_t kPatience = 64;  // moves without gain that end a pass
constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

// One refinement of a cut, in passes. In a pass every vertex moves at most once, the most gainful
// first, and the best moment of the pass is kept.
class Refinement {
 public:
  Refinement(const PartitionGraph& graph, std::uint64_t size_0, Sides& sides)
      : graph_(graph), sides_(sides), target_(static_cast<std::int64_t>(size_0)) {
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      largest_ = std::max<std::int64_t>(largest_, graph.sizes[v]);
      if (sides[v] == 0) excess_ += graph.sizes[v];
    }
    excess_ -= target_;
    gains_.resize(graph.vertices());
    locked_.resize(graph.vertices());
  }

  void run() {
    for (int i = 0; i < kPasses && pass(kPatience + graph_.vertices() / 32); ++i) {
    }
  }

  // Moves no more than the sizes ask for.
  void even_out() {
    if (imbalance() > 0) pass(1);
  }

  // Excess of side 0 over its size.
  std::int64_t excess() const { return excess_; }

 private:
  struct Entry {
    std::int64_t gain;
    std::uint32_t vertex;
    bool operator<(const Entry& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };

  std::int64_t gain(std::uint32_t v) const {
    std::int64_t sum = sides_[v] == 0 ? -graph_.bias[v] : graph_.bias[v];
    for (std::uint32_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const auto& [to, weight] = graph_.edges[e];
      sum += sides_[to] == sides_[v] ? -weight : weight;
    }
    return sum;
  }

  void push(std::uint32_t v) {
    auto& heap = heaps_[sides_[v]];
    heap.push_back({gains_[v], v});
    std::push_heap(heap.begin(), heap.end());
  }

  // The most gainful vertex of a side that may still move; drops entries that are out of date.
  bool peek(unsigned side, Entry& top) {
    auto& heap = heaps_[side];
    while (!heap.empty()) {
      top = heap.front();
      if (!locked_[top.vertex] && sides_[top.vertex] == side && gains_[top.vertex] == top.gain)
        return true;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    return false;
  }

  // Which side gives up a vertex next: the one that is too large, else the one that gains more.
  bool choose(Entry& chosen) {
    Entry from_0{};
    Entry from_1{};
    const bool some_0 = peek(0, from_0);
    const bool some_1 = peek(1, from_1);
    if (!some_0 && !some_1) return false;
    bool take_0 = some_0 && (!some_1 || from_0.gain >= from_1.gain);
    if (excess_ > 0 || (excess_ == 0 && !some_1)) take_0 = some_0;
    if (excess_ < 0) take_0 = !some_1;
    chosen = take_0 ? from_0 : from_1;
    return true;
  }

  void move(std::uint32_t v) {
    excess_ += sides_[v] == 0 ? -std::int64_t{graph_.sizes[v]} : std::int64_t{graph_.sizes[v]};
    sides_[v] ^= 1U;
    gains_[v] = -gains_[v];
  }

  void update_neighbours(std::uint32_t v) {
    for (std::uint32_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const auto& [to, weight] = graph_.edges[e];
      if (locked_[to]) continue;
      gains_[to] += sides_[to] == sides_[v] ? -2 * weight : 2 * weight;
      push(to);
    }
  }

  // How far the sizes are off, as far as vertices of these sizes can do better.
  std::int64_t imbalance() const {
    const std::int64_t off = std::abs(excess_);
    return largest_ > 1 && off < largest_ ? 0 : off;
  }

  // One pass, which ends after so many moves without gain; false when it changed nothing.
  bool pass(std::size_t patience) {
    std::fill(locked_.begin(), locked_.end(), false);
    for (auto& heap : heaps_) heap.clear();
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v) {
      gains_[v] = gain(v);
      heaps_[sides_[v]].push_back({gains_[v], v});
    }
    for (auto& heap : heaps_) std::make_heap(heap.begin(), heap.end());
    moved_.clear();
    std::int64_t sum = 0;
    std::int64_t best = 0;
    std::int64_t best_imbalance = imbalance();
    std::size_t kept = 0;
    Entry next{};
    while (moved_.size() - kept < patience && choose(next)) {
      sum += next.gain;
      move(next.vertex);
      locked_[next.vertex] = true;
      moved_.push_back(next.vertex);
      update_neighbours(next.vertex);
      const std::int64_t off = imbalance();
      if (off < best_imbalance || (off == best_imbalance && sum > best)) {
        best_imbalance = off;
        best = sum;
        kept = moved_.size();
      }
    }
    while (moved_.size() > kept) {
      move(moved_.back());
      moved_.pop_back();
    }
    return kept > 0;
  }

  const PartitionGraph& graph_;
  Sides& sides_;
  const std::int64_t target_;
  std::int64_t largest_ = 1;
  std::int64_t excess_ = 0;
  std::vector<std::int64_t> gains_;
  std::vector<bool> locked_;
  std::vector<Entry> heaps_[2];
  std::vector<std::uint32_t> moved_;
};

std::int64_t value(const PartitionGraph& graph, const Sides& sides) {
  std::int64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    sum += sides[v] == 0 ? 0 : 2 * graph.bias[v];
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (sides[graph.edges[e].to] != sides[v]) sum += graph.edges[e].weight;
    }
  }
  return sum;
}

// Side 0 grown from a vertex, the best connected next, until it is full.
Sides grow(const PartitionGraph& graph, std::uint64_t size_0, RandomSource& random) {
  Sides sides(graph.vertices(), 1);
  std::vector<std::int64_t> pull(graph.bias);
  std::priority_queue<std::pair<std::int64_t, std::uint32_t>> next;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) next.emplace(pull[v], v);
  next.emplace(std::numeric_limits<std::int64_t>::max(), random.below(graph.vertices()));
  for (std::uint64_t size = 0; size < size_0 && !next.empty();) {
    const auto [gain, v] = next.top();
    next.pop();
    const bool first = gain == std::numeric_limits<std::int64_t>::max();
    if (sides[v] == 0 || (!first && gain != pull[v])) continue;
    sides[v] = 0;
    size += graph.sizes[v];
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto& [to, weight] = graph.edges[e];
      pull[to] += weight;
      if (sides[to] == 1) next.emplace(pull[to], to);
    }
  }
  return sides;
}

Sides cut_coarsest(const PartitionGraph& graph, std::uint64_t size_0, RandomSource& random) {
  Sides best;
  std::int64_t best_value = 0;
  std::int64_t best_excess = 0;
  for (int i = 0; i < kTries; ++i) {
    Sides sides = grow(graph, size_0, random);
    Refinement refinement(graph, size_0, sides);
    refinement.run();
    const std::int64_t cut = value(graph, sides);
    const std::int64_t excess = std::abs(refinement.excess());
    if (best.empty() || cut < best_value || (cut == best_value && excess < best_excess)) {
      best = std::move(sides);
      best_value = cut;
      best_excess = excess;
    }
  }
  return best;
}

std::uint64_t twelfth(const PartitionGraph& graph) {
  const std::uint64_t total =
      std::accumulate(graph.sizes.begin(), graph.sizes.end(), std::uint64_t{0});
  return std::max<std::uint64_t>(2, total / 12);
}

std::vector<std::uint32_t> match(const PartitionGraph& fine, std::uint64_t most,
                                 RandomSource& random, std::uint32_t& count) {
  const std::uint32_t n = fine.vertices();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  random.shuffle(order);
  std::vector<std::uint32_t> coarse_of(n, kUnmatched);
  count = 0;
  std::uint32_t lonely = kUnmatched;
  for (const std::uint32_t v : order) {
    if (coarse_of[v] != kUnmatched) continue;
    if (fine.offsets[v] == fine.offsets[v + 1]) {
      // Vertices without edges pair up among themselves.
      if (lonely == kUnmatched || fine.sizes[v] + fine.sizes[lonely] > most) {
        lonely = v;
        coarse_of[v] = count++;
      } else {
        coarse_of[v] = coarse_of[lonely];
        lonely = kUnmatched;
      }
      continue;
    }
    std::uint32_t partner = v;
    std::int64_t heaviest = 0;
    for (std::uint32_t e = fine.offsets[v]; e < fine.offsets[v + 1]; ++e) {
      const auto& [to, weight] = fine.edges[e];
      if (coarse_of[to] == kUnmatched && weight > heaviest &&
          std::uint64_t{fine.sizes[v]} + fine.sizes[to] <= most) {
        partner = to;
        heaviest = weight;
      }
    }
    coarse_of[v] = coarse_of[partner] = count++;
  }
  return coarse_of;
}

}  // namespace

CoarserGraph coarsen(const PartitionGraph& fine, RandomSource& random, std::uint64_t most) {
  CoarserGraph result;
  std::uint32_t count = 0;
  result.coarse_of = match(fine, most > 0 ? most : twelfth(fine), random, count);
  PartitionGraph& coarse = result.graph;
  coarse.sizes.assign(count, 0);
  coarse.bias.assign(count, 0);
  // Fine vertices by coarse one: at most two each.
  std::vector<std::uint32_t> first(count, kUnmatched);
  std::vector<std::uint32_t> second(count, kUnmatched);
  for (std::uint32_t v = 0; v < fine.vertices(); ++v) {
    const std::uint32_t c = result.coarse_of[v];
    (first[c] == kUnmatched ? first[c] : second[c]) = v;
    coarse.sizes[c] += fine.sizes[v];
    coarse.bias[c] += fine.bias[v];
  }
  std::vector<std::uint32_t> slot(count, kUnmatched);  // where the edge to a vertex is, if any yet
  coarse.edges.reserve(fine.edges.size());
  coarse.offsets.reserve(std::size_t{count} + 1);
  for (std::uint32_t c = 0; c < count; ++c) {
    const auto begin = static_cast<std::uint32_t>(coarse.edges.size());
    for (const std::uint32_t v : {first[c], second[c]}) {
      if (v == kUnmatched) continue;
      for (std::uint32_t e = fine.offsets[v]; e < fine.offsets[v + 1]; ++e) {
        const std::uint32_t to = result.coarse_of[fine.edges[e].to];
        if (to == c) continue;
        if (slot[to] == kUnmatched || slot[to] < begin) {
          slot[to] = static_cast<std::uint32_t>(coarse.edges.size());
          coarse.edges.push_back({to, fine.edges[e].weight});
        } else {
          coarse.edges[slot[to]].weight += fine.edges[e].weight;
        }
      }
    }
    coarse.offsets.push_back(static_cast<std::uint32_t>(coarse.edges.size()));
  }
  return result;
}

std::vector<std::uint8_t> bipartition(const PartitionGraph& graph, std::uint64_t size_0,
                                      RandomSource& random, const Stop& stop) {
  if (stop()) return grow(graph, size_0, random);
  std::vector<CoarserGraph> levels;
  const PartitionGraph* finest = &graph;
  while (finest->vertices() > kCoarsest) {
    CoarserGraph next = coarsen(*finest, random);
    if (next.graph.vertices() > kLeastShrinking * finest->vertices()) break;
    levels.push_back(std::move(next));
    finest = &levels.back().graph;
  }
  Sides sides = cut_coarsest(*finest, size_0, random);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const PartitionGraph& fine = level == 0 ? graph : levels[level - 1].graph;
    Sides finer(fine.vertices());
    for (std::uint32_t v = 0; v < fine.vertices(); ++v)
      finer[v] = sides[levels[level].coarse_of[v]];
    Refinement refinement(fine, size_0, finer);
    if (stop()) {
      refinement.even_out();
    } else {
      refinement.run();
    }
    sides = std::move(finer);
  }
  return sides;
}

}  // namespace tofa
