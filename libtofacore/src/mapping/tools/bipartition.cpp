// SPDX-License-Identifier: BSD-3-Clause
// Multilevel bisection: see bipartition.hpp.
#include "mapping/tools/bipartition.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "mapping/tools/movable.hpp"

namespace tofa {
namespace {

using Sides = std::vector<std::uint8_t>;

constexpr std::uint32_t kCoarsest = 48;  // vertices at which coarsening stops
constexpr double kLeastShrinking = 0.9;  // a level that keeps more than this is the last
constexpr int kTries = 4;                // cuts of the coarsest graph
constexpr std::size_t kMuchLess = 4;     // times as many edges has the whole, where there are two
                                         // attempts
constexpr int kPasses = 3;               // of refinement on a level, at most
constexpr std::uint32_t kPatience = 64;  // moves without gain that end a pass
constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

// One refinement of a cut, in passes. In a pass every vertex moves at most once, the most gainful
// first, and the best moment of the pass is kept. Of a large graph only vertices at the cut are
// looked at, and those that come to it: all others are worse, and most.
class Refinement {
 public:
  Refinement(const PartitionGraph& graph, std::uint64_t size_0, Sides& sides)
      : graph_(graph),
        sides_(sides),
        target_(static_cast<std::int64_t>(size_0)),
        movable_(graph.vertices()) {
    gains_.resize(graph.vertices());
    within_.resize(graph.vertices());
    locked_.resize(graph.vertices());
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      largest_ = std::max<std::int64_t>(largest_, graph.sizes[v]);
      if (sides[v] == 0) excess_ += graph.sizes[v];
      add_up(v);
    }
    excess_ -= target_;
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
  std::span<const PartitionGraph::Edge> edges_of(std::uint32_t v) const {
    return {graph_.edges.data() + graph_.offsets[v], graph_.edges.data() + graph_.offsets[v + 1]};
  }

  void add_up(std::uint32_t v) {
    std::int32_t all = 0;
    std::int32_t gain = sides_[v] == 0 ? -graph_.bias[v] : graph_.bias[v];
    for (const auto& [to, weight] : edges_of(v)) {
      all += weight;
      gain += sides_[to] == sides_[v] ? -weight : weight;
    }
    gains_[v] = gain;
    within_[v] = -all;
  }

  // Who moves next: of the side that is too large, else who gains more.
  std::optional<Movable> choose() {
    if (excess_ != 0) {
      const unsigned larger = excess_ > 0 ? 0 : 1;
      const std::optional<Movable> found = movable_.best(larger);
      return found ? found : movable_.best(1 - larger);
    }
    const std::optional<Movable> from_0 = movable_.best(0);
    const std::optional<Movable> from_1 = movable_.best(1);
    return from_0 && (!from_1 || from_0->gain >= from_1->gain) ? from_0 : from_1;
  }

  // Partners that have not moved may move at what they gain now.
  void move(std::uint32_t v, bool may_move) {
    excess_ += sides_[v] == 0 ? -std::int64_t{graph_.sizes[v]} : std::int64_t{graph_.sizes[v]};
    sides_[v] ^= 1U;
    gains_[v] = -gains_[v];
    for (const auto& [to, weight] : edges_of(v)) {
      gains_[to] += sides_[to] == sides_[v] ? -2 * weight : 2 * weight;
      if (may_move && !locked_[to]) movable_.put(sides_[to], to, gains_[to]);
    }
  }

  // How far the sizes are off, as far as vertices of these sizes can do better.
  std::int64_t imbalance() const {
    const std::int64_t off = std::abs(excess_);
    return largest_ > 1 && off < largest_ ? 0 : off;
  }

  // Those at the cut, and who had better be elsewhere without being there. All where the sizes are
  // off and whoever it is may have to move, and of a side that had nobody to give for who comes.
  void find_movable() {
    movable_.clear();
    const bool all = movable_.looks_at_all() || imbalance() > 0;
    std::array<bool, 2> has_any{};
    const auto add = [&](std::uint32_t v) {
      movable_.add(sides_[v], v, gains_[v]);
      has_any[sides_[v]] = true;
    };
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v)
      if (all || gains_[v] > within_[v]) add(v);
    if (has_any[0] != has_any[1]) {
      const unsigned without = has_any[0] ? 1 : 0;
      for (std::uint32_t v = 0; v < graph_.vertices(); ++v)
        if (sides_[v] == without) add(v);
    }
    movable_.order();
  }

  // One pass, which ends after so many moves without gain; false when it changed nothing.
  [[gnu::flatten]] bool pass(std::size_t patience) {
    std::fill(locked_.begin(), locked_.end(), std::uint8_t{0});
    find_movable();
    moved_.clear();
    std::int64_t sum = 0;
    std::int64_t best = 0;
    std::int64_t best_imbalance = imbalance();
    std::size_t kept = 0;
    while (moved_.size() - kept < patience) {
      const std::optional<Movable> next = choose();
      if (!next) break;
      sum += next->gain;
      locked_[next->vertex] = 1;
      movable_.take(next->vertex);
      move(next->vertex, true);
      moved_.push_back(next->vertex);
      const std::int64_t off = imbalance();
      if (off < best_imbalance || (off == best_imbalance && sum > best)) {
        best_imbalance = off;
        best = sum;
        kept = moved_.size();
      }
    }
    while (moved_.size() > kept) {
      move(moved_.back(), false);
      moved_.pop_back();
    }
    return kept > 0;
  }

