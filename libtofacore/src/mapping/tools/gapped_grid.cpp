// SPDX-License-Identifier: BSD-3-Clause
// Classes of pairs: see gapped_grid.hpp. First a few ranks are looked at, whose partners have
// to close squares as they do inside a grid; then all ranks, from each of which whoever is reached
// by two ways is the far corner of a square.
#include "mapping/tools/gapped_grid.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "mapping/tools/backbone.hpp"
#include "mapping/tools/heavy_pairs.hpp"
#include "mapping/tools/squares.hpp"
#include "mapping/tools/tiling.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kUnknown = kNoPair;
constexpr std::size_t kMostClasses = 1024;
constexpr unsigned kMostPlaces = 8;  // for each rank

class GappedGridSearch {
 public:
  GappedGridSearch(const CommGraph& graph, const NumberedPairs& pairs)
      : graph_(graph), pairs_(pairs), around_(pairs), classes_(pairs.pairs()) {}

  std::optional<GappedGrid> run() {
    if (!looks_like_one() || !find_classes() || !number_classes() || !find_dimensions()) return {};
    if (!place()) return {};
    return conclude();
  }

 private:
  struct Place {
    unsigned dimension = 0;
    std::uint32_t at = 0;  // joins this coordinate and the next
  };

  bool is_leaf(Rank rank) const { return pairs_.degree(rank) == 1; }

  // Whether a few ranks look as those of a grid do: most of their partners close squares.
  bool looks_like_one() {
    constexpr Rank looks = 16;
    unsigned closed = 0;
    unsigned all = 0;
    const Rank step = std::max<Rank>(pairs_.ranks() / looks, 1);
    for (Rank rank = 0; rank < pairs_.ranks(); rank += step) {
      if (!around_.look(rank, 0)) return false;
      closed += static_cast<unsigned>(around_.squares().size());
      unsigned partners = 0;
      for (unsigned a = 0; a < pairs_.degree(rank); ++a)
        partners += is_leaf(pairs_.partner(rank, a)) ? 0 : 1;
      all += partners * (partners - std::min(partners, 1U)) / 2;
    }
    return closed > 0 && 2 * closed >= all;
  }

  // Joins pairs that are opposite in a square, which is seen from its lowest corner.
  bool find_classes() {
    Pair of_leaves = kUnknown;
    for (Rank rank = 0; rank < pairs_.ranks(); ++rank) {
      if (is_leaf(rank)) {
        const Pair pair = pairs_.pair(rank, 0);
        if (of_leaves != kUnknown) classes_.join(pair, of_leaves);
        of_leaves = pair;
        continue;
      }
      if (!around_.look(rank, rank)) return false;
      for (const Square& square : around_.squares()) {
        const Pair a = pairs_.pair(rank, square.a);
        const Pair b = pairs_.pair(rank, square.b);
        classes_.join(a, square.beyond_b);
        classes_.join(b, square.beyond_a);
        closing_.emplace_back(a, b);
      }
    }
    return true;
  }

  bool number_classes() {
    class_of_.assign(pairs_.pairs(), kUnknown);
    for (Pair pair = 0; pair < pairs_.pairs(); ++pair) {
      const Pair root = classes_.find(pair);  // the least of its class
      if (root == pair) {
        if (classes_found_ == kMostClasses) return false;
        class_of_[pair] = classes_found_++;
      } else {
        class_of_[pair] = class_of_[root];
      }
    }
    return true;
  }

  // Classes that meet at a rank lie in different dimensions, or follow each other in one.
  bool find_dimensions() {
    const std::size_t classes = classes_found_;
    std::vector<bool> known(classes * classes);  // whether two that meet follow each other
    for (const auto& [a, b] : closing_) {
      known[class_of_[a] * classes + class_of_[b]] = true;
      known[class_of_[b] * classes + class_of_[a]] = true;
    }
    followers_.resize(classes);
    for (Rank rank = 0; rank < pairs_.ranks(); ++rank)
      if (!note_followers(rank, known)) return false;
    leave_alone_where_others_cross(known);
    return number_steps();
  }

  // False where pairs of one class meet.
  bool note_followers(Rank rank, std::vector<bool>& known) {
    const std::size_t classes = classes_found_;
    for (unsigned i = 0; i < pairs_.degree(rank); ++i) {
      if (is_leaf(pairs_.partner(rank, i))) continue;
      const std::uint32_t a = class_of_[pairs_.pair(rank, i)];
      for (unsigned j = 0; j < i; ++j) {
        const std::uint32_t b = class_of_[pairs_.pair(rank, j)];
        if (known[a * classes + b] || is_leaf(pairs_.partner(rank, j))) continue;
        if (a == b) return false;
        known[a * classes + b] = known[b * classes + a] = true;
        followers_[a].push_back(b);
        followers_[b].push_back(a);
      }
    }
    return true;
  }

