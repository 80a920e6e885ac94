// SPDX-License-Identifier: BSD-3-Clause
// Recognition by propagation. At one rank, partners that close a square with it lie in different
// dimensions, partners that do not are the two ends of one. From there on squares tell directions:
// if p knows its neighbours by direction and v is one of them, then v's neighbour in direction e is
// the one that it shares with p's neighbour in direction e, and what is left over goes straight on.
// What comes out is checked against every pair before it is believed.
#include "tofa/guest_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace tofa {
namespace {

constexpr Rank kNobody = std::numeric_limits<Rank>::max();
constexpr std::uint8_t kNotKnown = std::numeric_limits<std::uint8_t>::max();

// `Graph` has ranks() and, for each of them, partners(): with `partner`, ascending, and `bytes`.
template <typename Graph>
class Recogniser {
 public:
  Recogniser(const Graph& graph, Bytes least) : graph_(graph), least_(least) {}

  std::optional<GuestGrid> run() {
    if (graph_.ranks() < 2 || !find_root_directions()) return std::nullopt;
    if (!propagate()) return std::nullopt;
    return conclude();
  }

 private:
  struct Neighbours {
    std::array<Rank, kMaxGuestPartners> rank;
    unsigned count = 0;
  };

  // The heavy partners of a rank; false if they are too many for a grid.
  bool neighbours(Rank rank, Neighbours& result) const {
    result.count = 0;
    for (const auto& edge : graph_.partners(rank)) {
      if (edge.bytes < least_) continue;
      if (result.count == result.rank.size()) return false;
      result.rank[result.count++] = edge.partner;
    }
    return true;
  }

  // A common heavy partner of a and b other than `except`; kNobody if there is none.
  Rank fourth_corner(Rank a, Rank b, Rank except) const {
    const auto of_a = graph_.partners(a);
    const auto of_b = graph_.partners(b);
    for (auto i = of_a.begin(), j = of_b.begin(); i != of_a.end() && j != of_b.end();) {
      if ((*i).partner < (*j).partner) {
        ++i;
      } else if ((*j).partner < (*i).partner) {
        ++j;
      } else {
        if ((*i).partner != except && (*i).bytes >= least_ && (*j).bytes >= least_) {
          return (*i).partner;
        }
        ++i;
        ++j;
      }
    }
    return kNobody;
  }

  // Which of a rank's heavy partners lies where: 2 d is up in dimension d, 2 d + 1 is down.
  std::uint8_t* directions(Rank rank) {
    return directions_.data() + std::size_t{rank} * 2 * dimensions_;
  }
  const std::int32_t* coordinates(Rank rank) const {
    return coordinates_.data() + std::size_t{rank} * dimensions_;
  }

  bool find_root_directions() {
    Neighbours around;
    if (!neighbours(root_, around) || around.count == 0) return false;
    std::array<std::uint8_t, 2 * std::size_t{kMaxGuestDimensions}> root{};
    root.fill(kNotKnown);
    std::array<unsigned, kMaxGuestPartners> dimension_of{};
    for (unsigned i = 0; i < around.count; ++i) {
      const Rank rank = around.rank[i];
      unsigned dimension = dimensions_;
      for (unsigned j = 0; j < i; ++j) {
        if (fourth_corner(rank, around.rank[j], root_) == kNobody) dimension = dimension_of[j];
      }
      dimension_of[i] = dimension;
      if (dimension == kMaxGuestDimensions) return false;
      if (dimension == dimensions_) ++dimensions_;
      const unsigned direction =
          root[2 * std::size_t{dimension}] == kNotKnown ? 2 * dimension : 2 * dimension + 1;
      if (root[direction] != kNotKnown) return false;
      root[direction] = static_cast<std::uint8_t>(i);
    }
    directions_.assign(std::size_t{graph_.ranks()} * 2 * dimensions_, kNotKnown);
    std::copy_n(root.begin(), 2 * std::size_t{dimensions_}, directions(root_));
    return true;
  }

