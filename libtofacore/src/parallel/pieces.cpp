// SPDX-License-Identifier: BSD-3-Clause
// Which ranks make a piece, and a group: a partitioner balances pieces roughly, and nodes have room
// for so many ranks and no more.
#include <algorithm>
#include <map>
#include <numeric>

#include "mapping/allocation.hpp"
#include "mapping/seats/grouping.hpp"
#include "mapping/seats/seat_plan.hpp"
#include "mapping/tools/multisection.hpp"
#include "tofa/error.hpp"
#include "tofa/parallel.hpp"

namespace tofa {
namespace {

std::vector<std::uint64_t> sizes_of_pieces(const std::vector<std::uint32_t>& piece_of,
                                           std::size_t pieces) {
  std::vector<std::uint64_t> sizes(pieces);
  for (const std::uint32_t piece : piece_of) ++sizes[piece];
  return sizes;
}

// Ranks that are left over in pieces, to pieces that lack some, wherever these are.
void move_the_rest(const std::vector<std::uint64_t>& wanted, std::vector<std::uint64_t>& sizes,
                   std::vector<std::uint32_t>& piece_of) {
  std::uint32_t lacking = 0;
  for (std::uint32_t& piece : piece_of) {
    while (lacking < wanted.size() && sizes[lacking] >= wanted[lacking]) ++lacking;
    if (lacking == wanted.size()) return;
    if (sizes[piece] <= wanted[piece]) continue;
    --sizes[piece];
    piece = lacking;
    ++sizes[lacking];
  }
}

}  // namespace

GroupPlan::GroupPlan(const Allocation& allocation, Rank ranks) {
  check_slots(allocation, ranks);
  Grouping grouping = choose_grouping(allocation);
  nodes_ = std::move(grouping.nodes);
  std::uint64_t sum = 0;
  begin_.push_back(0);
  for (const std::uint32_t size : sizes_of_groups(grouping, ranks)) {
    sum += size;
    begin_.push_back(static_cast<Rank>(std::min<std::uint64_t>(sum, ranks)));
  }
}

std::vector<std::uint32_t> GroupPlan::cut_near(const std::vector<std::uint64_t>& sizes) const {
  std::vector<std::uint32_t> first{0};
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes) {
    sum += size;
    const auto after = std::lower_bound(begin_.begin() + first.back(), begin_.end(), sum);
    auto cut = std::min(after, begin_.end() - 1);
    if (cut != begin_.begin() + first.back() && *cut > sum && *cut - sum > sum - *(cut - 1)) --cut;
    first.push_back(static_cast<std::uint32_t>(cut - begin_.begin()));
  }
  first.back() = groups();
  return first;
}

std::vector<std::uint32_t> GroupPlan::sizes(std::uint32_t from, std::uint32_t to) const {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t group = from; group < to; ++group)
    sizes.push_back(begin_[group + 1] - begin_[group]);
  return sizes;
}

std::vector<BorderRank> border_ranks(const RankRows& rows,
                                     const std::vector<std::uint32_t>& piece_of, unsigned most) {
  std::vector<BorderRank> found;
  std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> count;
  for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
    const std::uint32_t mine = piece_of[rows.ranks[row]];
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const std::uint32_t other = piece_of[rows.partners[i]];
      if (other != mine + 1 && mine != other + 1) continue;
      if (++count[{mine, other}] <= most) found.push_back({rows.ranks[row], other});
      break;  // once
    }
  }
  return found;
}

