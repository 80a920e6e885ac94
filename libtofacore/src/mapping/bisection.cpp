// SPDX-License-Identifier: BSD-3-Clause
// bisect: ranks and nodes are cut in halves together, again and again. The nodes of a part are cut
// across the longest side of the box around them; its ranks are cut where the least traffic
// crosses, and what they exchange with other parts pulls them to the half that is nearer (dual
// recursive bipartitioning: Pellegrini, Static mapping by dual recursive bipartitioning of process
// and architecture graphs, 1994; the exact sizes and the pull by distance are ours).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mapping/bipartition.hpp"
#include "mapping/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/seats.hpp"

namespace tofa {
namespace {

// Ranks and places of a part, as ranges of the common lists, and where it lies.
struct Part {
  std::uint32_t first_rank;
  std::uint32_t last_rank;  // one past it, as below
  std::uint32_t first_place;
  std::uint32_t last_place;
};

// Where nodes lie: coordinates in a grid, elsewhere their distances to a few landmarks.
class Geometry {
 public:
  Geometry(const Topology& topology, const SeatPlan& plan)
      : shape_(topology.shape()), wraps_(topology.wraps()) {
    const std::size_t places = plan.places();
    if (shape_.empty()) {
      find_landmarks(topology, plan);
      return;
    }
    at_.resize(places * shape_.size());
    for (std::uint32_t place = 0; place < places; ++place) {
      const std::vector<unsigned> at = topology.coordinates(plan.node(place));
      for (std::size_t d = 0; d < at.size(); ++d) {
        at_[place * at.size() + d] = static_cast<std::uint16_t>(at[d]);
      }
    }
  }

  std::size_t dimensions() const { return shape_.size(); }
  unsigned at(std::uint32_t place, std::size_t d) const { return at_[place * shape_.size() + d]; }
  double apart(std::size_t d, double a, double b) const {
    const double distance = std::fabs(a - b);
    return wraps_[d] ? std::min(distance, shape_[d] - distance) : distance;
  }

 private:
  void find_landmarks(const Topology& topology, const SeatPlan& plan) {
    constexpr std::size_t landmarks = 4;
    const std::size_t places = plan.places();
    std::vector<std::vector<unsigned>> distances;
    std::vector<unsigned> nearest(places, std::numeric_limits<unsigned>::max());
    std::uint32_t landmark = 0;
    for (std::size_t i = 0; i < std::min(landmarks, places); ++i) {
      auto& row = distances.emplace_back(places);
      for (std::uint32_t place = 0; place < places; ++place) {
        row[place] = topology.hops(plan.node(landmark), plan.node(place));
        nearest[place] = std::min(nearest[place], row[place]);
      }
      landmark = static_cast<std::uint32_t>(std::max_element(nearest.begin(), nearest.end()) -
                                            nearest.begin());
    }
    // The place in the list is the last landmark: node lists follow the machine.
    shape_.assign(distances.size() + 1, 0);
    wraps_.assign(shape_.size(), false);
    at_.resize(places * shape_.size());
    for (std::uint32_t place = 0; place < places; ++place) {
      for (std::size_t d = 0; d < distances.size(); ++d) {
        at_[place * shape_.size() + d] = static_cast<std::uint16_t>(distances[d][place]);
      }
    }
  }

  std::vector<unsigned> shape_;
  std::vector<bool> wraps_;
  std::vector<std::uint16_t> at_;
};

class Bisection {
 public:
  explicit Bisection(const MappingTask& task)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        geometry_(task.topology, plan_),
        ranks_(task.graph.ranks()),
        places_(plan_.places()),
        part_of_(task.graph.ranks()) {
    std::iota(ranks_.begin(), ranks_.end(), Rank{0});
    std::iota(places_.begin(), places_.end(), 0U);
  }

  Mapping run() {
    const auto places = compact_places();
    std::vector<Part> parts{{0, static_cast<std::uint32_t>(ranks_.size()), 0, places}};
    remember(parts);
    while (std::any_of(parts.begin(), parts.end(), is_divisible)) {
      std::vector<Part> next(2 * parts.size());
      run_lanes([&](unsigned lane) {
        for (std::size_t i = lane; i < parts.size(); i += kLanes) {
          divide(parts[i], static_cast<std::uint32_t>(i), next[2 * i], next[2 * i + 1]);
        }
      });
      std::erase_if(next, [](const Part& part) { return part.first_rank == part.last_rank; });
      parts = std::move(next);
      remember(parts);
      ++level_;
    }
    return seat(parts);
  }