  bool propagate() {
    coordinates_.assign(std::size_t{graph_.ranks()} * dimensions_, 0);
    std::vector<bool> seen(graph_.ranks());
    std::vector<Rank> queue{root_};
    queue.reserve(graph_.ranks());
    seen[root_] = true;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Placed parent = place(queue[head]);
      for (unsigned direction = 0; direction < 2 * dimensions_; ++direction) {
        const Rank rank = parent.beside[direction];
        if (rank == kNobody || seen[rank]) continue;
        seen[rank] = true;
        queue.push_back(rank);
        std::int32_t* at = coordinates_.data() + std::size_t{rank} * dimensions_;
        std::copy_n(coordinates(parent.rank), dimensions_, at);
        at[direction / 2] += direction % 2 == 0 ? 1 : -1;
        if (!learn_directions(rank, parent, direction)) return false;
      }
    }
    return queue.size() == graph_.ranks();
  }

  // A rank, and who lies beside it in each direction that is known.
  struct Placed {
    Rank rank;
    std::array<Rank, 2 * std::size_t{kMaxGuestDimensions}> beside;
  };

  Placed place(Rank rank) {
    Neighbours around;
    neighbours(rank, around);
    Placed placed{rank, {}};
    for (unsigned direction = 0; direction < 2 * dimensions_; ++direction) {
      const std::uint8_t which = directions(rank)[direction];
      placed.beside[direction] = which == kNotKnown ? kNobody : around.rank[which];
    }
    return placed;
  }

  // `rank` lies in `direction` from `parent`.
  bool learn_directions(Rank rank, const Placed& parent, unsigned direction) {
    Neighbours around;
    if (!neighbours(rank, around)) return false;
    std::uint8_t* mine = directions(rank);
    unsigned left = around.count;
    std::array<bool, kMaxGuestPartners> taken{};
    const auto take = [&](unsigned where, Rank neighbour) {
      for (unsigned i = 0; i < around.count; ++i) {
        if (around.rank[i] != neighbour || taken[i]) continue;
        mine[where] = static_cast<std::uint8_t>(i);
        taken[i] = true;
        --left;
        return true;
      }
      return false;
    };
    if (!take(direction ^ 1U, parent.rank)) return false;
    for (unsigned other = 0; other < 2 * dimensions_; ++other) {
      const Rank beside = parent.beside[other];
      if (other / 2 == direction / 2 || beside == kNobody) continue;
      const Rank corner = fourth_corner(rank, beside, parent.rank);
      if (corner == kNobody || !take(other, corner)) return false;
    }
    if (left != 1) return left == 0;
    const auto last = std::find(taken.begin(), taken.end(), false) - taken.begin();
    mine[direction] = static_cast<std::uint8_t>(last);
    return true;
  }

  std::optional<GuestGrid> conclude() const {
    std::array<std::int32_t, kMaxGuestDimensions> low{};
    std::array<std::int32_t, kMaxGuestDimensions> high{};
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      for (unsigned d = 0; d < dimensions_; ++d) {
        low[d] = std::min(low[d], coordinates(rank)[d]);
        high[d] = std::max(high[d], coordinates(rank)[d]);
      }
    }
    GuestGrid grid;
    std::uint64_t volume = 1;
    for (unsigned d = 0; d < dimensions_; ++d) {
      grid.shape.push_back(static_cast<unsigned>(high[d] - low[d] + 1));
      volume *= grid.shape.back();
      if (volume > graph_.ranks()) return std::nullopt;
    }
    if (volume != graph_.ranks()) return std::nullopt;
    std::vector<bool> taken(volume);
    grid.positions.resize(graph_.ranks());
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      std::uint32_t position = 0;
      for (unsigned d = dimensions_; d-- > 0;) {
        position =
            position * grid.shape[d] + static_cast<std::uint32_t>(coordinates(rank)[d] - low[d]);
      }
      if (taken[position]) return std::nullopt;
      taken[position] = true;
      grid.positions[rank] = position;
    }
    if (!check_pairs(grid)) return std::nullopt;
    return grid;
  }

  // Every heavy pair must be one step apart in one dimension, or join the ends of one that is
  // thereby found to wrap.
  bool check_pairs(GuestGrid& grid) const {
    grid.wraps.assign(dimensions_, false);
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      for (const auto& edge : graph_.partners(rank)) {
        const Rank partner = edge.partner;
        if (edge.bytes < least_ || partner < rank) continue;
        unsigned steps = 0;
        for (unsigned d = 0; d < dimensions_; ++d) {
          const auto apart =
              static_cast<unsigned>(std::abs(coordinates(rank)[d] - coordinates(partner)[d]));
          const bool around = apart > 1 && apart == grid.shape[d] - 1;
          if (around) grid.wraps[d] = true;
          steps += around ? 1 : apart;
        }
        if (steps != 1) return false;
      }
    }
    return true;
  }

  const Graph& graph_;
  const Bytes least_;
  const Rank root_ = 0;
  unsigned dimensions_ = 0;
  std::vector<std::uint8_t> directions_;   // 2 * dimensions_ of each rank
  std::vector<std::int32_t> coordinates_;  // dimensions_ of each rank
};

