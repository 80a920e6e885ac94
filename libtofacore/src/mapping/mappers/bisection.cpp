// SPDX-License-Identifier: BSD-3-Clause
// bisect: ranks and nodes are cut in halves together, again and again. The nodes of a part are cut
// across the longest side of the box around them; its ranks are cut where the least traffic
// crosses, and what they exchange with other parts pulls them to the half that is nearer (dual
// recursive bipartitioning: Pellegrini, Static mapping by dual recursive bipartitioning of process
// and architecture graphs, 1994; the exact sizes and the pull by distance are ours).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/seat_plan.hpp"
#include "mapping/tools/bipartition.hpp"

namespace tofa {
namespace {

// Ranks and entries of a part, as ranges of the common lists, and where it lies.
struct Part {
  std::uint32_t first_rank;
  std::uint32_t last_rank;  // one past it, as below
  std::uint32_t first_entry;
  std::uint32_t last_entry;
};

// Where nodes lie: coordinates in a grid, elsewhere their distances to a few landmarks.
class Geometry {
 public:
  Geometry(const Topology& topology, const SeatPlan& plan) : grid_(topology.grid()) {
    const std::size_t entries = plan.entries();
    if (grid_ == nullptr) {
      find_landmarks(topology, plan);
      return;
    }
    dimensions_ = grid_->dimensions();
    at_.resize(entries * dimensions_);
    for (std::uint32_t entry = 0; entry < entries; ++entry) {
      const std::vector<unsigned> at = topology.coordinates(plan.node(entry));
      for (std::size_t d = 0; d < at.size(); ++d) {
        at_[entry * at.size() + d] = static_cast<std::uint16_t>(at[d]);
      }
    }
  }

  std::size_t dimensions() const { return dimensions_; }
  unsigned at(std::uint32_t entry, std::size_t d) const { return at_[entry * dimensions_ + d]; }
  double apart(std::size_t d, double a, double b) const {
    return grid_ == nullptr ? std::fabs(a - b) : grid_->apart(d, a, b);
  }

 private:
  void find_landmarks(const Topology& topology, const SeatPlan& plan) {
    constexpr std::size_t landmarks = 4;
    const std::size_t entries = plan.entries();
    std::vector<std::vector<unsigned>> distances;
    std::vector<unsigned> nearest(entries, std::numeric_limits<unsigned>::max());
    std::uint32_t landmark = 0;
    for (std::size_t i = 0; i < std::min(landmarks, entries); ++i) {
      auto& row = distances.emplace_back(entries);
      for (std::uint32_t entry = 0; entry < entries; ++entry) {
        row[entry] = topology.hops(plan.node(landmark), plan.node(entry));
        nearest[entry] = std::min(nearest[entry], row[entry]);
      }
      landmark = static_cast<std::uint32_t>(std::max_element(nearest.begin(), nearest.end()) -
                                            nearest.begin());
    }
    // The position in the list is the last landmark: node lists follow the machine.
    dimensions_ = distances.size() + 1;
    at_.resize(entries * dimensions_);
    for (std::uint32_t entry = 0; entry < entries; ++entry) {
      for (std::size_t d = 0; d < distances.size(); ++d) {
        at_[entry * dimensions_ + d] = static_cast<std::uint16_t>(distances[d][entry]);
      }
    }
  }

  const Grid* grid_;  // null elsewhere
  std::size_t dimensions_ = 0;
  std::vector<std::uint16_t> at_;  // by place and dimension
};

class Bisection {
 public:
  explicit Bisection(const MappingTask& task)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        geometry_(task.topology, plan_),
        ranks_(task.graph.ranks()),
        entries_(plan_.entries()),
        part_of_(task.graph.ranks()) {
    std::iota(ranks_.begin(), ranks_.end(), Rank{0});
    std::iota(entries_.begin(), entries_.end(), 0U);
  }