 private:
  static bool is_divisible(const Part& part) { return part.last_place - part.first_place > 1; }

  std::uint64_t seats_in(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = first; i < last; ++i) sum += plan_.seats_of(places_[i]);
    return sum;
  }

  // When there are more places than needed, the ones nearest to some middle come first; answers how
  // many of them have enough seats. The middle is the best of a few.
  std::uint32_t compact_places() {
    const auto all = static_cast<std::uint32_t>(plan_.places());
    if (plan_.seats() <= task_.graph.ranks()) return all;
    constexpr std::uint32_t middles = 32;
    std::vector<std::uint32_t> best;
    std::uint64_t best_sum = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t i = 0; i < std::min(middles, all); ++i) {
      const Node middle =
          plan_.node(static_cast<std::uint32_t>(std::uint64_t{i} * all / std::min(middles, all)));
      std::vector<std::pair<unsigned, std::uint32_t>> order;
      order.reserve(all);
      for (std::uint32_t place = 0; place < all; ++place) {
        order.emplace_back(task_.topology.hops(middle, plan_.node(place)), place);
      }
      std::sort(order.begin(), order.end());
      std::uint64_t sum = 0;
      std::uint64_t seats = 0;
      std::vector<std::uint32_t> chosen;
      for (const auto& [hops, place] : order) {
        if (seats >= task_.graph.ranks()) break;
        seats += plan_.seats_of(place);
        sum += std::uint64_t{hops} * plan_.seats_of(place);
        chosen.push_back(place);
      }
      if (sum < best_sum) {
        best_sum = sum;
        best = std::move(chosen);
      }
    }
    places_ = std::move(best);
    return static_cast<std::uint32_t>(places_.size());
  }

