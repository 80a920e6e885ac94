// SPDX-License-Identifier: BSD-3-Clause
// Many parts at once: see multisection.hpp.
#include "mapping/tools/multisection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

#include "base/lanes.hpp"

namespace tofa {
namespace {

// The vertices of a range of parts, with the edges among them.
PartitionGraph graph_of(const PartitionGraph& whole, const std::vector<std::uint32_t>& vertices,
                        std::vector<std::uint32_t>& local, std::uint32_t outside) {
  PartitionGraph graph;
  std::size_t edges = 0;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    local[vertices[i]] = i;
    edges += whole.offsets[vertices[i] + 1] - whole.offsets[vertices[i]];
  }
  graph.edges.reserve(edges);
  for (const std::uint32_t v : vertices) {
    for (std::uint32_t e = whole.offsets[v]; e < whole.offsets[v + 1]; ++e) {
      const auto& [to, weight] = whole.edges[e];
      if (local[to] != outside) graph.edges.push_back({local[to], weight});
    }
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    graph.sizes.push_back(whole.sizes[v]);
    graph.bias.push_back(0);
  }
  for (const std::uint32_t v : vertices) local[v] = outside;
  return graph;
}

class Halving {
 public:
  Halving(const PartitionGraph& graph, const std::vector<std::uint32_t>& sizes,
          RandomSource& random, const Stop& stop, Attempts attempts)
      : graph_(graph),
        sizes_(sizes),
        random_(random),
        stop_(stop),
        attempts_(attempts),
        local_(graph.vertices(), graph.vertices()),
        parts_(graph.vertices()) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> all(graph_.vertices());
    std::iota(all.begin(), all.end(), 0U);
    divide(all, 0, sizes_.size());
    return std::move(parts_);
  }

 private:
  void divide(const std::vector<std::uint32_t>& vertices, std::size_t first, std::size_t last) {
    if (last - first == 1) {
      for (const std::uint32_t v : vertices) parts_[v] = static_cast<std::uint32_t>(first);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    // Vertices of several sizes may have been cut less exactly before.
    const std::uint64_t all = size_of(vertices);
    const std::uint64_t wanted = wanted_in(first, last);
    const std::uint64_t size_0 = wanted > 0 ? all * wanted_in(first, middle) / wanted : 0;
    std::array<std::vector<std::uint32_t>, 2> halves;
    if (size_0 == 0 || size_0 == all) {
      halves[size_0 == 0 ? 1 : 0] = vertices;
    } else {
      const std::vector<std::uint8_t> sides = cut(vertices, size_0);
      for (std::size_t i = 0; i < vertices.size(); ++i) halves[sides[i]].push_back(vertices[i]);
    }
    divide(halves[0], first, middle);
    divide(halves[1], middle, last);
  }

  // A large graph is not copied.
  std::vector<std::uint8_t> cut(const std::vector<std::uint32_t>& vertices, std::uint64_t size_0) {
    if (vertices.size() == graph_.vertices())
      return bipartition(graph_, size_0, random_, stop_, attempts_);
    return bipartition(graph_of(graph_, vertices, local_, graph_.vertices()), size_0, random_,
                       stop_, attempts_);
  }

  std::uint64_t wanted_in(std::size_t first, std::size_t last) const {
    std::uint64_t sum = 0;
    for (std::size_t part = first; part < last; ++part) sum += sizes_[part];
    return sum;
  }
  std::uint64_t size_of(const std::vector<std::uint32_t>& vertices) const {
    std::uint64_t sum = 0;
    for (const std::uint32_t v : vertices) sum += graph_.sizes[v];
    return sum;
  }

  const PartitionGraph& graph_;
  const std::vector<std::uint32_t>& sizes_;
  RandomSource& random_;
  const Stop& stop_;
  const Attempts attempts_;
  std::vector<std::uint32_t> local_;
  std::vector<std::uint32_t> parts_;
};

// -ln(u) for evenly spread u: the number of temperatures by which a change may be uphill.
struct Thresholds {
  Thresholds() {
    for (std::size_t i = 0; i < of.size(); ++i) {
      of[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(of.size())));
    }
  }
  std::array<float, 4096> of{};
};
const Thresholds& thresholds() {
  static const Thresholds table;
  return table;
}

