// SPDX-License-Identifier: BSD-3-Clause
// Many parts of a large graph: see many_parts.hpp.
#include "mapping/tools/many_parts.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr double kCoarsePerPart = 6;  // vertices that a part has at least when it is cut off
constexpr double kFewestCoarse = 4000;
constexpr double kStillShrinks = 0.9;
constexpr int kSmoothings = 3;          // passes over the vertices of a level
constexpr int kExchanges = 3;           // passes over all vertices
constexpr double kLargeParts = 256;     // vertices of which single ones do not matter
constexpr std::size_t kHub = 1000;      // partners of a vertex that stays where it is
constexpr double kSettled = 1.0 / 256;  // of the vertices: a pass that moves fewer is the last

// Parts whose vertices move to where more of their partners are.
class Borders {
 public:
  Borders(const PartitionGraph& graph, const std::vector<std::uint32_t>& sizes,
          std::vector<std::uint32_t>& parts)
      : graph_(graph), wanted_(sizes), parts_(parts), load_(sizes.size()), pull_(sizes.size()) {
    for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
      load_[parts[v]] += graph.sizes[v];
      largest_ = std::max(largest_, graph.sizes[v]);
    }
  }

  // What is too much in a part goes to its neighbours as far as these have room.
  void tighten() {
    tight_ = true;
    for (std::uint32_t v = 0; v < graph_.vertices(); ++v) improve(v);
  }
  void smooth() {
    for (int pass = 0; pass < kSmoothings; ++pass) {
      std::uint32_t moved = 0;
      for (std::uint32_t v = 0; v < graph_.vertices(); ++v) moved += improve(v) ? 1 : 0;
      if (moved <= kSettled * graph_.vertices()) return;
    }
  }

  // Two vertices change places where that gains something: sizes are exact, and no vertex can go
  // alone. After `even_out`.
  void exchange() {
    for (int pass = 0; pass < kExchanges; ++pass) {
      std::uint32_t done = 0;
      for (std::uint32_t v = 0; v < graph_.vertices(); ++v) done += exchange(v) ? 1 : 0;
      if (done <= kSettled * graph_.vertices()) return;
    }
  }

  // Makes the sizes exact, where all vertices have size 1: what is too much in a part moves on from
  // one part to the next, up to one that has room.
  void even_out() {
    list_members();
    from_.assign(load_.size(), kNone);
    for (std::uint32_t part = 0; part < load_.size(); ++part) {
      while (load_[part] > wanted_[part]) pass_on_from(part);
    }
  }

 private:
  std::span<const PartitionGraph::Edge> edges_of(std::uint32_t v) const {
    return {graph_.edges.data() + graph_.offsets[v], graph_.edges.data() + graph_.offsets[v + 1]};
  }

  std::uint32_t most_in(std::uint32_t part) const { return wanted_[part] + slack_of(part); }

  // On the way parts may be larger than they will be: moves of single vertices need room.
  std::uint32_t slack_of(std::uint32_t part) const {
    return tight_ ? 0 : std::max(largest_, wanted_[part] / 8);
  }

  // Of each part near a vertex on it.
  void add_up_pulls(std::uint32_t v) {
    near_.clear();
    for (const auto& [to, weight] : edges_of(v)) {
      if (std::exchange(pull_[parts_[to]], pull_[parts_[to]] + weight) == 0)
        near_.push_back(parts_[to]);
    }
  }

  bool improve(std::uint32_t v) {
    const std::uint32_t own = parts_[v];
    const auto edges = edges_of(v);
    if (std::all_of(edges.begin(), edges.end(),
                    [&](const auto& edge) { return parts_[edge.to] == own; })) {
      return false;
    }
    add_up_pulls(v);
    const std::int64_t stay = pull_[own];
    const bool too_large = load_[own] > most_in(own);
    std::uint32_t best = own;
    std::int64_t most = too_large ? -1 : stay;
    for (const std::uint32_t part : near_) {
      if (part == own || load_[part] + graph_.sizes[v] > most_in(part)) continue;
      const bool evener = load_[part] + graph_.sizes[v] < load_[best];
      if (pull_[part] > most || (pull_[part] == most && evener)) {
        best = part;
        most = pull_[part];
      }
    }
    for (const std::uint32_t part : near_) pull_[part] = 0;
    if (best == own) return false;
    load_[own] -= graph_.sizes[v];
    load_[best] += graph_.sizes[v];
    parts_[v] = best;
    return most > stay;
  }

  // The part that pulls most, and by how much more than its own.
  std::pair<std::uint32_t, std::int64_t> strongest(std::uint32_t v) {
    add_up_pulls(v);
    const std::uint32_t own = parts_[v];
    std::pair<std::uint32_t, std::int64_t> best{own, 0};
    for (const std::uint32_t part : near_) {
      if (pull_[part] - pull_[own] > best.second) best = {part, pull_[part] - pull_[own]};
    }
    for (const std::uint32_t part : near_) pull_[part] = 0;
    return best;
  }

  bool exchange(std::uint32_t v) {
    const auto [there, gain] = strongest(v);
    if (gain <= 0) return false;
    const std::uint32_t here = parts_[v];
    std::vector<std::uint32_t>& others = members_[there];
    std::size_t best = others.size();
    std::int64_t most = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (edges_of(others[i]).size() > kHub) continue;
      std::int64_t sum = gain;
      for (const auto& [to, weight] : edges_of(others[i])) {
        if (to == v) sum -= 2 * std::int64_t{weight};
        if (parts_[to] == here) sum += weight;
        if (parts_[to] == there) sum -= weight;
      }
      if (sum <= most) continue;
      most = sum;
      best = i;
    }
    if (best == others.size()) return false;
    parts_[v] = there;
    parts_[others[best]] = here;
    *std::find(members_[here].begin(), members_[here].end(), v) = std::exchange(others[best], v);
    return true;
  }

  void list_members() {
    members_.assign(load_.size(), {});
    for (std::uint32_t v = 0; v < parts_.size(); ++v) members_[parts_[v]].push_back(v);
  }

  // One vertex less in `part`, and one more in the nearest part with room.
  void pass_on_from(std::uint32_t part) {
    std::uint32_t there = nearest_with_room(part);
    while (there != part) {
      const std::uint32_t before = from_[there];
      move_one(before, there);
      there = before;
    }
    for (const std::uint32_t seen : queue_) from_[seen] = kNone;
  }

  // By how many borders are in between; `from_` has the way. When there is none nearby, the first
  // in the list.
  std::uint32_t nearest_with_room(std::uint32_t part) {
    constexpr std::size_t nearby = 24;
    queue_.assign(1, part);
    from_[part] = part;
    for (std::size_t next = 0; next < std::min(queue_.size(), nearby); ++next) {
      const std::uint32_t at = queue_[next];
      for (const std::uint32_t v : members_[at]) {
        if (edges_of(v).size() > kHub) continue;
        for (const auto& [to, weight] : edges_of(v)) {
          const std::uint32_t other = parts_[to];
          if (from_[other] != kNone) continue;
          from_[other] = at;
          queue_.push_back(other);
          if (load_[other] < wanted_[other]) return other;
        }
      }
    }
    while (load_[first_with_room_] >= wanted_[first_with_room_]) ++first_with_room_;
    from_[first_with_room_] = part;
    queue_.push_back(first_with_room_);
    return first_with_room_;
  }

  // The vertex that loses the least by it.
  void move_one(std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t>& members = members_[from];
    std::size_t best = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (edges_of(members[i]).size() > kHub) continue;
      std::int64_t gain = 0;
      for (const auto& [partner, weight] : edges_of(members[i])) {
        if (parts_[partner] == to) gain += weight;
        if (parts_[partner] == from) gain -= weight;
      }
      if (gain <= most) continue;
      most = gain;
      best = i;
    }
    const std::uint32_t v = members[best];
    members[best] = members.back();
    members.pop_back();
    members_[to].push_back(v);
    parts_[v] = to;
    --load_[from];
    ++load_[to];
  }

  const PartitionGraph& graph_;
  const std::vector<std::uint32_t>& wanted_;
  std::vector<std::uint32_t>& parts_;
  std::uint32_t largest_ = 1;
  bool tight_ = false;
  std::vector<std::uint32_t> load_;                  // by part
  std::vector<std::int64_t> pull_;                   // of parts on the vertex at hand
  std::vector<std::uint32_t> near_;                  // parts that pull
  std::vector<std::vector<std::uint32_t>> members_;  // by part
  std::vector<std::uint32_t> from_;                  // by part: the one before it on a way
  std::vector<std::uint32_t> queue_;
  std::uint32_t first_with_room_ = 0;
};

}  // namespace

