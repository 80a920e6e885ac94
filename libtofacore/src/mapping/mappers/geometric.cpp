// SPDX-License-Identifier: BSD-3-Clause
// geometric: for traffic that has a shape in space, as that of meshes and particles, without being
// a grid. The ranks are drawn as points (tools/drawing.hpp), the machine is unfolded to a box of
// about the same proportions (mappers/folding.hpp), and both are cut in slabs together, one
// dimension after the other, so that every seat gets a rank from where it lies. Drawings are turned
// before (mappers/turning.hpp), and what the cuts tear apart is mended as placers of circuits do
// (mappers/spreading.hpp). On machines that are like trees the drawing is cut level by level
// instead (mappers/drawn_levels.hpp). Where ranks have coordinates of their own the cuts are known
// as geometric partitioning (Deveci et al., Exploiting geometric partitioning in task mapping for
// parallel computers, 2014); the drawing and the unfolding are ours.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <numeric>
#include <optional>
#include <utility>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/drawn_levels.hpp"
#include "mapping/mappers/host_box.hpp"
#include "mapping/mappers/slab_cuts.hpp"
#include "mapping/mappers/spreading.hpp"
#include "mapping/mappers/turning.hpp"
#include "mapping/mappers/unfolding.hpp"
#include "mapping/rates.hpp"
#include "mapping/tools/backbone.hpp"
#include "mapping/tools/drawing.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

constexpr unsigned kMostPivots = 48;
constexpr unsigned kFewestPivots = 22;  // six axes of some thousand ranks need so many
constexpr unsigned kFewestOfMany = 14;  // of so many ranks that these take long
constexpr unsigned kMostTurns = 24;     // of a drawing, for each shape
constexpr int kFewestMendings = 2;
constexpr int kMostMendings = 6;  // in the box, and in the machine
constexpr int kMendingSweeps = 5;
// In the first round, and so much more in every other. What is folded is not to be torn.
constexpr float kHoldInBox = 0.05F;
constexpr float kHoldInMachine = 0.1F;
constexpr Rank kFewestDrawn = 64;      // fewer are annealed in no time
constexpr Rank kHurried = 30'000;      // that are grouped in a hurry
constexpr double kLeastFilling = 0.1;  // of the box around the nodes

constexpr std::size_t kMost = Drawing::kMostDimensions;

// Seconds of an ordinary core.
double seconds_of_pivot(const CommGraph& graph) {
  return 2 * rates::kHopPerPair * static_cast<double>(graph.pairs()) +
         rates::kDrawPerRank * graph.ranks();
}
unsigned fewest_pivots(const CommGraph& graph) {
  return graph.ranks() > kHurried ? kFewestOfMany : kFewestPivots;
}
unsigned pivots_for(const MappingTask& task) {
  constexpr double share = 0.1;  // of the time
  const double affordable = share * task.seconds / seconds_of_pivot(task.graph);
  const double fewest = fewest_pivots(task.graph);
  return static_cast<unsigned>(std::clamp<double>(affordable, fewest, kMostPivots));
}
double seconds_of_turn(const CommGraph& graph) {
  const double ranks = graph.ranks();
  return rates::kCutPerRank * ranks * std::log2(ranks + 1) +
         rates::kHopPerPair * static_cast<double>(graph.pairs());
}
double seconds_to_mend_once(const MappingTask& task) {
  const double levels = std::log2(static_cast<double>(task.allocation.size()) + 1);
  return (kMendingSweeps * 2 * rates::kRelaxPerPartner * static_cast<double>(task.graph.pairs()) +
          rates::kSpreadPerRank * levels * task.graph.ranks()) /
         kLanes;
}

class Geometric {
 public:
  Geometric(const MappingTask& task, const HostBox& box)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        unfolding_(box, plan_, task.topology.nodes()),
        random_(task.seed),
        in_lanes_(task.graph.ranks() <= kHurried) {}

  // The best, and what other shapes of the machine lead to; at most so many. Nothing where the
  // traffic has no shape. Of millions of ranks nothing is kept for longer than it is needed.
  std::vector<Mapping> run(std::size_t most) {
    std::vector<Found> found;
    {
      const std::vector<Drawing> drawings = draw(task_.graph, pivots_for(task_));
      for (const Drawing& drawing : drawings) cut_for_all(drawing, hosts_for(drawing), found);
    }
    std::vector<Mapping> mappings;
    if (found.empty()) return mappings;
    for (const Found& each : mend(std::move(found), most)) {
      Mapping& mapping = mappings.emplace_back();
      for (const std::uint32_t entry : each.places) mapping.push_back(plan_.node(entry));
    }
    return mappings;
  }