  // Where corners are missing, classes may never close a square that lie in different dimensions:
  // what follows a class at both its ends does not meet.
  void leave_alone_where_others_cross(const std::vector<bool>& meet) {
    for (std::uint32_t alone = 0; alone < classes_found_; ++alone) {
      std::vector<std::uint32_t>& others = followers_[alone];
      const bool is_line =
          others.size() < 2 ||
          (others.size() == 2 && !meet[others[0] * std::size_t{classes_found_} + others[1]]);
      if (is_line) continue;
      for (const std::uint32_t other : others) std::erase(followers_[other], alone);
      others.clear();
    }
  }

  // From an end of each line, or from anywhere in each ring.
  bool number_steps() {
    places_.resize(classes_found_);
    std::vector<bool> numbered(classes_found_);
    for (const bool rings : {false, true}) {
      for (std::uint32_t first = 0; first < classes_found_; ++first) {
        if (numbered[first] || (!rings && followers_[first].size() > 1)) continue;
        if (lengths_.size() == kMaxGuestDimensions) return false;
        std::uint32_t length = 0;
        for (std::uint32_t at = first; at != kUnknown; ++length) {
          numbered[at] = true;
          places_[at] = {static_cast<unsigned>(lengths_.size()), length};
          const auto next = std::find_if(followers_[at].begin(), followers_[at].end(),
                                         [&numbered](std::uint32_t c) { return !numbered[c]; });
          at = next == followers_[at].end() ? kUnknown : *next;
        }
        lengths_.push_back(rings ? length : length + 1);
        wraps_.push_back(rings ? 1 : 0);
      }
    }
    return lengths_.size() > 1;
  }

  std::uint32_t after(const Place& place) const {
    return (place.at + 1) % lengths_[place.dimension];
  }

  // Where a rank is: between two steps, or at the end of a line. Nothing where that does not tell.
  bool place_first(Rank rank) {
    std::vector<std::vector<std::uint32_t>> steps(lengths_.size());
    for (unsigned i = 0; i < pairs_.degree(rank); ++i) {
      const Place& place = places_[class_of_[pairs_.pair(rank, i)]];
      steps[place.dimension].push_back(place.at);
    }
    for (unsigned d = 0; d < lengths_.size(); ++d) {
      std::uint32_t at = 0;
      if (steps[d].size() == 2) {
        const auto [low, high] = std::minmax(steps[d][0], steps[d][1]);
        at = high == low + 1 ? high : 0;  // the ends of a ring
      } else if (lengths_[d] > 2) {
        if (steps[d].size() != 1) return false;
        const bool is_last = steps[d][0] + 2 == lengths_[d];
        if (wraps_[d] != 0 || (steps[d][0] > 0 && !is_last)) return false;
        at = is_last ? steps[d][0] + 1 : 0;
      }
      coordinates_[rank * lengths_.size() + d] = at;
    }
    return true;
  }

  // Who has most partners has most steps to tell where it is. Where one of its own is missing, it
  // may seem to be at the end of a line.
  bool place() {
    constexpr unsigned most_tries = 8;
    unsigned most = 0;
    for (Rank rank = 0; rank < pairs_.ranks(); ++rank) most = std::max(most, pairs_.degree(rank));
    unsigned tries = 0;
    for (Rank rank = 0; rank < pairs_.ranks() && tries < most_tries; ++rank) {
      if (pairs_.degree(rank) < most) continue;
      ++tries;
      coordinates_.assign(pairs_.ranks() * lengths_.size(), kUnknown);
      if (place_first(rank) && place_from(rank)) return true;
    }
    return false;
  }

