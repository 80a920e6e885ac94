// SPDX-License-Identifier: BSD-3-Clause
// Recognition by propagation. At one rank, partners that close a square with it lie in different
// dimensions, partners that do not are the two ends of one. From there on squares tell directions:
// if p knows its neighbours by direction and v is one of them, then v's neighbour in direction e is
// the one that it shares with p's neighbour in direction e, and what is left over goes straight on.
// What comes out is checked against every pair before it is believed.
//
// Programs do more than that, though: two ranks far apart, or one that collects from all. So where
// that fails, it is tried again with ranks that have too many partners left out, which get the
// places that stay free, from several ranks, and partners with whom a rank closes no square are
// nowhere. That is believed if most pairs that carry much are neighbours in the grid then.
#include "tofa/guest_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <type_traits>

#include "mapping/tools/backbone.hpp"
#include "mapping/tools/clique_grid.hpp"
#include "mapping/tools/heavy_pairs.hpp"
#include "mapping/tools/rank_order_grid.hpp"
#include "mapping/tools/uniform_graph.hpp"

namespace tofa {
namespace {

constexpr std::uint8_t kNotKnown = std::numeric_limits<std::uint8_t>::max();

// `Graph` has ranks() and, for each of them, partners(): with `partner`, ascending.
// One that is tolerant finds grids among other traffic.
template <typename Graph, bool kTolerant = false>
class Recogniser {
 public:
  explicit Recogniser(const Graph& graph) : graph_(graph) {
    if (kTolerant) find_hubs();
  }

  std::optional<GuestGrid> run() {
    if (graph_.ranks() < 2) return std::nullopt;
    const unsigned roots = kTolerant && graph_.ranks() <= kMany ? kMostRoots : 1;
    for (unsigned i = 0; i < roots && visited_ < kFewVisits + kMostVisits * graph_.ranks(); ++i) {
      root_ = static_cast<Rank>(std::uint64_t{graph_.ranks()} * i / kMostRoots);
      if (kTolerant && hub_[root_]) continue;
      if (!find_root_directions() || !propagate()) continue;
      if (auto grid = conclude()) return grid;
    }
    return std::nullopt;
  }

 private:
  // By position: who is there, or where that is enough, whether anybody is.
  struct Somebody {
    std::vector<Rank> rank;
    explicit Somebody(std::size_t volume) : rank(volume, kNoRank) {}
    bool taken(std::size_t position) const { return rank[position] != kNoRank; }
    void put(std::size_t position, Rank who) { rank[position] = who; }
  };
  struct Anybody {
    std::vector<bool> is;
    explicit Anybody(std::size_t volume) : is(volume) {}
    bool taken(std::size_t position) const { return is[position]; }
    void put(std::size_t position, Rank /*who*/) { is[position] = true; }
  };
  using Occupants = std::conditional_t<kTolerant, Somebody, Anybody>;

  static constexpr Rank kMany = 100'000;  // of which each attempt takes long
  static constexpr unsigned kMostRoots = 8;
  // Of each rank on average, before the last attempt: where two roots lead everywhere and to no
  // grid, so do others. Of few ranks more attempts take no time.
  static constexpr double kMostVisits = 1.5;
  static constexpr double kFewVisits = 4000;
  static constexpr double kMostRanks = 0.9;  // of all, that have to be reached
  static constexpr double kMostPairs = 0.6;  // of all, between neighbours

  struct Neighbours {
    std::array<Rank, kMaxGuestPartners> rank;
    unsigned count = 0;
  };

  // What most of the votes are for, and by how many more than for others (Boyer and Moore).
  struct Majority {
    std::int32_t value = 0;
    std::size_t votes = 0;
    void vote(std::int32_t for_value) {
      if (votes == 0) value = for_value;
      for_value == value ? ++votes : --votes;
    }
  };

  void find_hubs() {
    hub_.resize(graph_.ranks());
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      hub_[rank] = graph_.partners(rank).size() > kMaxGuestPartners;
    }
  }

  template <typename Edge>
  bool counts(const Edge& edge) const {
    return !(kTolerant && hub_[edge.partner]);
  }

  // The partners of a rank; false if they are too many for a grid.
  bool neighbours(Rank rank, Neighbours& result) const {
    result.count = 0;
    for (const auto& edge : graph_.partners(rank)) {
      if (!counts(edge)) continue;
      if (result.count == result.rank.size()) return false;
      result.rank[result.count++] = edge.partner;
    }
    return true;
  }