 private:
  // Of the time.
  static constexpr double kShareToTurn = 0.12;
  static constexpr double kShareToMend = 0.25;

  // Where each rank is: positions of the host, or entries where there is none, and what that costs
  // there; and, where there is a host, what it costs when that is folded.
  struct Found {
    Unfolded* host = nullptr;
    double cost = HUGE_VAL;
    std::vector<std::uint32_t> places = {};
    double folded_cost = HUGE_VAL;
    std::vector<std::uint32_t> folded_places = {};  // entries that cost that; empty for many ranks
    std::optional<GridBoxes> boxes = std::nullopt;  // of the host, once they are needed
    double round_seconds = 0;                       // that its last round of mending took
  };
  // A box that the drawing is cut together with, in some turns, and what that led to.
  struct Cutting {
    Unfolded* host;
    std::vector<Turning> turnings;
    std::size_t along_faces;  // the first of them
    Found best;
    Found second;  // in another order of the faces
  };

  double affordable_turns() const {
    return kShareToTurn * task_.seconds / seconds_of_turn(task_.graph);
  }

  // The machine in shapes like that of the drawing. The last dimensions of what is open may be left
  // out, those of what is closed may not.
  std::vector<Unfolded> hosts_for(const Drawing& drawing) const {
    const std::size_t shapes = affordable_turns() < 2 * kMost ? 1 : 2;  // of each dimension
    const std::size_t all = drawing.dimensions.size();
    std::vector<Unfolded> hosts;
    for (std::size_t dimensions = drawing.has_rings() ? all : 1; dimensions <= all; ++dimensions) {
      std::vector<std::uint8_t> wraps;
      for (std::size_t d = 0; d < dimensions; ++d) {
        wraps.push_back(drawing.dimensions[d].ring ? 1 : 0);
      }
      std::size_t kept = 0;
      for (const auto& shape : likely_shapes(drawing, unfolding_.positions(), dimensions)) {
        if (kept == shapes || (kept > 0 && task_.deadline.passed())) break;
        std::optional<Unfolded> host = unfolding_.unfold(shape, wraps, task_.seconds);
        if (!host) continue;
        hosts.push_back(std::move(*host));
        ++kept;
      }
    }
    return hosts;
  }

  // Two hosts at a time, but of many ranks what that needs would take too much memory.
  void cut_for_all(const Drawing& drawing, std::vector<Unfolded>&& hosts,
                   std::vector<Found>& found) {
    std::vector<Cutting> cuttings;
    for (Unfolded& host : hosts) {
      Unfolded* const kept = &hosts_.emplace_back(std::move(host));
      cuttings.push_back(turnings_for(drawing, *kept));
    }
    const auto cut_some = [&](unsigned lane, unsigned lanes) {
      SlabCuts cuts(drawing, task_.graph.ranks());
      for (std::size_t i = lane; i < cuttings.size(); i += lanes)
        cut_and_turn(cuts, i == 0 && found.empty(), cuttings[i]);
    };
    if (in_lanes_ && cuttings.size() > 1) {
      run_lanes([&](unsigned lane) { cut_some(lane, kLanes); });
    } else {
      cut_some(0, 1);
    }
    for (Cutting& cutting : cuttings) {
      if (!cutting.best.places.empty()) found.push_back(std::move(cutting.best));
      if (cutting.second.places.empty()) continue;
      // Each is folded in a way of its own later.
      cutting.second.host = &hosts_.emplace_back(*cutting.host);
      found.push_back(std::move(cutting.second));
    }
  }

  // Along the faces first; where there is time, in other orders of them, too, and in any.
  Cutting turnings_for(const Drawing& drawing, Unfolded& host) {
    constexpr double shapes = 2 * kMost;
    const std::size_t dimensions = host.grid.dimensions();
    const bool turns_alike = dimensions == 1 || drawing.has_rings();
    const auto turns =
        turns_alike
            ? 1U
            : static_cast<unsigned>(std::clamp<double>(affordable_turns() / shapes, 1, kMostTurns));
    std::vector<Turning> turnings = ways_to_face(turn_to_faces(drawing, dimensions), dimensions);
    turnings.resize(turns == kMostTurns ? std::min<std::size_t>(turnings.size(), turns) : 1);
    const auto faced = static_cast<unsigned>(turnings.size());
    for (unsigned turn = faced; turn < turns; ++turn)
      turnings.push_back(any_turn(dimensions, turn - faced, turns, random_));
    return {&host, std::move(turnings), faced, Found{&host}, Found{&host}};
  }