  // Everybody from one on, by the steps that lead there; false where these do not agree.
  bool place_from(Rank first) {
    const std::size_t dimensions = lengths_.size();
    std::vector<Rank> queue{first};
    queue.reserve(pairs_.ranks());
    std::vector<std::uint32_t> there(dimensions);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const Rank rank = queue[head];
      const std::uint32_t* from = &coordinates_[rank * dimensions];
      for (unsigned i = 0; i < pairs_.degree(rank); ++i) {
        const Place& place = places_[class_of_[pairs_.pair(rank, i)]];
        std::copy_n(from, dimensions, there.begin());
        std::uint32_t& at = there[place.dimension];
        if (at != place.at && at != after(place)) return false;
        at = at == place.at ? after(place) : place.at;
        const Rank partner = pairs_.partner(rank, i);
        std::uint32_t* to = &coordinates_[partner * dimensions];
        if (*to == kUnknown) {
          std::copy(there.begin(), there.end(), to);
          queue.push_back(partner);
        } else if (!std::equal(there.begin(), there.end(), to)) {
          return false;
        }
      }
    }
    return queue.size() == pairs_.ranks();
  }

  std::optional<GappedGrid> conclude() const {
    GappedGrid gapped;
    std::uint64_t volume = 1;
    for (const std::uint32_t length : lengths_) {
      volume *= length;
      if (volume > std::uint64_t{kMostPlaces} * pairs_.ranks()) return {};
    }
    gapped.grid.shape.assign(lengths_.begin(), lengths_.end());
    gapped.grid.wraps = wraps_;
    std::vector<bool> taken(volume);
    for (Rank rank = 0; rank < pairs_.ranks(); ++rank) {
      std::uint32_t position = 0;
      for (std::size_t d = lengths_.size(); d-- > 0;)
        position = position * lengths_[d] + coordinates_[rank * lengths_.size() + d];
      if (taken[position]) return {};
      taken[position] = true;
      gapped.grid.positions.push_back(position);
    }
    add_steps(gapped);
    return gapped;
  }

  void add_steps(GappedGrid& gapped) const {
    gapped.steps.resize(classes_found_);
    const std::vector<std::uint32_t>& at = gapped.grid.positions;
    for (Rank rank = 0; rank < pairs_.ranks(); ++rank) {
      auto edge = graph_.partners(rank).begin();
      for (unsigned i = 0; i < pairs_.degree(rank); ++i, ++edge) {
        const Rank partner = pairs_.partner(rank, i);
        while (edge->partner != partner) ++edge;
        GappedGrid::Step& step = gapped.steps[class_of_[pairs_.pair(rank, i)]];
        step = {at[rank], at[partner], step.bytes + static_cast<double>(edge->bytes) / 2};
      }
    }
  }

  const CommGraph& graph_;
  const NumberedPairs& pairs_;
  Surroundings around_;
  PairClasses classes_;
  std::vector<std::pair<Pair, Pair>> closing_;  // that meet at a corner of a square
  std::uint32_t classes_found_ = 0;
  std::vector<std::uint32_t> class_of_;                // by pair
  std::vector<std::vector<std::uint32_t>> followers_;  // by class, two at most
  std::vector<Place> places_;                          // by class
  std::vector<std::uint32_t> lengths_;                 // by dimension
  std::vector<std::uint8_t> wraps_;
  std::vector<std::uint32_t> coordinates_;  // of all dimensions, rank by rank
};

// Bytes between ranks of different parts.
double between(const CommGraph& graph, const std::vector<std::uint32_t>& part) {
  double bytes = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, both, sent] : graph.partners(rank))
      bytes += part[rank] == part[partner] ? 0 : static_cast<double>(both) / 2;
  }
  return bytes;
}

// As many ranks each, in the order of what they are in.
std::vector<std::uint32_t> in_turn(const std::vector<std::uint32_t>& tile, unsigned size) {
  std::vector<Rank> order(tile.size());
  std::iota(order.begin(), order.end(), Rank{0});
  std::stable_sort(order.begin(), order.end(),
                   [&tile](Rank a, Rank b) { return tile[a] < tile[b]; });
  std::vector<std::uint32_t> group(tile.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    group[order[i]] = static_cast<std::uint32_t>(i / size);
  return group;
}

}  // namespace

std::optional<GappedGrid> recognise_gapped_grid(const CommGraph& graph) {
  const Bytes strong = typical_strongest(graph, Collectors(graph, graph.ranks()));
  constexpr Bytes light = 16;  // less than one of so many parts of what strong pairs exchange
  for (const Bytes least : {Bytes{1}, std::max<Bytes>(strong / light, 2)}) {
    const auto heavy = HeavyPairs::of(graph, least, kMaxGuestPartners);
    const bool is_new = least == 1 || (heavy && heavy->pairs() < graph.pairs());
    if (!heavy || !is_new) continue;
    const NumberedPairs pairs(*heavy);
    if (auto found = GappedGridSearch(graph, pairs).run()) return found;
  }
  return std::nullopt;
}

std::vector<std::vector<std::uint32_t>> groups_in_tiles(const CommGraph& graph,
                                                        const GappedGrid& gapped, unsigned size,
                                                        std::size_t most) {
  constexpr std::size_t more_looks = 3;
  constexpr unsigned most_tiles = 3;  // in a group, where there are none of its size
  constexpr double about = 1.1;
  BorderTraffic borders(gapped.grid);
  for (const auto& [from, to, bytes] : gapped.steps) borders.add(from, to, bytes);
  std::vector<std::pair<double, std::vector<std::uint32_t>>> found;
  for (unsigned tiles = 1; tiles <= most_tiles && found.empty(); ++tiles) {
    if (size % tiles != 0) continue;
    for (const GuestGrid& shape : tilings(gapped.grid, borders, size / tiles, most + more_looks)) {
      std::vector<std::uint32_t> groups = in_turn(shape.positions, size);
      const double crossing = between(graph, groups);
      if (crossing <= about * between(graph, shape.positions))
        found.emplace_back(crossing, std::move(groups));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > most) found.resize(most);
  std::vector<std::vector<std::uint32_t>> result;
  result.reserve(found.size());
  for (auto& [crossing, groups] : found) result.push_back(std::move(groups));
  return result;
}

}  // namespace tofa