class PartsAnnealer {
 public:
  PartsAnnealer(const PartitionGraph& graph, RandomSource& random,
                std::vector<std::uint32_t>& parts)
      : graph_(graph), random_(random), parts_(parts) {
    count_ = 1 + *std::max_element(parts.begin(), parts.end());
    first_.assign(std::size_t{count_} + 1, 0);
    for (const std::uint32_t part : parts) ++first_[part + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    members_.resize(parts.size());
    place_.resize(parts.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    with_.assign(std::size_t{count_} * parts.size(), 0);
    for (std::uint32_t v = 0; v < parts.size(); ++v) {
      place_[v] = next[parts[v]]++;
      members_[place_[v]] = v;
      for (const auto& [to, weight] : edges_of(v)) {
        source_.push_back(v);
        with(v)[parts[to]] += weight;
      }
    }
    find_reverses();
    where_.resize(source_.size());
    for (std::uint32_t e = 0; e < source_.size(); ++e) {
      if (parts[source_[e]] != parts[graph.edges[e].to]) note_crossing(e);
    }
  }

  void run(const PartsSchedule& schedule) {
    if (count_ < 2 || source_.empty()) return;
    const double unit = typical_change();
    if (unit <= 0) return;
    constexpr std::uint64_t stride = 256;
    const double cooling = std::log(schedule.end / schedule.start);
    std::vector<std::uint32_t> best = parts_;
    std::int64_t current = 0;
    std::int64_t least = 0;
    std::uint64_t since_copy = 0;
    for (std::uint64_t done = 0; done < schedule.tries; done += stride) {
      const double progress =
          schedule.how_far(static_cast<double>(done) / static_cast<double>(schedule.tries));
      if (progress >= 1) break;
      const double temperature = unit * schedule.start * std::exp(cooling * progress);
      for (std::uint64_t i = 0; i < stride; ++i) current += attempt(temperature);
      since_copy += stride;
      if (current < least && since_copy >= parts_.size()) {
        least = current;
        best = parts_;
        since_copy = 0;
      }
    }
    if (current > least) parts_ = std::move(best);
  }

 private:
  struct Exchange {
    std::uint32_t a;
    std::uint32_t b;
  };

  std::span<const PartitionGraph::Edge> edges_of(std::uint32_t v) const {
    return {graph_.edges.data() + graph_.offsets[v], graph_.edges.data() + graph_.offsets[v + 1]};
  }
  std::int32_t* with(std::uint32_t v) { return with_.data() + std::size_t{v} * count_; }

  // A vertex that may go where a partner is, and one of those there; the same twice when there is
  // none.
  Exchange draw() {
    const std::uint64_t bits = random_.next();
    // One in 64 goes anywhere, so that everything can be reached.
    const bool anywhere = crossing_.empty() || (bits >> 58U) == 0;
    const auto choices = anywhere ? source_.size() : crossing_.size();
    const auto choice = static_cast<std::uint32_t>(((bits & 0xffffffffU) * choices) >> 32U);
    const std::uint32_t e = anywhere ? choice : crossing_[choice];
    const std::uint32_t v = source_[e];
    const std::uint32_t part = anywhere ? random_.below(count_) : parts_[graph_.edges[e].to];
    if (part == parts_[v] || first_[part] == first_[part + 1]) return {v, v};
    return {v, choose_other(parts_[v], part)};
  }

  // Most of those in a part had better stay there: of a few, the one that can go from `part` to
  // `there` at the least cost.
  std::uint32_t choose_other(std::uint32_t there, std::uint32_t part) {
    constexpr std::uint32_t most = 8;
    const std::uint32_t size = first_[part + 1] - first_[part];
    const std::uint32_t* members = members_.data() + first_[part];
    const bool all = size <= most;
    std::uint32_t at = random_.below(size);
    std::uint32_t best = members[at];
    std::int32_t most_gain = with(best)[there] - with(best)[part];
    for (std::uint32_t i = 1; i < (all ? size : most); ++i) {
      at = all ? (at + 1 == size ? 0 : at + 1) : random_.below(size);
      const std::uint32_t candidate = members[at];
      const std::int32_t gain = with(candidate)[there] - with(candidate)[part];
      if (gain <= most_gain) continue;
      most_gain = gain;
      best = candidate;
    }
    return best;
  }

  // What an exchange costs, without what the two exchange between themselves.
  std::int32_t change(const Exchange& t) {
    const std::uint32_t here = parts_[t.a];
    const std::uint32_t there = parts_[t.b];
    return with(t.a)[here] - with(t.a)[there] + with(t.b)[there] - with(t.b)[here];
  }

  std::int64_t between(const Exchange& t) const {
    const bool less = edges_of(t.a).size() < edges_of(t.b).size();
    const std::uint32_t wanted = less ? t.b : t.a;
    for (const auto& [to, weight] : edges_of(less ? t.a : t.b)) {
      if (to == wanted) return weight;
    }
    return 0;
  }

  double typical_change() {
    constexpr int tries = 512;
    std::vector<std::int64_t> changes;
    for (int i = 0; i < tries; ++i) {
      const Exchange t = draw();
      if (t.a == t.b) continue;
      const std::int64_t cost = change(t) + 2 * between(t);
      if (cost != 0) changes.push_back(std::abs(cost));
    }
    if (changes.empty()) return 0;
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
    std::nth_element(changes.begin(), middle, changes.end());
    return static_cast<double>(*middle);
  }

  [[gnu::flatten]] std::int64_t attempt(double temperature) {
    const Exchange t = draw();
    if (t.a == t.b) return 0;
    const auto limit =
        static_cast<std::int64_t>(temperature * thresholds_.of[random_.next() >> 52U]);
    std::int64_t cost = change(t);
    if (cost > limit) return 0;
    cost += 2 * between(t);
    if (cost > limit) return 0;
    exchange(t);
    return cost;
  }

  void exchange(const Exchange& t) {
    const std::uint32_t here = parts_[t.a];
    const std::uint32_t there = parts_[t.b];
    follow(t.a, here, there);
    follow(t.b, there, here);
    std::swap(place_[t.a], place_[t.b]);
    members_[place_[t.a]] = t.a;
    members_[place_[t.b]] = t.b;
  }

  void follow(std::uint32_t v, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e) {
      const auto& [partner, weight] = graph_.edges[e];
      with(partner)[from] -= weight;
      with(partner)[to] += weight;
      if (parts_[partner] == from) {
        note_crossing(e);
        note_crossing(reverse_[e]);
      } else if (parts_[partner] == to) {
        forget_crossing(e);
        forget_crossing(reverse_[e]);
      }
    }
    parts_[v] = to;
  }

  void note_crossing(std::uint32_t e) {
    where_[e] = static_cast<std::uint32_t>(crossing_.size());
    crossing_.push_back(e);
  }
  void forget_crossing(std::uint32_t e) {
    crossing_[where_[e]] = crossing_.back();
    where_[crossing_.back()] = where_[e];
    crossing_.pop_back();
  }

  // Edges sorted by where they lead and then by where they begin are the edges the other way, one
  // by one, of those sorted by where they begin and then by where they lead.
  void find_reverses() {
    const auto sorted_by = [this](const std::vector<std::uint32_t>& edges, const auto& end_of) {
      std::vector<std::uint32_t> next(graph_.offsets.begin(), graph_.offsets.end() - 1);
      std::vector<std::uint32_t> sorted(edges.size());
      for (const std::uint32_t e : edges) sorted[next[end_of(e)]++] = e;
      return sorted;
    };
    std::vector<std::uint32_t> all(source_.size());
    std::iota(all.begin(), all.end(), 0U);
    const auto by_target = sorted_by(all, [this](auto e) { return graph_.edges[e].to; });
    const auto by_source = sorted_by(by_target, [this](auto e) { return source_[e]; });
    reverse_.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) reverse_[by_source[i]] = by_target[i];
  }