  // Finds the best of the turns, and the best that lies along the faces in another order: which
  // side of the host the longest one takes is told by what an anneal makes of it. One is found at
  // least if that is needed.
  void cut_and_turn(SlabCuts& cuts, bool is_needed, Cutting& cutting) const {
    Unfolded& host = *cutting.host;
    for (std::size_t turn = 0; turn < cutting.turnings.size(); ++turn) {
      if (task_.deadline.passed() && !(turn == 0 && is_needed)) break;
      std::vector<std::uint32_t> places = cuts.cut(cutting.turnings[turn], host);
      // Where seats differ, what is at a position changes with the fold.
      if (turn == 0 && !unfolding_.is_even() && unfolding_.pleat(task_, places, host))
        places = cuts.cut(cutting.turnings[turn], host);
      if (turn > 0 && turn < cutting.along_faces)
        keep_second(std::vector(places), cutting.best, cutting.second);
      keep_cheaper(std::move(places), cutting.best);
    }
  }

  // If these places become the best, what was the best until now; otherwise these, if they are
  // cheaper than the second.
  void keep_second(std::vector<std::uint32_t>&& places, const Found& best, Found& second) const {
    Found these{second.host};
    keep_cheaper(std::move(places), these);
    const Found& other = these.cost < best.cost ? best : these;
    if (other.cost < second.cost) second = other;
  }

  // First in the box, where what is not to be torn lies flat: in the machine, where it is folded,
  // what is close need not belong together. The cheapest before need not be so after that. Where
  // they are in the machine: the best of those that are mended in any case, and then the others.
  std::vector<Found> mend(std::vector<Found>&& found, std::size_t most) const {
    const double affordable = kShareToMend * task_.seconds / seconds_to_mend_once(task_);
    keep_likely(found);
    const bool each_once = affordable >= static_cast<double>(found.size() + 1);
    const bool is_even = unfolding_.is_even();
    if (each_once) {
      for_each_of(found.size(), [&](std::size_t i) {
        mend_in(boxes_of(found[i]), {1, 1, kHoldInBox}, found[i]);
      });
    }
    if (is_even) pleat_all(found);
    keep_likely(found);
    const std::size_t kept = affordable >= 2 * kMostMendings ? 2 : 1;
    const auto mended = static_cast<std::size_t>(
        std::clamp<double>(affordable / (2 * kMostMendings), static_cast<double>(kept),
                           static_cast<double>(std::max(kept, most))));
    const int rounds =
        static_cast<int>(std::clamp<double>(affordable, kFewestMendings, kMostMendings));
    // Of a million nodes, boxes take as much memory as what is exchanged.
    for (std::size_t i = mended; i < found.size(); ++i) found[i].boxes.reset();
    std::vector<Found> ends(std::min(found.size(), mended));
    for_each_of(ends.size(), [&](std::size_t i) {
      mend_in(boxes_of(found[i]), {each_once ? 2 : 1, rounds, kHoldInBox}, found[i]);
      found[i].boxes.reset();
      ends[i] = folded(found[i]);
      if (affordable >= kMostMendings)
        mend_in(GridBoxes(task_.topology, plan_), {1, rounds, kHoldInMachine}, ends[i]);
    });
    if (kept == 2 && ends.size() >= 2 && ends[1].cost < ends[0].cost) std::swap(ends[0], ends[1]);
    for (std::size_t i = mended; i < std::min(found.size(), most); ++i)
      ends.push_back(folded(found[i]));
    ends.resize(std::min(ends.size(), most));
    return ends;
  }

  void pleat_all(const std::vector<Found>& found) const {
    run_lanes([&](unsigned lane) {
      for (std::size_t i = lane; i < found.size(); i += kLanes)
        unfolding_.pleat(task_, found[i].places, *found[i].host);
    });
  }

  // Two at a time where the graph is so small that mending is not shared by both lanes.
  template <typename Use>
  void for_each_of(std::size_t count, const Use& use) const {
    const unsigned lanes = count > 1 && !Spreading::is_shared(task_.graph) ? kLanes : 1;
    const auto use_some = [&](unsigned lane) {
      for (std::size_t i = lane; i < count; i += lanes) use(i);
    };
    if (lanes == 1) return use_some(0);
    run_lanes(use_some);
  }