// Rows of partners as a graph in which all exchange as much. Where a row begins is kept for some
// ranks only: of large graphs there is one process that holds them whole.
class UniformGraph {
 public:
  struct Edge {
    Rank partner;
    Bytes bytes;
  };
  class Iterator {
   public:
    explicit Iterator(const Rank* at) : at_(at) {}
    Edge operator*() const { return {*at_, 1}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Rank* at_;
  };
  class Row {
   public:
    Row(const Rank* first, const Rank* last) : first_(first), last_(last) {}
    Iterator begin() const { return Iterator(first_); }
    Iterator end() const { return Iterator(last_); }

   private:
    const Rank* first_;
    const Rank* last_;
  };

  UniformGraph(const std::vector<std::uint8_t>& degrees, const std::vector<Rank>& partners)
      : degrees_(degrees), partners_(partners) {
    offsets_.reserve(degrees.size() / kStride + 1);
    std::uint64_t offset = 0;
    for (std::size_t rank = 0; rank < degrees.size(); ++rank) {
      if (rank % kStride == 0) offsets_.push_back(offset);
      offset += degrees[rank];
    }
  }
  Rank ranks() const { return static_cast<Rank>(degrees_.size()); }
  Row partners(Rank rank) const {
    const std::size_t known = rank / kStride;
    const std::uint8_t* degrees = degrees_.data();
    const Rank* first = partners_.data() +
                        std::accumulate(degrees + known * kStride, degrees + rank, offsets_[known]);
    return {first, first + degrees_[rank]};
  }

 private:
  static constexpr std::size_t kStride = 16;

  const std::vector<std::uint8_t>& degrees_;
  const std::vector<Rank>& partners_;
  std::vector<std::uint64_t> offsets_;  // of every kStride-th rank
};

}  // namespace

std::optional<GuestGrid> recognise_grid(const std::vector<std::uint8_t>& degrees,
                                        const std::vector<Rank>& partners) {
  const UniformGraph graph(degrees, partners);
  return Recogniser(graph, 1).run();
}

std::optional<GuestGrid> recognise_grid(const CommGraph& graph) {
  Bytes largest = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      largest = std::max(largest, Bytes{edge.bytes});
  }
  // All pairs, then without the light ones, then without those that may be diagonals.
  for (const Bytes least : {Bytes{1}, largest / 16, largest / 2}) {
    if (auto grid = Recogniser(graph, std::max<Bytes>(least, 1)).run()) return grid;
  }
  return std::nullopt;
}

GuestGrid guest_grid(const CommGraph& graph) {
  if (auto grid = recognise_grid(graph)) return *std::move(grid);
  GuestGrid line{{graph.ranks()}, {false}, std::vector<std::uint32_t>(graph.ranks())};
  std::iota(line.positions.begin(), line.positions.end(), 0U);
  return line;
}

}  // namespace tofa
