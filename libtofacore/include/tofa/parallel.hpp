// SPDX-License-Identifier: BSD-3-Clause
// Placing ranks whose traffic no single process holds: what each of several processes decides on
// its own part, and what all of them work out alike. Nothing here sends messages; who does calls
// these in turn (cli/parallel/).
//
// Ranks are cut in *pieces*, some to each process, and pieces in *groups* that fill a node. Groups
// are few: any process can place them, each from another start, and the best is taken. Then each
// piece is searched, with all other ranks where they are. Where ranks form a grid, groups are tiles
// of it, and no pieces are needed. Of the traffic a process holds the rows of its ranks; what it
// holds of all ranks is a number each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/guest_grid.hpp"
#include "tofa/place.hpp"

namespace tofa {

// For each of some ranks with whom it exchanges how many bytes, both ways.
struct RankRows {
  std::vector<Rank> ranks;  // ascending
  std::vector<std::uint64_t> offsets{0};
  std::vector<Rank> partners;  // ascending in a row
  std::vector<Bytes> bytes;
};

// Where parts begin that are as even as can be; parts + 1 numbers.
std::vector<Rank> even_bounds(Rank ranks, unsigned parts);

// Adds up what is told of the ranks from `first` on, to before `last`. Beside the sums so far it
// keeps half as much as these, or `spare` entries, before it adds those to them.
class RowCollector {
 public:
  RowCollector(Rank first, Rank last, std::size_t spare = std::size_t{1} << 18U)
      : first_(first), last_(last), spare_(spare) {}
  // Entries whose sender is one of the ranks; it is told of both directions of a pair in this way.
  // Throws Error when a sum exceeds 64 bits.
  void add(std::span<const TrafficEntry> entries);
  // The rows of all these ranks. To be called once.
  RankRows finish();

 private:
  void merge();

  Rank first_;
  Rank last_;
  std::size_t spare_;
  std::vector<TrafficEntry> entries_;
};

// The groups, in the order of the pieces that have them.
class GroupPlan {
 public:
  // Throws Error (unmet) when there are too few slots.
  GroupPlan(const Allocation& allocation, Rank ranks);
  std::uint32_t groups() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  // How many ranks the groups before this one have.
  Rank begin(std::uint32_t group) const { return begin_[group]; }
  // Slots for groups.
  const Allocation& nodes() const { return nodes_; }
  // Which group each piece begins with, one more than pieces, so that pieces of whole groups are as
  // near in size to these as can be.
  std::vector<std::uint32_t> cut_near(const std::vector<std::uint64_t>& sizes) const;
  // How many ranks each of the groups from one to before another has.
  std::vector<std::uint32_t> sizes(std::uint32_t from, std::uint32_t to) const;

 private:
  std::vector<Rank> begin_;
  Allocation nodes_;
};

// What these rows send across the borders of tiles of all shapes; over all processes, it is the sum
// of these numbers that find_tiles is to be given.
std::vector<double> border_traffic(const RankRows& rows, const GuestGrid& grid);
// The tile of every rank, all of so many ranks, in the shape that the least traffic crosses the
// borders of; empty where no box of that size divides the grid. Tiles are groups then.
std::vector<std::uint32_t> find_tiles(const GuestGrid& grid, const std::vector<double>& borders,
                                      unsigned size);

// A rank of a piece that talks to ranks of a piece beside it.
struct BorderRank {
  Rank rank;
  std::uint32_t to;
};
// At most so many of them for any two pieces, among the ranks that these are the rows of.
std::vector<BorderRank> border_ranks(const RankRows& rows,
                                     const std::vector<std::uint32_t>& piece_of, unsigned most);
// Moves as few ranks as possible, those of the border first, so that pieces have exactly the groups
// that begin at `first_group`.
void settle_pieces(const GroupPlan& plan, const std::vector<std::uint32_t>& first_group,
                   const std::vector<BorderRank>& border, std::vector<std::uint32_t>& piece_of);

// The group of each of the members, which are rows of a piece, by index; groups count from 0.
std::vector<std::uint32_t> cut_in_groups(const RankRows& rows,
                                         const std::vector<std::uint32_t>& members,
                                         const std::vector<std::uint32_t>& sizes,
                                         std::uint64_t seed);

// What the groups of these rows exchange with groups that have a higher number.
std::vector<TrafficEntry> group_traffic(const RankRows& rows,
                                        const std::vector<std::uint32_t>& group_of,
                                        std::uint32_t groups);

// Better nodes for the members, by exchanging places among them while all other ranks stay; so many
// moves are tried for each. `nodes` are those of all ranks.
Mapping refine_piece(const RankRows& rows, const std::vector<std::uint32_t>& members,
                     const Mapping& nodes, const Topology& topology, std::uint64_t moves_per_rank,
                     std::uint64_t seed);

// Half of the hop-bytes of these rows, and of their bytes: over all processes, each pair once.
struct RowCost {
  double hop_bytes = 0;
  double bytes = 0;
};
RowCost cost_of_rows(const RankRows& rows, const Mapping& nodes, const Topology& topology);

// Moves ranks off nodes that hold more than they have slots.
void respect_slots(Mapping& nodes, const Topology& topology, const Allocation& allocation);

}  // namespace tofa