void settle_pieces(const GroupPlan& plan, const std::vector<std::uint32_t>& first_group,
                   const std::vector<BorderRank>& border, std::vector<std::uint32_t>& piece_of) {
  const std::size_t pieces = first_group.size() - 1;
  std::vector<std::uint64_t> sizes = sizes_of_pieces(piece_of, pieces);
  std::vector<std::uint64_t> wanted;
  // What crosses from each piece to the next so that both fit; less than a group, mostly.
  std::vector<std::int64_t> to_next;
  std::int64_t surplus = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    wanted.push_back(plan.begin(first_group[piece + 1]) - plan.begin(first_group[piece]));
    surplus += static_cast<std::int64_t>(sizes[piece]) - static_cast<std::int64_t>(wanted.back());
    to_next.push_back(surplus);
  }
  for (const auto& [rank, to] : border) {
    const std::uint32_t from = piece_of[rank];
    const bool onwards = to == from + 1;
    if (!onwards && from != to + 1) continue;  // moved meanwhile
    std::int64_t& flow = to_next[std::min(from, to)];
    if (onwards ? flow <= 0 : flow >= 0) continue;
    flow += onwards ? -1 : 1;
    piece_of[rank] = to;
    --sizes[from];
    ++sizes[to];
  }
  move_the_rest(wanted, sizes, piece_of);
}

std::vector<std::uint32_t> cut_in_groups(const RankRows& rows,
                                         const std::vector<std::uint32_t>& members,
                                         const std::vector<std::uint32_t>& sizes,
                                         std::uint64_t seed) {
  if (sizes.size() < 2) return std::vector<std::uint32_t>(members.size(), 0);
  constexpr std::uint32_t outside = ~std::uint32_t{0};
  const Rank highest = members.empty() ? 0 : rows.ranks[members.back()];
  std::vector<std::uint32_t> index_of(std::size_t{highest} + 1, outside);
  for (std::uint32_t i = 0; i < members.size(); ++i) index_of[rows.ranks[members[i]]] = i;
  PartitionGraph graph;
  std::uint64_t most = 0;
  double bytes = 0;  // from both ends
  for (const std::uint32_t row : members) {
    most += rows.offsets[row + 1] - rows.offsets[row];
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i)
      bytes += static_cast<double>(rows.bytes[i]);
  }
  const TrafficWeights weight_of(bytes / 2);
  graph.edges.reserve(most);
  for (const std::uint32_t row : members) {
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      const Rank partner = rows.partners[i];
      if (partner <= highest && index_of[partner] != outside)
        graph.edges.push_back({index_of[partner], weight_of(rows.bytes[i])});
    }
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
  }
  index_of = {};
  graph.sizes.assign(members.size(), 1);
  graph.bias.assign(members.size(), 0);
  RandomSource random(seed);
  return cut_in_parts(graph, sizes, random);
}

std::vector<TrafficEntry> group_traffic(const RankRows& rows,
                                        const std::vector<std::uint32_t>& group_of,
                                        std::uint32_t groups) {
  std::vector<std::uint32_t> by_group(rows.ranks.size());
  std::iota(by_group.begin(), by_group.end(), 0U);
  const auto group_of_row = [&](std::uint32_t row) { return group_of[rows.ranks[row]]; };
  std::stable_sort(by_group.begin(), by_group.end(), [&](std::uint32_t a, std::uint32_t b) {
    return group_of_row(a) < group_of_row(b);
  });
  std::vector<TrafficEntry> traffic;
  std::vector<std::size_t> place(groups,
                                 0);  // 1 + where the entry to a group is, once there is one
  std::size_t first = 0;              // of the entries of the group that is on
  for (std::size_t i = 0; i < by_group.size(); ++i) {
    const std::uint32_t row = by_group[i];
    const std::uint32_t mine = group_of_row(row);
    if (i > 0 && mine != group_of_row(by_group[i - 1])) first = traffic.size();
    for (std::uint64_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
      const std::uint32_t other = group_of[rows.partners[e]];
      if (other <= mine) continue;
      if (place[other] <= first) {
        traffic.push_back({mine, other, 0});
        place[other] = traffic.size();
      }
      std::uint64_t& sum = traffic[place[other] - 1].value;
      if (__builtin_add_overflow(sum, rows.bytes[e], &sum)) {
        throw Error(ErrorKind::bad_input,
                    "the traffic of two groups of ranks adds up to more than 2^64 bytes; use a "
                    "larger unit");
      }
    }
  }
  return traffic;
}

void respect_slots(Mapping& nodes, const Topology& topology, const Allocation& allocation) {
  repair_slots(nodes, topology, allocation);
}

}  // namespace tofa
