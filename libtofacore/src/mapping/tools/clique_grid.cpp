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
    if (graph_.ranks() < 4 || !find_axes() || !fill()) return std::nullopt;
    if (!all_pairs_are_in_rows()) return std::nullopt;
    GuestGrid grid;
    for (const auto& axis : axes_) grid.shape.push_back(static_cast<unsigned>(axis.size()));
    grid.wraps.assign(axes_.size(), 0);
    grid.positions = std::move(positions_);
    return grid;
  }

 private:
  static constexpr Rank kNobody = std::numeric_limits<Rank>::max();

  std::vector<Rank> partners(Rank rank) const {
    std::vector<Rank> result;
    for (const CommEdge& edge : graph_.partners(rank))
      if (edge.bytes >= least_) result.push_back(edge.partner);
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

  // The common partner of two ranks other than `except`; kNobody if there is none.
  Rank fourth_corner(Rank a, Rank b, Rank except) const {
    const auto of_a = graph_.partners(a);
    const auto of_b = graph_.partners(b);
    for (auto i = of_a.begin(), j = of_b.begin(); i != of_a.end() && j != of_b.end();) {
      const Rank left = (*i).partner;
      const Rank right = (*j).partner;
      if (left == right && left != except && (*i).bytes >= least_ && (*j).bytes >= least_)
        return left;
      if (left <= right) ++i;
      if (right <= left) ++j;
    }
    return kNobody;
  }

  // From the first row to a plane, from that to a block, and so on: whoever stands beside somebody
  // in a row that is known, closes a square with it and with who is known of the next row.
  bool fill() {
    at_.assign(graph_.ranks(), kNobody);
    at_[0] = 0;
    std::uint32_t stride = 1;
    for (const auto& axis : axes_) {
      for (std::uint32_t step = 1; step < axis.size(); ++step) {
        at_[std::size_t{step} * stride] = axis[step];
        for (std::uint32_t low = 1; low < stride; ++low) {
          const std::uint32_t before = below(low);
          const Rank corner =
              fourth_corner(at_[low], at_[std::size_t{step} * stride + before], at_[before]);
          if (corner == kNobody) return false;
          at_[std::size_t{step} * stride + low] = corner;
        }
      }
      stride *= static_cast<std::uint32_t>(axis.size());
    }
    positions_.assign(graph_.ranks(), kNobody);
    for (std::uint32_t position = 0; position < at_.size(); ++position)
      positions_[at_[position]] = position;
    return std::find(positions_.begin(), positions_.end(), kNobody) == positions_.end();
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

  bool all_pairs_are_in_rows() const {
    std::size_t in_rows = 0;
    for (const auto& axis : axes_) in_rows += axis.size() - 1;
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      std::size_t count = 0;
      for (const CommEdge& edge : graph_.partners(rank)) {
        if (edge.bytes < least_) continue;
        ++count;
        if (edge.partner > rank && !are_in_a_row(rank, edge.partner)) return false;
      }
      if (count != in_rows) return false;
    }
    return true;
  }

  bool are_in_a_row(Rank a, Rank b) const {
    std::uint32_t of_a = positions_[a];
    std::uint32_t of_b = positions_[b];
    unsigned differ = 0;
    for (const auto& axis : axes_) {
      const auto extent = static_cast<std::uint32_t>(axis.size());
      differ += of_a % extent == of_b % extent ? 0 : 1;
      of_a /= extent;
      of_b /= extent;
    }
    return differ == 1;
  }

  const CommGraph& graph_;
  const Bytes least_;
  std::vector<std::vector<Rank>> axes_;   // by dimension: the row that begins with rank 0
  std::vector<Rank> at_;                  // by position
  std::vector<std::uint32_t> positions_;  // by rank
};

}  // namespace

std::optional<GuestGrid> grid_of_cliques(const CommGraph& graph, Bytes least) {
  return CliqueGrid(graph, least).run();
}

}  // namespace tofa