  // A common partner of a and b other than `except`; kNoRank if there is none.
  Rank fourth_corner(Rank a, Rank b, Rank except) const {
    const auto of_a = graph_.partners(a);
    const auto of_b = graph_.partners(b);
    for (auto i = of_a.begin(), j = of_b.begin(); i != of_a.end() && j != of_b.end();) {
      if ((*i).partner < (*j).partner) {
        ++i;
      } else if ((*j).partner < (*i).partner) {
        ++j;
      } else {
        if ((*i).partner != except && counts(*i)) {
          return (*i).partner;
        }
        ++i;
        ++j;
      }
    }
    return kNoRank;
  }

  // Which of a rank's partners lies where: 2 d is up in dimension d, 2 d + 1 is down.
  std::uint8_t* directions(Rank rank) {
    return directions_.data() + std::size_t{rank} * 2 * dimensions_;
  }
  const std::int32_t* coordinates(Rank rank) const {
    return coordinates_.data() + std::size_t{rank} * dimensions_;
  }

  bool find_root_directions() {
    dimensions_ = 0;
    Neighbours around;
    if (!neighbours(root_, around) || around.count == 0) return false;
    std::array<std::uint8_t, 2 * std::size_t{kMaxGuestDimensions}> root{};
    root.fill(kNotKnown);
    std::array<unsigned, kMaxGuestPartners> dimension_of{};
    for (unsigned i = 0; i < around.count; ++i) {
      const Rank rank = around.rank[i];
      unsigned dimension = dimensions_;
      for (unsigned j = 0; j < i; ++j) {
        if (fourth_corner(rank, around.rank[j], root_) == kNoRank) dimension = dimension_of[j];
      }
      dimension_of[i] = dimension;
      if (dimension == kMaxGuestDimensions) return false;
      if (dimension == dimensions_) ++dimensions_;
      const unsigned direction =
          root[2 * std::size_t{dimension}] == kNotKnown ? 2 * dimension : 2 * dimension + 1;
      if (root[direction] != kNotKnown) return false;
      root[direction] = static_cast<std::uint8_t>(i);
    }
    // Each has two positions or more. Recursive doubling among ranks that are no power of two looks
    // like a grid to the end of an attempt.
    if (std::uint64_t{1} << dimensions_ > graph_.ranks()) return false;
    directions_.assign(std::size_t{graph_.ranks()} * 2 * dimensions_, kNotKnown);
    std::copy_n(root.begin(), 2 * std::size_t{dimensions_}, directions(root_));
    return true;
  }

  bool propagate() {
    constexpr std::size_t few = 16;
    constexpr std::size_t one_of = 16;  // ranks may contradict the others
    coordinates_.assign(std::size_t{graph_.ranks()} * dimensions_, 0);
    placed_.assign(graph_.ranks(), false);
    std::vector<Rank> queue{root_};
    queue.reserve(graph_.ranks());
    placed_[root_] = true;
    rings_ = {};
    std::size_t wrong = 0;
    for (std::size_t head = 0; head < queue.size(); ++head, ++visited_) {
      const Placed parent = place(queue[head]);
      for (unsigned direction = 0; direction < 2 * dimensions_; ++direction) {
        const Rank rank = parent.beside[direction];
        if (rank == kNoRank) continue;
        if (placed_[rank]) {
          if (kTolerant && !agree(parent.rank, rank, direction)) ++wrong;
          continue;
        }
        placed_[rank] = true;
        queue.push_back(rank);
        std::int32_t* at = coordinates_.data() + std::size_t{rank} * dimensions_;
        std::copy_n(coordinates(parent.rank), dimensions_, at);
        at[direction / 2] += direction % 2 == 0 ? 1 : -1;
        if (!learn_directions(rank, parent, direction) && !kTolerant) return false;
      }
      if (wrong > few + head / one_of) return false;
    }
    if (kTolerant) wind_up_rings();
    const double reached = static_cast<double>(queue.size());
    return reached >= (kTolerant ? kMostRanks : 1.0) * graph_.ranks();
  }

  // Whether a rank lies in `direction` from another, or where the ring that leads there closes,
  // which votes for its length.
  bool agree(Rank from, Rank to, unsigned direction) {
    const unsigned ahead = direction / 2;
    for (unsigned d = 0; d < dimensions_; ++d)
      if (d != ahead && coordinates(to)[d] != coordinates(from)[d]) return false;
    const std::int32_t steps = coordinates(to)[ahead] - coordinates(from)[ahead];
    const std::int32_t step = direction % 2 == 0 ? 1 : -1;
    if (steps != step) rings_[ahead].vote(std::abs(steps - step));
    return steps != 0;
  }