  const PartitionGraph& graph_;
  Sides& sides_;
  const std::int64_t target_;
  std::int64_t largest_ = 1;
  std::int64_t excess_ = 0;
  std::vector<std::int32_t> gains_;   // by vertex: what its move would gain now
  std::vector<std::int32_t> within_;  // by vertex: the same if all partners were beside it, and
                                      // nothing else pulled it
  std::vector<std::uint8_t> locked_;
  MovableVertices movable_;
  std::vector<std::uint32_t> moved_;
};

std::int64_t value(const PartitionGraph& graph, const Sides& sides) {
  std::int64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    sum += sides[v] == 0 ? 0 : 2 * std::int64_t{graph.bias[v]};
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (sides[graph.edges[e].to] != sides[v]) sum += graph.edges[e].weight;
    }
  }
  return sum;
}

// Side 0 grown from a vertex, the best connected next, until it is full.
Sides grow(const PartitionGraph& graph, std::uint64_t size_0, RandomSource& random) {
  Sides sides(graph.vertices(), 1);
  std::vector<std::int32_t> pull(graph.bias);
  MovableVertices others(graph.vertices());
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) others.add(1, v, pull[v]);
  others.order();
  std::optional<Movable> next = Movable{0, random.below(graph.vertices())};
  for (std::uint64_t size = 0; size < size_0 && next; next = others.best(1)) {
    const std::uint32_t v = next->vertex;
    others.take(v);
    sides[v] = 0;
    size += graph.sizes[v];
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const auto& [to, weight] = graph.edges[e];
      pull[to] += weight;
      if (sides[to] == 1) others.put(1, to, pull[to]);
    }
  }
  return sides;
}

// What a cut leaves: how much it cuts, and by how much it misses the sizes.
struct FoundCut {
  Sides sides;
  std::int64_t value = 0;
  std::int64_t excess = 0;

  bool is_better_than(const FoundCut& other) const {
    if (other.sides.empty()) return true;
    return value < other.value || (value == other.value && excess < other.excess);
  }
};

FoundCut cut_coarsest(const PartitionGraph& graph, std::uint64_t size_0, RandomSource& random) {
  FoundCut best;
  for (int i = 0; i < kTries; ++i) {
    FoundCut found{grow(graph, size_0, random)};
    Refinement refinement(graph, size_0, found.sides);
    refinement.run();
    found.value = value(graph, found.sides);
    found.excess = std::abs(refinement.excess());
    if (found.is_better_than(best)) best = std::move(found);
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

namespace {

// Coarsens, cuts, and mends the cut on the way back, level by level.
class MultilevelCut {
 public:
  // Graphs of up to so many edges are coarsened and cut twice.
  MultilevelCut(std::uint64_t size_0, std::size_t few_edges, RandomSource& random, const Stop& stop)
      : size_0_(size_0), few_edges_(few_edges), random_(random), stop_(stop) {}

  FoundCut cut(const PartitionGraph& graph) {
    if (graph.vertices() <= kCoarsest) return cut_coarsest(graph, size_0_, random_);
    if (graph.edges.size() > few_edges_) return cut_coarser(graph);
    FoundCut best;
    for (int i = 0; i < 2 && (i == 0 || !stop_()); ++i) {
      FoundCut found = cut_coarser(graph);
      found.value = value(graph, found.sides);
      if (found.is_better_than(best)) best = std::move(found);
    }
    return best;
  }

 private:
  // How much it cuts is not known yet.
  FoundCut cut_coarser(const PartitionGraph& graph) {
    const CoarserGraph coarser = coarsen(graph, random_);
    if (coarser.graph.vertices() > kLeastShrinking * graph.vertices())
      return cut_coarsest(graph, size_0_, random_);
    const FoundCut coarse = cut(coarser.graph);
    FoundCut found{Sides(graph.vertices())};
    for (std::uint32_t v = 0; v < graph.vertices(); ++v)
      found.sides[v] = coarse.sides[coarser.coarse_of[v]];
    Refinement refinement(graph, size_0_, found.sides);
    if (stop_()) {
      refinement.even_out();
    } else {
      refinement.run();
    }
    found.excess = std::abs(refinement.excess());
    return found;
  }

  const std::uint64_t size_0_;
  const std::size_t few_edges_;
  RandomSource& random_;
  const Stop& stop_;
};

}  // namespace

std::vector<std::uint8_t> bipartition(const PartitionGraph& graph, std::uint64_t size_0,
                                      RandomSource& random, const Stop& stop, Attempts attempts) {
  if (stop()) return grow(graph, size_0, random);
  const std::size_t few_edges = attempts == Attempts::two ? graph.edges.size() / kMuchLess : 0;
  return MultilevelCut(size_0, few_edges, random, stop).cut(graph).sides;
}

}  // namespace tofa