  const PartitionGraph& graph_;
  RandomSource& random_;
  std::vector<std::uint32_t>& parts_;
  const Thresholds& thresholds_ = thresholds();
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> first_;     // by part: where its members begin
  std::vector<std::uint32_t> members_;   // vertices by part
  std::vector<std::uint32_t> place_;     // by vertex: where among the members
  std::vector<std::uint32_t> source_;    // by edge
  std::vector<std::uint32_t> reverse_;   // by edge: the same the other way
  std::vector<std::uint32_t> crossing_;  // edges between parts, in no order
  std::vector<std::uint32_t> where_;     // by edge that crosses: where in the list
  std::vector<std::int32_t> with_;       // by vertex and part: what they exchange
};

static_assert(kLanes == 2, "a half is a lane's");

// Sizes of the parts of either half.
std::array<std::vector<std::uint32_t>, kLanes> halved(const std::vector<std::uint32_t>& sizes) {
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  return {std::vector(sizes.begin(), middle), std::vector(middle, sizes.end())};
}

// A graph cut in two, of which each lane divides one.
struct Halves {
  struct Half {
    std::vector<std::uint32_t> vertices;
    PartitionGraph graph;
    std::uint64_t seed;
  };
  std::array<Half, kLanes> half;

  std::vector<std::uint32_t> cut(const std::vector<std::uint32_t>& sizes, const Stop& stop,
                                 Attempts attempts) {
    const auto wanted = halved(sizes);
    std::vector<std::uint32_t> parts(half[0].vertices.size() + half[1].vertices.size());
    run_lanes([&](unsigned lane) {
      RandomSource random(half[lane].seed);
      const auto found = Halving(half[lane].graph, wanted[lane], random, stop, attempts).run();
      const auto first = static_cast<std::uint32_t>(lane == 0 ? 0 : wanted[0].size());
      for (std::size_t i = 0; i < found.size(); ++i)
        parts[half[lane].vertices[i]] = first + found[i];
    });
    return parts;
  }
};