  // Ranks that lie opposite to the first in a ring may have been met either way round.
  void wind_up_rings() {
    for (unsigned d = 0; d < dimensions_; ++d) {
      const auto [length, votes] = rings_[d];
      if (votes == 0 || 2 * votes * static_cast<std::size_t>(length) < graph_.ranks()) continue;
      for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
        std::int32_t& at = coordinates_[std::size_t{rank} * dimensions_ + d];
        at = (at % length + length) % length;
      }
    }
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
      placed.beside[direction] = which == kNotKnown ? kNoRank : around.rank[which];
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
      if (other / 2 == direction / 2 || beside == kNoRank) continue;
      const Rank corner = fourth_corner(rank, beside, parent.rank);
      const bool found = corner != kNoRank && take(other, corner);
      if (!found && !kTolerant) return false;
    }
    if (kTolerant) left -= leave_out_strangers(rank, parent.rank, around, taken);
    if (left != 1) return left == 0;
    const auto last = std::find(taken.begin(), taken.end(), false) - taken.begin();
    mine[direction] = static_cast<std::uint8_t>(last);
    return true;
  }

  // Of the partners that are not taken, those that are nobody's neighbours; answers how many.
  unsigned leave_out_strangers(Rank rank, Rank parent, const Neighbours& around,
                               std::array<bool, kMaxGuestPartners>& taken) const {
    const std::array<bool, kMaxGuestPartners> known = taken;
    unsigned strangers = 0;
    for (unsigned i = 0; i < around.count; ++i) {
      if (known[i] || goes_straight_on(around.rank[i], rank, parent, around, known)) continue;
      taken[i] = true;
      ++strangers;
    }
    return strangers;
  }

  // Whether a partner of a rank may be the one straight on from its parent: it closes a square with
  // partners whose places are known, and none with the parent. (Where nothing lies beside, there
  // are no squares.)
  bool goes_straight_on(Rank partner, Rank rank, Rank parent, const Neighbours& around,
                        const std::array<bool, kMaxGuestPartners>& known) const {
    if (fourth_corner(partner, parent, rank) != kNoRank) return false;
    for (unsigned i = 0; i < around.count; ++i) {
      const Rank beside = around.rank[i];
      if (known[i] && beside != parent && fourth_corner(partner, beside, rank) != kNoRank)
        return true;
    }
    return false;
  }

  std::optional<GuestGrid> conclude() {
    std::array<std::int32_t, kMaxGuestDimensions> low{};
    std::array<std::int32_t, kMaxGuestDimensions> high{};
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      for (unsigned d = 0; d < dimensions_ && placed_[rank]; ++d) {
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
    Occupants at(volume);
    grid.positions.resize(graph_.ranks());
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      if (!placed_[rank]) continue;
      std::uint32_t position = 0;
      for (unsigned d = dimensions_; d-- > 0;) {
        position =
            position * grid.shape[d] + static_cast<std::uint32_t>(coordinates(rank)[d] - low[d]);
      }
      if (at.taken(position)) return std::nullopt;
      at.put(position, rank);
      grid.positions[rank] = position;
    }
    if constexpr (kTolerant) fill_gaps(low.data(), at.rank, grid);
    if (!check_pairs(grid)) return std::nullopt;
    return grid;
  }

  // Whoever most of the ranks around a gap exchange with belongs there; the rest in any order.
  // `low` are the coordinates of the first place.
  void fill_gaps(const std::int32_t* low, std::vector<Rank>& at, GuestGrid& grid) {
    const auto put = [&](Rank rank, std::size_t position) {
      placed_[rank] = true;
      at[position] = rank;
      grid.positions[rank] = static_cast<std::uint32_t>(position);
      std::int32_t* coordinate = coordinates_.data() + std::size_t{rank} * dimensions_;
      for (unsigned d = 0; d < dimensions_; position /= grid.shape[d++])
        coordinate[d] = low[d] + static_cast<std::int32_t>(position % grid.shape[d]);
    };
    for (std::size_t position = 0; position < at.size(); ++position) {
      if (at[position] != kNoRank) continue;
      const Rank rank = most_called_for(position, at, grid.shape);
      if (rank != kNoRank) put(rank, position);
    }
    Rank next = 0;
    for (std::size_t position = 0; position < at.size(); ++position) {
      if (at[position] != kNoRank) continue;
      while (placed_[next]) ++next;
      put(next, position);
    }
  }

  // Of those who have no place, by the ranks around one; kNoRank if there is none.
  Rank most_called_for(std::size_t position, const std::vector<Rank>& at,
                       const std::vector<unsigned>& shape) const {
    std::vector<Rank> called;
    std::size_t stride = 1;
    for (const unsigned extent : shape) {
      const std::size_t coordinate = position / stride % extent;
      for (const bool up : {false, true}) {
        if (up ? coordinate + 1 == extent : coordinate == 0) continue;
        const Rank beside = at[up ? position + stride : position - stride];
        if (beside == kNoRank) continue;
        for (const auto& edge : graph_.partners(beside))
          if (!placed_[edge.partner]) called.push_back(edge.partner);
      }
      stride *= extent;
    }
    std::sort(called.begin(), called.end());
    Rank best = kNoRank;
    std::ptrdiff_t most = 0;
    for (auto first = called.begin(); first != called.end();) {
      const auto last = std::upper_bound(first, called.end(), *first);
      if (last - first > most) {
        most = last - first;
        best = *first;
      }
      first = last;
    }
    return best;
  }

  // Every pair must be one step apart in one dimension, or join the ends of one that is
  // thereby found to wrap. Among other traffic most of them must, and pairs that join the ends of
  // half of the rows.
  bool check_pairs(GuestGrid& grid) const {
    std::vector<std::size_t> closed(dimensions_);
    std::size_t all = 0;
    std::size_t beside = 0;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      for (const auto& edge : graph_.partners(rank)) {
        if (edge.partner < rank) continue;
        const bool is_step = is_one_step(grid, rank, edge.partner, closed);
        if (!is_step && !kTolerant) return false;
        ++all;
        beside += is_step ? 1 : 0;
      }
    }
    for (unsigned d = 0; d < dimensions_; ++d) {
      const std::size_t fewest = kTolerant ? graph_.ranks() / grid.shape[d] / 2 : 0;
      grid.wraps.push_back(closed[d] > fewest ? 1 : 0);
    }
    return static_cast<double>(beside) >= kMostPairs * static_cast<double>(all);
  }

  // Counts it where it joins the ends of a dimension.
  bool is_one_step(const GuestGrid& grid, Rank a, Rank b, std::vector<std::size_t>& closed) const {
    unsigned steps = 0;
    unsigned ring = dimensions_;
    for (unsigned d = 0; d < dimensions_; ++d) {
      const auto apart = static_cast<unsigned>(std::abs(coordinates(a)[d] - coordinates(b)[d]));
      const bool around = apart > 1 && apart == grid.shape[d] - 1;
      if (around) ring = d;
      steps += around ? 1 : apart;
    }
    if (steps == 1 && ring < dimensions_) ++closed[ring];
    return steps == 1;
  }

  const Graph& graph_;
  Rank root_ = 0;
  unsigned dimensions_ = 0;
  std::size_t visited_ = 0;   // ranks, in all attempts
  std::vector<bool> hub_;     // ranks with too many partners, if these are overlooked
  std::vector<bool> placed_;  // ranks that have coordinates
  std::array<Majority, kMaxGuestDimensions> rings_;  // by dimension: how long they are
  std::vector<std::uint8_t> directions_;             // 2 * dimensions_ of each rank
  std::vector<std::int32_t> coordinates_;            // dimensions_ of each rank
};