  // The parts of a level are cut in batches, each as large as all before it: where the halves of
  // those lie pulls at the ranks of the next. Cut all at once, neighbours would be cut along
  // different lines, or lie the wrong way round.
  Mapping run() {
    const auto entries = compact_entries();
    std::vector<Part> parts{{0, static_cast<std::uint32_t>(ranks_.size()), 0, entries}};
    remember(parts, 0);
    while (std::any_of(parts.begin(), parts.end(), is_divisible)) {
      std::vector<Part> next(2 * parts.size());
      for (std::size_t first = 0, last = 1; first < parts.size();) {
        run_lanes([&](unsigned lane) {
          for (std::size_t i = first + lane; i < last; i += kLanes) {
            divide(parts[i], static_cast<std::uint32_t>(i), next[2 * i], next[2 * i + 1]);
          }
        });
        remember({next.data() + 2 * first, next.data() + 2 * last}, parts.size() + 2 * first);
        first = last;
        last = std::min(2 * last, parts.size());
      }
      std::erase_if(next, [](const Part& part) { return part.first_rank == part.last_rank; });
      parts = std::move(next);
      remember(parts, 0);
      ++level_;
    }
    return seat(parts);
  }

 private:
  static bool is_divisible(const Part& part) { return part.last_entry - part.first_entry > 1; }

  std::uint64_t seats_in(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = first; i < last; ++i) sum += plan_.seats_of(entries_[i]);
    return sum;
  }

  // When there are more entries than needed, the ones nearest to some middle come first; answers
  // how many of them have enough seats. The middle is the best of a few.
  std::uint32_t compact_entries() {
    const auto all = static_cast<std::uint32_t>(plan_.entries());
    if (plan_.seats() <= task_.graph.ranks()) return all;
    constexpr std::uint32_t middles = 32;
    std::vector<std::uint32_t> best;
    std::uint64_t best_sum = std::numeric_limits<std::uint64_t>::max();
    for (std::uint32_t i = 0; i < std::min(middles, all); ++i) {
      const Node middle =
          plan_.node(static_cast<std::uint32_t>(std::uint64_t{i} * all / std::min(middles, all)));
      std::vector<std::pair<unsigned, std::uint32_t>> order;
      order.reserve(all);
      for (std::uint32_t entry = 0; entry < all; ++entry) {
        order.emplace_back(task_.topology.hops(middle, plan_.node(entry)), entry);
      }
      std::sort(order.begin(), order.end());
      std::uint64_t sum = 0;
      std::uint64_t seats = 0;
      std::vector<std::uint32_t> chosen;
      for (const auto& [hops, entry] : order) {
        if (seats >= task_.graph.ranks()) break;
        seats += plan_.seats_of(entry);
        sum += std::uint64_t{hops} * plan_.seats_of(entry);
        chosen.push_back(entry);
      }
      if (sum < best_sum) {
        best_sum = sum;
        best = std::move(chosen);
      }
    }
    entries_ = std::move(best);
    return static_cast<std::uint32_t>(entries_.size());
  }

  // Notes which part each rank is in and where the middle of each part is, by numbers from `first`
  // on.
  void remember(std::span<const Part> parts, std::size_t first) {
    const std::size_t dims = geometry_.dimensions();
    middle_.resize((first + parts.size()) * dims);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      if (part.first_rank == part.last_rank) continue;
      for (std::uint32_t r = part.first_rank; r < part.last_rank; ++r) {
        part_of_[ranks_[r]] = static_cast<std::uint32_t>(first + i);
      }
      for (std::size_t d = 0; d < dims; ++d) {
        middle_[(first + i) * dims + d] = middle(part.first_entry, part.last_entry, d);
      }
    }
  }

  double middle(std::uint32_t first, std::uint32_t last, std::size_t d) const {
    double sum = 0;
    for (std::uint32_t i = first; i < last; ++i) sum += geometry_.at(entries_[i], d);
    return sum / (last - first);
  }

  // Sorts the entries of a part along its longest side and answers where to cut: between two
  // planes, as near to the middle as possible.
  std::uint32_t cut_entries(const Part& part, std::size_t& longest) {
    const auto begin = entries_.begin() + part.first_entry;
    const auto end = entries_.begin() + part.last_entry;
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
    const std::uint32_t half = part.first_entry + (part.last_entry - part.first_entry) / 2;
    if (longest_extent == 0) return half;
    std::uint32_t below = half;
    std::uint32_t above = half;
    const auto same = [&](std::uint32_t i) {
      return geometry_.at(entries_[i - 1], longest) == geometry_.at(entries_[i], longest);
    };
    while (below > part.first_entry && same(below)) --below;
    while (above < part.last_entry && same(above)) ++above;
    if (below == part.first_entry) return above;
    if (above == part.last_entry) return below;
    return half - below <= above - half ? below : above;
  }

