// SPDX-License-Identifier: BSD-3-Clause
// The order of ranks inside a node. All orders are tried where there are few; otherwise the places
// are cut in halves at the highest border near the middle, again and again, and the ranks with them
// where the least traffic crosses, then pairs of ranks change places by simulated annealing and at
// last as long as that gains. Free places are held by ranks that talk to nobody.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/tools/bipartition.hpp"
#include "mapping/tools/random_source.hpp"
#include "tofa/machine.hpp"

namespace tofa {
namespace {

// Up to this many places, all orders are tried.
constexpr unsigned kTryAll = 6;

// Moves of an anneal per place; more gain nothing.
constexpr std::uint64_t kMovesPerPlace = 2000;

// First and last temperature, in bytes of the mean pair.
constexpr double kHottest = 1;
constexpr double kColdest = 0.02;

struct Partner {
  unsigned rank;  // an index into the ranks of the node
  double bytes;
};

class Arrangement {
 public:
  Arrangement(const CommGraph& graph, std::span<const Rank> ranks, const Machine& machine)
      : places_(machine.places), partners_(places_), distance_(std::size_t{places_} * places_) {
    std::vector<std::pair<Rank, unsigned>> index;
    for (unsigned i = 0; i < ranks.size(); ++i) index.emplace_back(ranks[i], i);
    std::sort(index.begin(), index.end());
    for (unsigned i = 0; i < ranks.size(); ++i) {
      for (const auto& [partner, bytes, sent] : graph.partners(ranks[i])) {
        const auto it = std::lower_bound(index.begin(), index.end(), std::pair{partner, 0U});
        if (it == index.end() || it->first != partner) continue;
        partners_[i].push_back({it->second, static_cast<double>(bytes)});
        bytes_ += static_cast<double>(bytes);
        ++ends_;
      }
    }
    for (unsigned a = 0; a < places_; ++a) {
      for (unsigned b = 0; b < places_; ++b) {
        distance_[std::size_t{a} * places_ + b] = static_cast<std::uint8_t>(machine.distance(a, b));
      }
    }
    sort_places(machine);
  }

  // Whether any order is as good as any other.
  bool is_flat() const {
    if (ends_ == 0) return true;
    for (unsigned a = 0; a < places_; ++a) {
      for (unsigned b = 0; b < a; ++b) {
        if (distance(a, b) != distance(0, 1)) return false;
      }
    }
    return true;
  }

  std::vector<unsigned> identity() const {
    std::vector<unsigned> place_of(places_);
    std::iota(place_of.begin(), place_of.end(), 0U);
    return place_of;
  }

  // Twice the bytes times distances: every pair is seen from both ends.
  double cost(const std::vector<unsigned>& place_of) const {
    double sum = 0;
    for (unsigned i = 0; i < places_; ++i) {
      for (const Partner& partner : partners_[i])
        sum += partner.bytes * distance(place_of[i], place_of[partner.rank]);
    }
    return sum;
  }

  std::vector<unsigned> best_of_all() const {
    std::vector<unsigned> place_of = identity();
    std::vector<unsigned> best = place_of;
    double least = cost(best);
    while (std::next_permutation(place_of.begin(), place_of.end())) {
      const double value = cost(place_of);
      if (value < least) {
        least = value;
        best = place_of;
      }
    }
    return best;
  }

  std::vector<unsigned> partition() const {
    std::vector<unsigned> order = identity();  // order[k]: the rank for the k-th of sorted_
    RandomSource random(1);
    divide(order, 0, places_, random);
    std::vector<unsigned> place_of(places_);
    for (unsigned k = 0; k < places_; ++k) place_of[order[k]] = sorted_[k];
    return place_of;
  }

  void anneal(std::vector<unsigned>& place_of, std::uint64_t moves) const {
    RandomSource random(1);
    const double unit = bytes_ / static_cast<double>(ends_);
    double current = 0;
    double best = 0;
    std::vector<unsigned> best_place_of = place_of;
    for (std::uint64_t done = 0; done < moves; ++done) {
      const double share = static_cast<double>(done) / static_cast<double>(moves);
      const double temperature = unit * kHottest * std::pow(kColdest / kHottest, share);
      const unsigned a = random.below(places_);
      const unsigned b = random.below(places_);
      const double delta = gain(place_of, a, b);
      if (delta > 0 && random.unit() >= std::exp(-delta / temperature)) continue;
      std::swap(place_of[a], place_of[b]);
      current += delta;
      if (current < best) {
        best = current;
        best_place_of = place_of;
      }
    }
    place_of = best_place_of;
  }

  // Makes changes of two ranks as long as one gains.
  void descend(std::vector<unsigned>& place_of) const {
    const double least_gain = 1e-9 * bytes_;
    bool gained = true;
    while (gained) {
      gained = false;
      for (unsigned a = 0; a < places_; ++a) {
        for (unsigned b = a + 1; b < places_; ++b) {
          if (gain(place_of, a, b) >= -least_gain) continue;
          std::swap(place_of[a], place_of[b]);
          gained = true;
        }
      }
    }
  }

 private:
  double distance(unsigned a, unsigned b) const { return distance_[std::size_t{a} * places_ + b]; }

