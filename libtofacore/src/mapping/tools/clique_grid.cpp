// SPDX-License-Identifier: BSD-3-Clause
// Rows that know each other: see clique_grid.hpp.
#include "mapping/tools/clique_grid.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace tofa {
namespace {

class CliqueGrid {
 public:
  CliqueGrid(const CommGraph& graph, Bytes least) : graph_(graph), least_(least) {}

  std::optional<GuestGrid> run() {
    if (graph_.ranks() < 4 || !find_axes() || !all_have_as_many_partners()) return std::nullopt;
    if (!fill() || !all_pairs_are_in_rows()) return std::nullopt;
    GuestGrid grid;
    for (const auto& axis : axes_) grid.shape.push_back(static_cast<unsigned>(axis.size()));
    grid.wraps.assign(axes_.size(), 0);
    grid.positions = std::move(positions_);
    return grid;
  }

 private:
  bool counts(const CommEdge& edge) const { return edge.bytes >= least_; }

  std::vector<Rank> partners(Rank rank) const {
    std::vector<Rank> result;
    for (const CommEdge& edge : graph_.partners(rank))
      if (counts(edge)) result.push_back(edge.partner);
    return result;
  }

  // The rows of the first rank in all dimensions: its partners, by who knows whom. What does not
  // make up all ranks is no such grid.
  bool find_axes() {
    std::vector<Rank> left = partners(0);
    std::uint64_t volume = 1;
    while (!left.empty()) {
      const std::vector<Rank> known = partners(left.front());
      std::vector<Rank> axis{0, left.front()};
      std::vector<Rank> others;
      for (const Rank rank : left) {
        if (rank == left.front()) continue;
        (std::binary_search(known.begin(), known.end(), rank) ? axis : others).push_back(rank);
      }
      volume *= axis.size();
      if (axes_.size() == kMaxGuestDimensions || volume > graph_.ranks()) return false;
      axes_.push_back(std::move(axis));
      left = std::move(others);
    }
    return axes_.size() > 1 && volume == graph_.ranks();
  }

  // The common partner of two ranks other than `except`; kNoRank if there is none. The second one
  // is mostly the same as before.
  Rank fourth_corner(Rank a, Rank b, Rank except) {
    if (b != marked_) {
      marked_ = b;
      for (const CommEdge& edge : graph_.partners(b))
        if (counts(edge)) partner_of_[edge.partner] = b;
    }
    for (const CommEdge& edge : graph_.partners(a)) {
      const Rank partner = edge.partner;
      if (partner_of_[partner] == b && partner != except && counts(edge)) return partner;
    }
    return kNoRank;
  }

  // From the first row to a plane, from that to a block, and so on: whoever stands beside somebody
  // in a row that is known, closes a square with it and with who is known of the next row.
  bool fill() {
    at_.assign(graph_.ranks(), kNoRank);
    partner_of_.assign(graph_.ranks(), kNoRank);
    at_[0] = 0;
    std::uint32_t stride = 1;
    for (const auto& axis : axes_) {
      for (std::uint32_t step = 1; step < axis.size(); ++step) {
        at_[std::size_t{step} * stride] = axis[step];
        for (std::uint32_t low = 1; low < stride; ++low) {
          const std::uint32_t before = below(low);
          const Rank corner =
              fourth_corner(at_[low], at_[std::size_t{step} * stride + before], at_[before]);
          if (corner == kNoRank) return false;
          at_[std::size_t{step} * stride + low] = corner;
        }
      }
      stride *= static_cast<std::uint32_t>(axis.size());
    }
    positions_.assign(graph_.ranks(), kNoRank);
    for (std::uint32_t position = 0; position < at_.size(); ++position)
      positions_[at_[position]] = position;
    return std::find(positions_.begin(), positions_.end(), kNoRank) == positions_.end();
  }

  // Of a position other than the first, one that differs from it in one dimension and comes before.
  std::uint32_t below(std::uint32_t position) const {
    std::uint32_t stride = 1;
    for (const auto& axis : axes_) {
      const auto extent = static_cast<std::uint32_t>(axis.size());
      const std::uint32_t coordinate = position / stride % extent;
      if (coordinate > 0) return position - coordinate * stride;
      stride *= extent;
    }
    return 0;
  }

  bool all_have_as_many_partners() const {
    std::ptrdiff_t in_rows = 0;
    for (const auto& axis : axes_) in_rows += std::ssize(axis) - 1;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      const auto partners = graph_.partners(rank);
      const auto count = std::count_if(partners.begin(), partners.end(),
                                       [this](const CommEdge& edge) { return counts(edge); });
      if (count != in_rows) return false;
    }
    return true;
  }

  // And exchange about as much in a row: else ranks in it are not alike, and had better not lie in
  // any order.
  bool all_pairs_are_in_rows() {
    constexpr Bytes about = 4;  // times as much
    struct Range {
      Bytes least = std::numeric_limits<Bytes>::max();
      Bytes most = 0;
    };
    std::vector<Range> ranges(axes_.size());
    tell_coordinates();
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      for (const CommEdge& edge : graph_.partners(rank)) {
        if (edge.partner < rank || !counts(edge)) continue;
        const std::optional<std::size_t> row = row_of(rank, edge.partner);
        if (!row) return false;
        ranges[*row].least = std::min(ranges[*row].least, Bytes{edge.bytes});
        ranges[*row].most = std::max(ranges[*row].most, Bytes{edge.bytes});
      }
    }
    return std::all_of(ranges.begin(), ranges.end(),
                       [](const Range& range) { return range.most / about <= range.least; });
  }

  void tell_coordinates() {
    coordinates_.clear();
    for (std::uint32_t position : positions_) {
      for (const auto& axis : axes_) {
        const auto extent = static_cast<std::uint32_t>(axis.size());
        coordinates_.push_back(position % extent);
        position /= extent;
      }
    }
  }

  // The only dimension in which two ranks differ.
  std::optional<std::size_t> row_of(Rank a, Rank b) const {
    const std::size_t dimensions = axes_.size();
    const std::uint32_t* const of_a = &coordinates_[a * dimensions];
    const std::uint32_t* const of_b = &coordinates_[b * dimensions];
    std::optional<std::size_t> row;
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (of_a[d] == of_b[d]) continue;
      if (row) return std::nullopt;
      row = d;
    }
    return row;
  }

  const CommGraph& graph_;
  const Bytes least_;
  std::vector<std::vector<Rank>> axes_;     // by dimension: the row that begins with rank 0
  std::vector<Rank> at_;                    // by position
  std::vector<std::uint32_t> positions_;    // by rank
  std::vector<std::uint32_t> coordinates_;  // of all dimensions, rank by rank
  Rank marked_ = kNoRank;                   // of which partner_of_ tells the partners
  std::vector<Rank> partner_of_;
};

}  // namespace

std::optional<GuestGrid> grid_of_cliques(const CommGraph& graph, Bytes least) {
  return CliqueGrid(graph, least).run();
}

}  // namespace tofa