  void divide(const Part& part, std::uint32_t index, Part& low, Part& high) {
    if (!is_divisible(part)) {
      low = part;
      high = {part.last_rank, part.last_rank, part.last_entry, part.last_entry};
      return;
    }
    std::size_t d = 0;
    const std::uint32_t cut = cut_entries(part, d);
    const std::uint64_t room_low = seats_in(part.first_entry, cut);
    const std::uint64_t room_high = seats_in(cut, part.last_entry);
    const std::uint64_t ranks = part.last_rank - part.first_rank;
    std::uint64_t size = (ranks * room_low + (room_low + room_high) / 2) / (room_low + room_high);
    size = std::clamp(size, ranks > room_high ? ranks - room_high : 0, std::min(ranks, room_low));
    const auto split = part.first_rank + static_cast<std::uint32_t>(size);
    if (size > 0 && size < ranks) divide_ranks(part, index, cut, d, size);
    low = {part.first_rank, split, part.first_entry, cut};
    high = {split, part.last_rank, cut, part.last_entry};
  }

  // Reorders the ranks of a part so that those for its first half come first. Not when it is too
  // late for anything.
  void divide_ranks(const Part& part, std::uint32_t index, std::uint32_t cut, std::size_t d,
                    std::uint64_t size) {
    if (task_.deadline.passed()) return;
    RandomSource random(task_.seed ^ (std::uint64_t{level_} << 32U) ^ index);
    const PartitionGraph graph =
        graph_of(part, index, middle(part.first_entry, cut, d), middle(cut, part.last_entry, d), d);
    const std::vector<std::uint8_t> sides =
        bipartition(graph, size, random, [this] { return due_.passed(); });
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
      for (const auto& [partner, bytes, sent] : task_.graph.partners(ranks_[i])) {
        if (part_of_[partner] == index) {
          graph.edges.push_back({local_[partner], weight_of_(bytes)});
          continue;
        }
        const double weight = weight_of_(bytes);
        const double there = middle_[part_of_[partner] * dims + d];
        bias += weight * (geometry_.apart(d, high, there) - geometry_.apart(d, low, there));
      }
      graph.bias.push_back(static_cast<std::int32_t>(bias / between));
      graph.sizes.push_back(1);
      graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    }
    return graph;
  }

  Mapping seat(const std::vector<Part>& parts) const {
    Mapping mapping(task_.graph.ranks());
    for (const Part& part : parts) {
      for (std::uint32_t i = part.first_rank; i < part.last_rank; ++i) {
        mapping[ranks_[i]] = plan_.node(entries_[part.first_entry]);
      }
    }
    return mapping;
  }

  // From there on halves are grown in what is left of the time, and not mended.
  static constexpr double kShareToMend = 0.8;

  const MappingTask& task_;
  Deadline due_{task_.deadline.share(kShareToMend)};
  TrafficWeights weight_of_{task_.graph.total_bytes()};
  SeatPlan plan_;
  Geometry geometry_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> part_of_;  // by rank
  std::vector<std::uint32_t> local_ = std::vector<std::uint32_t>(task_.graph.ranks());
  std::vector<double> middle_;  // of parts, by dimension
  unsigned level_ = 0;
};

Mapping map_bisect(const MappingTask& task) {
  return Bisection(task).run();
}

double bisect_seconds(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 2);
  const auto pairs = static_cast<double>(task.graph.pairs());
  return rates::seconds_to_halve(ranks, pairs) * std::log2(ranks);
}

bool bisect_is_candidate(const MappingTask& task) {
  return !group_is_candidate(task) && !multisect_is_candidate(task) &&
         bisect_seconds(task) <= 1.5 * task.seconds;
}

}  // namespace

extern constexpr Mapper kBisectMapper{
    "bisect", map_bisect, bisect_is_candidate, Turn::both_lanes, false, bisect_seconds,
    false,    nullptr,    rates::kDearOfHalves};

}  // namespace tofa