// By the pairs that are not light.
std::optional<GuestGrid> grid_among_others(const CommGraph& graph) {
  const Collectors collectors(graph, kMostTimesPartners * typical_partners(graph));
  const Bytes least = std::max<Bytes>(typical_strongest(graph, collectors) / 2, 1);
  const auto heavy = HeavyPairs::of(graph, least, graph.ranks());
  return Recogniser<HeavyPairs, true>(*heavy).run();
}

}  // namespace

std::optional<GuestGrid> recognise_grid(const std::vector<std::uint8_t>& degrees,
                                        const std::vector<Rank>& partners) {
  const UniformGraph graph(degrees, partners);
  return Recogniser(graph).run();
}

std::optional<GuestGrid> recognise_grid(const CommGraph& graph) {
  const Bytes strong = typical_strongest(graph, Collectors(graph, graph.ranks()));
  // All pairs, then without the light ones, then without those that may be diagonals.
  if (auto grid = Recogniser(graph).run()) return grid;
  for (const Bytes least : {strong / 16, strong / 2}) {
    const auto heavy = HeavyPairs::of(graph, std::max<Bytes>(least, 1), kMaxGuestPartners);
    if (!heavy) continue;
    if (auto grid = Recogniser(*heavy).run()) return grid;
  }
  for (const Bytes least : {Bytes{1}, strong / 16}) {
    if (auto grid = grid_of_cliques(graph, std::max<Bytes>(least, 1))) return grid;
  }
  return std::nullopt;
}

GuestGrid guest_grid(const CommGraph& graph) {
  if (auto grid = recognise_grid(graph)) return *std::move(grid);
  return grid_or_line(graph);
}

GuestGrid grid_or_line(const CommGraph& graph) {
  if (auto grid = grid_in_rank_order(graph)) return *std::move(grid);
  if (auto grid = grid_among_others(graph)) return *std::move(grid);
  GuestGrid line{{graph.ranks()}, {false}, std::vector<std::uint32_t>(graph.ranks())};
  std::iota(line.positions.begin(), line.positions.end(), 0U);
  return line;
}

}  // namespace tofa