  // The cheapest in the machine first, without those that are too dear to become the best.
  void keep_likely(std::vector<Found>& found) const {
    constexpr double too_dear = 1.5;
    const bool keeps_folded = task_.graph.ranks() <= kHurried;
    if (found.size() == 1 && !keeps_folded) return;
    for (Found& each : found) {
      Found end = folded(each);
      each.folded_cost = end.cost;
      if (keeps_folded) each.folded_places = std::move(end.places);
    }
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.folded_cost < b.folded_cost; });
    const double most = too_dear * found.front().folded_cost;
    std::erase_if(found, [most](const Found& each) { return each.folded_cost > most; });
  }

  // In the machine, or what is known to be cheaper there: traffic that does not lie flat is closer
  // in the machine than in the box, and what brings it together there may tear it apart here.
  Found folded(const Found& found) const {
    Found result;
    if (!found.folded_places.empty()) {
      result.cost = found.folded_cost;
      result.places = found.folded_places;
    }
    std::vector<std::uint32_t> entries;
    for (const std::uint32_t place : found.places) entries.push_back(found.host->entry[place]);
    keep_cheaper(std::move(entries), result);
    return result;
  }

  // They are as before when it is laid in pleats after that, since all seats are alike then.
  static const GridBoxes& boxes_of(Found& found) {
    if (!found.boxes) {
      const Unfolded& host = *found.host;
      std::vector<std::uint32_t> seats;
      for (std::uint32_t at = 0; at < host.entry.size(); ++at) seats.push_back(host.seats_at(at));
      found.boxes.emplace(host.grid, std::move(seats));
    }
    return *found.boxes;
  }

  struct Rounds {
    int first;
    int last;
    float hold;  // times the round
  };

  // Draws ranks to their partners and spreads them again, as long as that gains anything.
  void mend_in(const GridBoxes& boxes, const Rounds& rounds, Found& found) const {
    Spreading spreading(task_.graph, boxes);
    for (Rank rank = 0; rank < task_.graph.ranks(); ++rank) {
      spreading.put(rank, boxes.at(found.places[rank]));
    }
    for (int round = rounds.first; round <= rounds.last; ++round) {
      // One that takes as long as the last one is to be over in time.
      const double left = task_.deadline.seconds_left();
      if (left <= found.round_seconds) {
        task_.trace.hurry();
        break;
      }
      spreading.relax(rounds.hold * static_cast<float>(round), kMendingSweeps);
      spreading.spread();
      const double before = found.cost;
      keep_cheaper(std::vector(spreading.places()), found);
      if (found.cost == before && round > 1) break;
      found.round_seconds = left - task_.deadline.seconds_left();
    }
  }

  void keep_cheaper(std::vector<std::uint32_t>&& places, Found& best) const {
    constexpr std::size_t many = 20'000;  // pairs, that are worth another lane
    std::array<double, kLanes> costs{};
    const auto add_up = [&](unsigned lane) {
      const auto border = [ranks = std::uint64_t{task_.graph.ranks()}](unsigned part) {
        return static_cast<Rank>(ranks * part / kLanes);
      };
      costs[lane] = cost_of_some(border(lane), border(lane + 1), places, best);
    };
    if (task_.graph.pairs() >= many) {
      run_lanes(add_up);
    } else {
      for (unsigned lane = 0; lane < kLanes; ++lane) add_up(lane);
    }
    const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
    if (cost >= best.cost) return;
    best.cost = cost;
    best.places = std::move(places);
  }

  // Of the traffic with the partners above, where the best is; at least as much as that costs in
  // all if it is dearer.
  double cost_of_some(Rank first, Rank last, const std::vector<std::uint32_t>& places,
                      const Found& best) const {
    const auto hops = [&](std::uint32_t a, std::uint32_t b) {
      return best.host != nullptr ? best.host->grid.hops_between(a, b)
                                  : task_.topology.hops(plan_.node(a), plan_.node(b));
    };
    double cost = 0;
    for (Rank rank = first; rank < last && cost < best.cost; ++rank) {
      for (const auto& [partner, bytes, sent] : task_.graph.partners(rank)) {
        if (partner < rank) continue;
        cost += static_cast<double>(bytes) * hops(places[rank], places[partner]);
      }
    }
    return cost;
  }

  const MappingTask& task_;
  SeatPlan plan_;
  Unfolding unfolding_;
  RandomSource random_;
  std::deque<Unfolded> hosts_;  // one for each Found; they do not move
  const bool in_lanes_;
};

