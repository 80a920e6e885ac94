// SPDX-License-Identifier: BSD-3-Clause
// spread: for grids and many ranks. Ranks are cut in some hundred clusters with little traffic in
// between, and the clusters annealed to boxes of nodes: few enough to find out what lies beside
// what in the whole machine, which moves of single ranks hardly change. From there each rank is
// drawn towards its partners and all are spread over the nodes, in turns (mappers/spreading.hpp).
#include <algorithm>
#include <cmath>

#include "mapping/mapper.hpp"
#include "mapping/mappers/clusters.hpp"
#include "mapping/mappers/spreading.hpp"
#include "mapping/rates.hpp"
#include "mapping/tools/lanes.hpp"
#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kMostClusters = 256;
constexpr Rank kFewestRanks = 4 * kMostClusters;  // fewer are annealed one by one as soon
constexpr std::uint32_t kMostVertices = 20'000;   // to cut in clusters
constexpr int kMostRounds = 20;
constexpr int kFewestRounds = 6;
constexpr int kSweeps = 5;
constexpr double kMostMoves = 1e4;  // of a cluster
constexpr double kFewestMoves = 500;

// Seconds of an ordinary core with a second one beside it.
double seconds_to_cut(const CommGraph& graph) {
  const double ranks = graph.ranks();
  const double vertices = std::min<double>(ranks, kMostVertices);
  return rates::kBisectPerRank * (vertices * std::log2(kMostClusters) + (ranks - vertices));
}
double seconds_of_round(const MappingTask& task) {
  const double levels = std::log2(static_cast<double>(task.allocation.size()) + 1);
  return (kSweeps * 2 * rates::kRelaxPerPartner * static_cast<double>(task.graph.pairs()) +
          rates::kSpreadPerRank * levels * task.graph.ranks()) /
         kLanes;
}

// Boxes of a level, as even as halving makes them: as many as clusters.
std::vector<std::uint32_t> boxes_for_clusters(const GridBoxes& boxes) {
  std::vector<std::uint32_t> level{0};
  for (;;) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t index : level) {
      const GridBoxes::Box& box = boxes[index];
      if (box.low == GridBoxes::kLeaf) {
        next.push_back(index);
      } else {
        next.push_back(box.low);
        next.push_back(box.high);
      }
    }
    if (next.size() > kMostClusters || next.size() == level.size()) return level;
    level = std::move(next);
  }
}

class Spread {
 public:
  explicit Spread(const MappingTask& task)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        boxes_(task.topology, plan_),
        random_(task.seed) {}

  Mapping run() {
    Spreading spreading(task_.graph, boxes_);
    start(spreading);
    constexpr float hold = 0.02F;  // more in each round, as SimPL has it
    const int rounds = static_cast<int>(std::clamp<double>(
        kShare * task_.seconds / seconds_of_round(task_), kFewestRounds, kMostRounds));
    for (int round = 0; round < rounds && (round == 0 || !task_.deadline.passed()); ++round) {
      task_.trace.report_progress();
      spreading.relax(hold * static_cast<float>(round), kSweeps);
      spreading.spread();
    }
    Mapping mapping(task_.graph.ranks());
    for (Rank rank = 0; rank < mapping.size(); ++rank) {
      mapping[rank] = plan_.node(spreading.entry(rank));
    }
    return mapping;
  }

 private:
  static constexpr double kShare = 0.5;  // of the time for rounds, and as much for clusters

  // Clusters where they are best among boxes.
  void start(Spreading& spreading) {
    const std::vector<std::uint32_t> places = boxes_for_clusters(boxes_);
    const std::uint64_t seats = plan_.seats();
    const auto count = static_cast<std::uint32_t>(
        (std::uint64_t{task_.graph.ranks()} * places.size() + seats - 1) / seats);
    const std::vector<std::uint32_t> cluster_of = cut_in_clusters(count);
    Allocation middles;
    std::vector<GridBoxes::Point> middle_of(task_.topology.nodes());
    for (const std::uint32_t place : places) {
      const Node node = plan_.node(boxes_[place].entry);
      middles.push_back({node, 1});
      middle_of[node] = boxes_[place].middle;
    }
    const Mapping placed = place_clusters(contracted(task_.graph, cluster_of, count), middles);
    for (Rank rank = 0; rank < task_.graph.ranks(); ++rank) {
      spreading.put(rank, middle_of[placed[cluster_of[rank]]]);
    }
  }

  // Of about equal size, with little traffic between them. Of very many ranks, those that talk most
  // with each other stay together.
  std::vector<std::uint32_t> cut_in_clusters(std::uint32_t count) {
    const Rank ranks = task_.graph.ranks();
    std::vector<CoarserGraph> levels;
    PartitionGraph graph = partition_graph(task_.graph, ranks);
    while (graph.vertices() > kMostVertices) {
      levels.push_back(coarsen(graph, random_));
      const bool smaller = levels.back().graph.vertices() < 0.9 * graph.vertices();
      graph = std::move(levels.back().graph);
      if (!smaller) break;
    }
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto before = static_cast<std::uint32_t>(std::uint64_t{ranks} * i / count);
      sizes.push_back(static_cast<std::uint32_t>(std::uint64_t{ranks} * (i + 1) / count) - before);
    }
    std::vector<std::uint32_t> cluster = cut_in_parts(graph, sizes, random_);
    for (std::size_t level = levels.size(); level-- > 0;) {
      std::vector<std::uint32_t> finer;
      for (const std::uint32_t coarse : levels[level].coarse_of) finer.push_back(cluster[coarse]);
      cluster = std::move(finer);
    }
    return cluster;
  }

  // Each on one of the nodes in the middles of boxes.
  Mapping place_clusters(const CommGraph& graph, const Allocation& middles) {
    Trace aside = task_.trace.aside();
    const OutageMap none;
    const MappingTask coarse{.graph = graph,
                             .topology = task_.topology,
                             .outages = none,
                             .allocation = middles,
                             .objective = task_.objective,
                             .seed = task_.seed,
                             .seconds = task_.seconds,
                             .deadline = task_.deadline,
                             .trace = aside,
                             .abort_cost = task_.abort_cost};
    const double clusters = std::max<double>(graph.ranks(), 1);
    const auto moves =
        static_cast<std::uint64_t>(std::clamp(kShare * task_.seconds / rates::kClusterMove,
                                              kFewestMoves * clusters, kMostMoves * clusters));
    return map_annealed(coarse, linear_mapping(middles, graph.ranks()), moves);
  }

  const MappingTask& task_;
  SeatPlan plan_;
  GridBoxes boxes_;
  RandomSource random_;
};

Mapping map_spread(const MappingTask& task) {
  if (task.topology.grid() == nullptr || task.graph.ranks() == 0) return map_linear(task);
  return Spread(task).run();
}

bool spread_is_candidate(const MappingTask& task) {
  if (task.topology.grid() == nullptr || task.graph.ranks() < kFewestRanks) return false;
  if (group_is_candidate(task)) return false;
  const double least = seconds_to_cut(task.graph) + kFewestRounds * seconds_of_round(task) +
                       kFewestMoves * kMostClusters * rates::kClusterMove;
  // With what other mappers take, too, the time limit has to hold.
  return least <= 0.75 * task.seconds;
}

}  // namespace

extern constexpr Mapper kSpreadMapper{"spread", map_spread, spread_is_candidate, Turn::both_lanes};

}  // namespace tofa
