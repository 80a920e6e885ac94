// SPDX-License-Identifier: BSD-3-Clause
// Looked for once: see recognised.hpp.
#include "mapping/tools/recognised.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/lanes.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/loose_parts.hpp"
#include "mapping/tools/strong_pairs.hpp"
#include "mapping/tools/tiling.hpp"

namespace tofa {

namespace {

// Of the bytes, those that go from tile to tile.
double share_between(const CommGraph& graph, const std::vector<std::uint32_t>& tile) {
  double crossing = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank))
      crossing += tile[partner] == tile[rank] ? 0 : static_cast<double>(bytes) / 2;
  }
  return crossing / static_cast<double>(std::max<Bytes>(graph.total_bytes(), 1));
}

}  // namespace

void Recognised::look_ahead() const {
  constexpr std::size_t many = 1U << 14U;  // of fewer it takes no time
  if (graph_.pairs() < many) return;
  run_lanes([this](unsigned lane) {
    if (lane == 0) return static_cast<void>(gapped_grid());
    partners_of_a_draw();
    loose_parts();
  });
}

const GuestGrid* Recognised::exact_grid() const {
  std::call_once(looked_for_exact_, [this] { exact_ = recognise_grid(graph_); });
  return exact_ ? &*exact_ : nullptr;
}

const GuestGrid& Recognised::grid() const {
  if (const GuestGrid* exact = exact_grid()) return *exact;
  std::call_once(looked_for_any_, [this] { near_ = grid_or_line(graph_); });
  return *near_;
}

const GappedGrid* Recognised::gapped_grid() const {
  constexpr Rank very_many = 50'000;
  std::call_once(looked_for_gaps_, [this] {
    if (exact_grid() != nullptr || graph_.ranks() > very_many) return;
    gapped_ = recognise_gapped_grid(graph_);
  });
  return gapped_ ? &*gapped_ : nullptr;
}

const std::vector<std::uint32_t>* Recognised::tiles(unsigned size) const {
  // Ranks in pairs with their strongest partners would keep more together.
  constexpr double torn = 1.1;
  const std::lock_guard lock(tiling_);
  const auto [at, is_new] = tiles_.try_emplace(size);
  Tiles& tiles = at->second;
  if (is_new) {
    tiles.shapes = tilings(size, 1);
    if (!tiles.shapes.empty()) tiles.share_between = share_between(graph_, tiles.shapes.front());
    if (tiles.share_between > torn * (1 - share_of_strongest())) tiles.shapes.clear();
  }
  return tiles.shapes.empty() ? nullptr : &tiles.shapes.front();
}

double Recognised::share_between_tiles(unsigned size) const {
  if (tiles(size) == nullptr) return HUGE_VAL;
  const std::lock_guard lock(tiling_);
  return tiles_.at(size).share_between;
}

std::vector<std::vector<std::uint32_t>> Recognised::tilings(unsigned size, std::size_t most) const {
  if (const GuestGrid* guest = exact_grid()) return groups_in_boxes(graph_, *guest, size, most);
  if (const GappedGrid* gapped = gapped_grid()) return groups_in_tiles(graph_, *gapped, size, most);
  return {};
}

const CommGraph* Recognised::backbone() const {
  std::call_once(looked_for_backbone_, [this] { backbone_ = tofa::backbone(graph_); });
  return backbone_ ? &*backbone_ : nullptr;
}

const std::vector<std::vector<Rank>>& Recognised::loose_parts() const {
  std::call_once(looked_for_parts_, [this] { parts_ = tofa::loose_parts(graph_, backbone()); });
  return parts_;
}

double Recognised::share_of_strongest() const {
  std::call_once(looked_for_strongest_,
                 [this] { share_of_strongest_ = tofa::share_of_strongest(graph_); });
  return share_of_strongest_;
}

double Recognised::share_between_clusters(unsigned size) const {
  const std::lock_guard lock(joining_);
  const auto [at, is_new] = between_clusters_.try_emplace(size);
  if (is_new) at->second = tofa::share_between_clusters(graph_, size);
  return at->second;
}

double Recognised::partners_of_a_draw() const {
  std::call_once(looked_for_draws_,
                 [this] { partners_of_a_draw_ = tofa::partners_of_a_draw(graph_); });
  return partners_of_a_draw_;
}

}  // namespace tofa