double vertices_cut_by_halves(double vertices, double parts) {
  return std::min(vertices, 1.5 * std::max(kFewestCoarse, kCoarsePerPart * parts));
}

std::vector<std::uint32_t> cut_in_many_parts(PartitionGraph graph,
                                             const std::vector<std::uint32_t>& sizes,
                                             RandomSource& random, const Stop& stop) {
  const auto enough = static_cast<std::uint32_t>(
      std::max(kFewestCoarse, kCoarsePerPart * static_cast<double>(sizes.size())));
  const auto most = std::max<std::uint64_t>(2, 2 * graph.vertices() / enough);
  std::vector<PartitionGraph> finer;
  std::vector<std::vector<std::uint32_t>> coarse_of;
  while (graph.vertices() > enough) {
    CoarserGraph coarser = coarsen(graph, random, most);
    if (coarser.graph.vertices() > kStillShrinks * graph.vertices()) break;
    finer.push_back(std::exchange(graph, std::move(coarser.graph)));
    coarse_of.push_back(std::move(coarser.coarse_of));
  }
  std::vector<std::uint32_t> parts = cut_side_by_side(graph, sizes, random, stop);
  if (finer.empty()) return parts;
  for (;;) {
    Borders borders(graph, sizes, parts);
    if (!stop()) borders.smooth();
    if (finer.empty()) {
      borders.tighten();
      borders.even_out();
      if (graph.vertices() < kLargeParts * sizes.size() && !stop()) borders.exchange();
      return parts;
    }
    std::vector<std::uint32_t> next(finer.back().vertices());
    for (std::uint32_t v = 0; v < next.size(); ++v) next[v] = parts[coarse_of.back()[v]];
    parts = std::move(next);
    graph = std::move(finer.back());
    finer.pop_back();
    coarse_of.pop_back();
  }
}

}  // namespace tofa