std::optional<Mapping> cut_levels(const MappingTask& task) {
  if (!task.topology.hierarchy()) return std::nullopt;
  std::vector<Drawing> drawings = draw(task.graph, pivots_for(task));
  if (drawings.empty()) return std::nullopt;
  Drawing& drawing = drawings.front();
  turn(drawing, turn_to_faces(drawing, drawing.dimensions.size()));
  const SeatPlan plan(task.allocation, task.graph.ranks());
  const auto levels = MachineLevels::roughly(task.topology, plan);
  if (!levels) return std::nullopt;
  return DrawnLevels(task, plan, *levels).cut(drawing);
}

std::vector<Mapping> draw_and_cut_all(const MappingTask& task, std::size_t most) {
  if (task.topology.grid() == nullptr) {
    std::vector<Mapping> mappings;
    if (std::optional<Mapping> mapping = cut_levels(task)) mappings.push_back(*std::move(mapping));
    return mappings;
  }
  const std::optional<HostBox> box = HostBox::of(task, kLeastFilling);
  if (!box || task.graph.ranks() == 0) return {};
  return Geometric(task, *box).run(most);
}

double seconds_needed(const MappingTask& task) {
  return fewest_pivots(task.graph) * seconds_of_pivot(task.graph) +
         kMost * seconds_of_turn(task.graph) + kFewestMendings * seconds_to_mend_once(task);
}

// Of what is drawn.
double seconds_to_draw(const MappingTask& task) {
  const CommGraph* strong = task.recognised->backbone();
  return seconds_needed(strong ? task.with_traffic(*strong) : task);
}

// There is hardly anything else that so many ranks can be placed by, so that it may take more of
// the time.
double most_seconds(const MappingTask& task) {
  return (task.graph.ranks() > kHurried ? 1.2 : 0.75) * task.seconds;
}

// By what carries most, if that has a shape, or else by all, if that takes no more than so many
// seconds. Nothing where the traffic has no shape.
std::vector<Mapping> draw_and_cut(const MappingTask& task, std::size_t most, double seconds) {
  if (const CommGraph* strong = task.recognised->backbone()) {
    std::vector<Mapping> mappings = draw_and_cut_all(task.with_traffic(*strong), most);
    if (!mappings.empty() || seconds_needed(task) > seconds) return mappings;
  }
  return draw_and_cut_all(task, most);
}

std::vector<Mapping> variants(const MappingTask& task, std::size_t most) {
  std::vector<Mapping> mappings = draw_and_cut(task, most, most_seconds(task));
  if (mappings.empty()) mappings.push_back(linear_mapping(task.allocation, task.graph.ranks()));
  return mappings;
}

Mapping map_geometric(const MappingTask& task) {
  return std::move(variants(task, 1).front());
}

// On what is like a tree not where groups or parts are found by cutting graphs, which is better as
// far as there is time. On grids beside groups where it leaves them time, or may save the time
// that these take; not where they are drawn anyway.
bool geometric_is_candidate(const MappingTask& task) {
  constexpr double most_beside_groups = 0.5;
  if (task.graph.ranks() < kFewestDrawn || group_is_called_for(task)) return false;
  const bool grouped = group_is_candidate(task);
  if (task.topology.grid() == nullptr &&
      (!task.topology.hierarchy() || grouped || multisect_is_candidate(task))) {
    return false;
  }
  if (grouped && (group_is_hurried(task) || group_beats_a_drawing(task))) return false;
  const double seconds = seconds_to_draw(task);
  const bool saves_time = !grouped || group_placing_seconds(task) > 0 ||
                          group_seconds(task) > rates::kDear * task.seconds;
  return seconds <= (saves_time ? most_seconds(task) : most_beside_groups * task.seconds);
}

}  // namespace

std::optional<Mapping> map_by_shape(const MappingTask& task, double seconds) {
  if (seconds <= 0 || seconds_to_draw(task) > seconds) return std::nullopt;
  std::vector<Mapping> mappings = draw_and_cut(task, 1, seconds);
  return mappings.empty() ? std::nullopt : std::optional(std::move(mappings.front()));
}

extern constexpr Mapper kGeometricMapper{
    "geometric", map_geometric, geometric_is_candidate, Turn::both_lanes, false, nullptr,
    false,       variants};

}  // namespace tofa