Halves halves_of(const PartitionGraph& graph, const std::vector<std::uint32_t>& sizes,
                 RandomSource& random, const Stop& stop, Attempts attempts) {
  const auto wanted = halved(sizes);
  const std::vector<std::uint32_t> of_halves{
      std::accumulate(wanted[0].begin(), wanted[0].end(), 0U),
      std::accumulate(wanted[1].begin(), wanted[1].end(), 0U)};
  const std::vector<std::uint32_t> side = Halving(graph, of_halves, random, stop, attempts).run();
  Halves result;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) result.half[side[v]].vertices.push_back(v);
  for (Halves::Half& half : result.half) half.seed = random.next();
  run_lanes([&](unsigned lane) {
    std::vector<std::uint32_t> local(graph.vertices(), graph.vertices());
    Halves::Half& half = result.half[lane];
    half.graph = graph_of(graph, half.vertices, local, graph.vertices());
  });
  return result;
}

}  // namespace

std::vector<std::uint32_t> cut_in_parts(const PartitionGraph& graph,
                                        const std::vector<std::uint32_t>& sizes,
                                        RandomSource& random, const Stop& stop, Attempts attempts) {
  return Halving(graph, sizes, random, stop, attempts).run();
}

std::vector<std::uint32_t> cut_side_by_side(const PartitionGraph& graph,
                                            const std::vector<std::uint32_t>& sizes,
                                            RandomSource& random, const Stop& stop,
                                            Attempts attempts) {
  if (sizes.size() <= kLanes) return cut_in_parts(graph, sizes, random, stop, attempts);
  return halves_of(graph, sizes, random, stop, attempts).cut(sizes, stop, attempts);
}

std::vector<std::uint32_t> cut_side_by_side(PartitionGraph&& graph,
                                            const std::vector<std::uint32_t>& sizes,
                                            RandomSource& random, const Stop& stop,
                                            Attempts attempts) {
  if (sizes.size() <= kLanes) return cut_in_parts(graph, sizes, random, stop, attempts);
  Halves halves = halves_of(graph, sizes, random, stop, attempts);
  graph = {};
  return halves.cut(sizes, stop, attempts);
}

std::int64_t cut_of(const PartitionGraph& graph, const std::vector<std::uint32_t>& parts) {
  std::int64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (parts[graph.edges[e].to] != parts[v]) sum += graph.edges[e].weight;
    }
  }
  return sum / 2;
}

std::int64_t longest_border_of(const PartitionGraph& graph,
                               const std::vector<std::uint32_t>& parts) {
  if (parts.empty()) return 0;
  std::vector<std::int64_t> borders(1 + std::size_t{*std::max_element(parts.begin(), parts.end())});
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (parts[graph.edges[e].to] != parts[v]) borders[parts[v]] += graph.edges[e].weight;
    }
  }
  return *std::max_element(borders.begin(), borders.end());
}

void anneal_parts(const PartitionGraph& graph, const PartsSchedule& schedule, RandomSource& random,
                  std::vector<std::uint32_t>& parts) {
  // What is kept for each vertex and part would be too much on machines that are one switch.
  constexpr std::size_t most_kept = 1U << 23U;
  if (parts.empty() || schedule.tries == 0) return;
  const std::size_t count = 1 + std::size_t{*std::max_element(parts.begin(), parts.end())};
  if (count * parts.size() > most_kept) return;
  PartsAnnealer(graph, random, parts).run(schedule);
}

}  // namespace tofa