  // Notes which part each rank is in and where the middle of each part is.
  void remember(const std::vector<Part>& parts) {
    const std::size_t dims = geometry_.dimensions();
    middle_.assign(parts.size() * dims, 0);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      for (std::uint32_t r = part.first_rank; r < part.last_rank; ++r) {
        part_of_[ranks_[r]] = static_cast<std::uint32_t>(i);
      }
      for (std::size_t d = 0; d < dims; ++d) {
        middle_[i * dims + d] = middle(part.first_place, part.last_place, d);
      }
    }
  }

  double middle(std::uint32_t first, std::uint32_t last, std::size_t d) const {
    double sum = 0;
    for (std::uint32_t i = first; i < last; ++i) sum += geometry_.at(places_[i], d);
    return sum / (last - first);
  }

  // Sorts the places of a part along its longest side and answers where to cut: between two planes,
  // as near to the middle as possible.
  std::uint32_t cut_places(const Part& part, std::size_t& longest) {
    const auto begin = places_.begin() + part.first_place;
    const auto end = places_.begin() + part.last_place;
    unsigned longest_extent = 0;
    longest = 0;
    for (std::size_t d = 0; d < geometry_.dimensions(); ++d) {
      const auto [low, high] = std::minmax_element(
          begin, end, [&](auto a, auto b) { return geometry_.at(a, d) < geometry_.at(b, d); });
      const unsigned extent = geometry_.at(*high, d) - geometry_.at(*low, d);
      if (extent > longest_extent) {
        longest_extent = extent;
        longest = d;
      }
    }
    std::stable_sort(begin, end, [&](auto a, auto b) {
      return geometry_.at(a, longest) < geometry_.at(b, longest);
    });
    const std::uint32_t half = part.first_place + (part.last_place - part.first_place) / 2;
    if (longest_extent == 0) return half;
    std::uint32_t below = half;
    std::uint32_t above = half;
    const auto same = [&](std::uint32_t i) {
      return geometry_.at(places_[i - 1], longest) == geometry_.at(places_[i], longest);
    };
    while (below > part.first_place && same(below)) --below;
    while (above < part.last_place && same(above)) ++above;
    if (below == part.first_place) return above;
    if (above == part.last_place) return below;
    return half - below <= above - half ? below : above;
  }

  void divide(const Part& part, std::uint32_t index, Part& low, Part& high) {
    if (!is_divisible(part)) {
      low = part;
      high = {part.last_rank, part.last_rank, part.last_place, part.last_place};
      return;
    }
    std::size_t d = 0;
    const std::uint32_t cut = cut_places(part, d);
    const std::uint64_t room_low = seats_in(part.first_place, cut);
    const std::uint64_t room_high = seats_in(cut, part.last_place);
    const std::uint64_t ranks = part.last_rank - part.first_rank;
    std::uint64_t size = (ranks * room_low + (room_low + room_high) / 2) / (room_low + room_high);
    size = std::clamp(size, ranks > room_high ? ranks - room_high : 0, std::min(ranks, room_low));
    const auto split = part.first_rank + static_cast<std::uint32_t>(size);
    if (size > 0 && size < ranks) divide_ranks(part, index, cut, d, size);
    low = {part.first_rank, split, part.first_place, cut};
    high = {split, part.last_rank, cut, part.last_place};
  }

  // Reorders the ranks of a part so that those for its first half come first.
  void divide_ranks(const Part& part, std::uint32_t index, std::uint32_t cut, std::size_t d,
                    std::uint64_t size) {
    RandomSource random(task_.seed ^ (std::uint64_t{level_} << 32U) ^ index);
    const PartitionGraph graph =
        graph_of(part, index, middle(part.first_place, cut, d), middle(cut, part.last_place, d), d);
    const std::vector<std::uint8_t> sides = bipartition(graph, size, random);
    std::vector<Rank> others;
    std::uint32_t next = part.first_rank;
    for (std::uint32_t i = part.first_rank; i < part.last_rank; ++i) {
      if (sides[i - part.first_rank] == 0) {
        ranks_[next++] = ranks_[i];
      } else {
        others.push_back(ranks_[i]);
      }
    }
    std::copy(others.begin(), others.end(), ranks_.begin() + next);
  }

  // The ranks of a part, their traffic among themselves, and the pull of the others.
  PartitionGraph graph_of(const Part& part, std::uint32_t index, double low, double high,
                          std::size_t d) {
    const std::size_t dims = geometry_.dimensions();
    const double between = std::max(geometry_.apart(d, low, high), 0.5);
    PartitionGraph graph;
    std::uint32_t local = 0;
    for (std::uint32_t i = part.first_rank; i < part.last_rank; ++i) local_[ranks_[i]] = local++;
    for (std::uint32_t i = part.first_rank; i < part.last_rank; ++i) {
      double bias = 0;
      for (const auto& [partner, bytes] : task_.graph.partners(ranks_[i])) {
        const auto weight = static_cast<double>(bytes);
        if (part_of_[partner] == index) {
          graph.edges.push_back({local_[partner], static_cast<std::int64_t>(bytes)});
          continue;
        }
        const double there = middle_[part_of_[partner] * dims + d];
        bias += weight * (geometry_.apart(d, high, there) - geometry_.apart(d, low, there));
      }
      graph.bias.push_back(static_cast<std::int64_t>(bias / between));
      graph.sizes.push_back(1);
      graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    }
    return graph;
  }

  Mapping seat(const std::vector<Part>& parts) const {
    Mapping mapping(task_.graph.ranks());
    for (const Part& part : parts) {
      for (std::uint32_t i = part.first_rank; i < part.last_rank; ++i) {
        mapping[ranks_[i]] = plan_.node(places_[part.first_place]);
      }
    }
    return mapping;
  }

  const MappingTask& task_;
  SeatPlan plan_;
  Geometry geometry_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> part_of_;  // by rank
  std::vector<std::uint32_t> local_ = std::vector<std::uint32_t>(task_.graph.ranks());
  std::vector<double> middle_;  // of parts, by dimension
  unsigned level_ = 0;
};

}  // namespace

Mapping map_bisect(const MappingTask& task) {
  return Bisection(task).run();
}

bool bisect_is_candidate(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 2);
  const double seconds = 1.5e-6 * ranks * std::log2(ranks);
  return seconds <= 0.6 * task.seconds;
}

}  // namespace tofa