  // Places by package, then by NUMA node and so on, so that what belongs together is in a row.
  void sort_places(const Machine& machine) {
    sorted_ = identity();
    std::stable_sort(sorted_.begin(), sorted_.end(), [&machine](unsigned a, unsigned b) {
      for (const Machine::Level& level : machine.levels) {
        if (level.group[a] != level.group[b]) return level.group[a] < level.group[b];
      }
      return false;
    });
  }

  // Change of cost when two ranks change places; what they exchange stays equally far.
  double gain(const std::vector<unsigned>& place_of, unsigned a, unsigned b) const {
    return leave(place_of, a, place_of[b], b) + leave(place_of, b, place_of[a], a);
  }

  double leave(const std::vector<unsigned>& place_of, unsigned rank, unsigned to,
               unsigned except) const {
    const unsigned from = place_of[rank];
    double sum = 0;
    for (const Partner& partner : partners_[rank]) {
      if (partner.rank == except) continue;
      const unsigned there = place_of[partner.rank];
      sum += partner.bytes * (distance(to, there) - distance(from, there));
    }
    return 2 * sum;
  }

  // Where to cut sorted_[first..last): at the border between the places that are furthest apart,
  // the nearest to the middle of equals.
  unsigned cut(unsigned first, unsigned last) const {
    unsigned best = first + 1;
    double best_distance = -1;
    unsigned best_off = 0;
    for (unsigned k = first + 1; k < last; ++k) {
      const double apart = distance(sorted_[k - 1], sorted_[k]);
      const unsigned off = 2 * k > first + last ? 2 * k - first - last : first + last - 2 * k;
      if (apart < best_distance || (apart == best_distance && off >= best_off)) continue;
      best = k;
      best_distance = apart;
      best_off = off;
    }
    return best;
  }

  void divide(std::vector<unsigned>& order, unsigned first, unsigned last,
              RandomSource& random) const {
    if (last - first < 2) return;
    const unsigned middle = cut(first, last);
    const std::vector<std::uint8_t> side =
        bipartition(graph_of(order, first, last), middle - first, random);
    std::vector<unsigned> low;
    std::vector<unsigned> high;
    for (unsigned k = first; k < last; ++k) {
      (side[k - first] == 0 ? low : high).push_back(order[k]);
    }
    std::copy(low.begin(), low.end(), order.begin() + first);
    std::copy(high.begin(), high.end(), order.begin() + first + static_cast<unsigned>(low.size()));
    divide(order, first, middle, random);
    divide(order, middle, last, random);
  }

  PartitionGraph graph_of(const std::vector<unsigned>& order, unsigned first, unsigned last) const {
    const TrafficWeights weight_of(bytes_ / 2);
    std::vector<unsigned> local(places_, places_);
    for (unsigned k = first; k < last; ++k) local[order[k]] = k - first;
    PartitionGraph graph;
    for (unsigned k = first; k < last; ++k) {
      for (const Partner& partner : partners_[order[k]]) {
        if (local[partner.rank] == places_) continue;
        graph.edges.push_back({local[partner.rank], weight_of.of(partner.bytes)});
      }
      graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
      graph.sizes.push_back(1);
      graph.bias.push_back(0);
    }
    return graph;
  }

  unsigned places_;
  std::vector<std::vector<Partner>> partners_;  // by rank of the node; empty for free places
  std::vector<std::uint8_t> distance_;
  std::vector<unsigned> sorted_;
  double bytes_ = 0;        // from both ends
  std::uint64_t ends_ = 0;  // of pairs that talk
};

}  // namespace

std::vector<unsigned> arrange_within_node(const CommGraph& graph, std::span<const Rank> ranks,
                                          const Machine& machine, std::uint64_t moves) {
  const Arrangement arrangement(graph, ranks, machine);
  std::vector<unsigned> best = arrangement.identity();
  if (!arrangement.is_flat()) {
    if (machine.places <= kTryAll) {
      best = arrangement.best_of_all();
    } else {
      std::vector<unsigned> found = arrangement.partition();
      if (arrangement.cost(best) < arrangement.cost(found)) found = best;
      arrangement.anneal(found, std::min(moves, kMovesPerPlace * machine.places));
      arrangement.descend(found);
      if (arrangement.cost(found) < arrangement.cost(best)) best = std::move(found);
    }
  }
  best.resize(ranks.size());
  return best;
}

std::vector<unsigned> arrange_within_nodes(const CommGraph& graph, const Mapping& mapping,
                                           const Machine& machine) {
  std::vector<Rank> by_node(mapping.size());
  std::iota(by_node.begin(), by_node.end(), Rank{0});
  std::stable_sort(by_node.begin(), by_node.end(),
                   [&mapping](Rank a, Rank b) { return mapping[a] < mapping[b]; });
  std::vector<unsigned> place_of(mapping.size());
  for (auto first = by_node.begin(); first != by_node.end();) {
    const auto last = std::find_if(first, by_node.end(), [&mapping, first](Rank rank) {
      return mapping[rank] != mapping[*first];
    });
    const std::span<const Rank> ranks(first, last);
    const std::uint64_t moves = kArrangingMoves / mapping.size() * ranks.size();
    const std::vector<unsigned> places = arrange_within_node(graph, ranks, machine, moves);
    for (std::size_t i = 0; i < ranks.size(); ++i) place_of[ranks[i]] = places[i];
    first = last;
  }
  return place_of;
}

}  // namespace tofa
