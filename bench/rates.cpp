// SPDX-License-Identifier: BSD-3-Clause
// How fast this machine is at what placing is made of, beside the figures that work is planned by
// (libtofacore/src/mapping/rates.hpp). Run it on an idle machine: one that is far slower than the
// table says needs longer than planned. To change the table is to change mappings.
//
// Constants and slopes are told apart by measuring at two sizes.
#include "mapping/rates.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/host_box.hpp"
#include "mapping/mappers/spreading.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/search/descent.hpp"
#include "mapping/search/heat_bath.hpp"
#include "mapping/search/load_annealing.hpp"
#include "mapping/search/move_cost.hpp"
#include "mapping/search/pair_cost.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/drawing.hpp"
#include "mapping/tools/random_source.hpp"
#include "mapping/tools/strong_pairs.hpp"
#include "rates_jobs.hpp"

namespace tofa {
namespace {

// Of a processor, all threads together: what else runs on the machine counts little.
double seconds_of(const std::function<void()>& work) {
  constexpr int times = 5;
  double best = HUGE_VAL;
  for (int i = 0; i < times; ++i) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

void print(const char* name, const char* unit, double planned, double measured) {
  fmt::print("| {:<22} | {:<32} | {:>9.2g} | {:>9.2g} |\n", name, unit, planned, measured);
}

double seconds_per_move(Job& job) {
  constexpr std::uint64_t moves = 1U << 20U;
  const MappingTask task = job.task();
  const SearchSpace space(task);
  Seating melted(space.plan(), map_linear(task));
  const Freezing freezing = measure_freezing(space, moves / 8, RandomSource(1), melted);
  const AnnealingSchedule schedule{moves, freezing.temperature(0.65), freezing.temperature(0.98)};
  return seconds_of([&] {
           Seating seating(space.plan(), map_linear(task));
           anneal(space, schedule, RandomSource(1), seating);
         }) /
         static_cast<double>(moves);
}

// Of a look at all seats so hot that nearly every one ends with an exchange.
double seconds_per_exchange(Job& job) {
  constexpr int looks = 1 << 15U;
  constexpr float hot = 1e9;
  const MappingTask task = job.task();
  const SearchSpace space(task);
  Seating seating(space.plan(), map_linear(task));
  HeatBath bath(space, {}, *HeatBath::find_box(space, {}), RandomSource(1), seating);
  return seconds_of([&] {
           for (int i = 0; i < looks; ++i) bath.step(hot);
         }) /
         looks;
}

double seconds_per_try(Job& job) {
  constexpr std::uint64_t tries = 1U << 16U;
  const MappingTask task = job.task();
  const SearchSpace space(task);
  return seconds_of([&] {
           Seating seating(space.plan(), map_linear(task));
           descend(space, {.tries = tries, .first_step = 1e-3}, RandomSource(1), seating);
         }) /
         static_cast<double>(tries);
}

// At the temperature at which `auto` begins to look for the right one.
double seconds_per_load_try(Job& job) {
  constexpr std::uint64_t tries = 1U << 18U;
  job.objective = parse_objective("completion-time");
  const MappingTask task = job.task();
  const SearchSpace space(task);
  Seating cooled(space.plan(), map_linear(task));
  const Freezing freezing = measure_freezing(space, 1U << 20U, RandomSource(1), cooled);
  const LoadSchedule schedule{tries, freezing.temperature(0.8)};
  return seconds_of([&] {
           Seating seating = cooled;
           anneal_loads(space, schedule, RandomSource(1), seating);
         }) /
         static_cast<double>(tries);
}

// What the candidates of `auto` take in two lanes, but for those that are given a share of the
// time, and what all searches share.
double seconds_of_set_up(Job& job) {
  const MappingTask task = job.task();
  const double candidates = seconds_of([&] {
    for (const Mapper* mapper : mapper_registry()) {
      const bool has_share =
          mapper->name == "fold" || mapper->name == "bit-linear" || mapper->name == "multisect";
      if (has_share || !mapper->candidate(task)) continue;
      evaluate(task.graph, task.topology, task.outages, run_mapper(*mapper, task));
    }
  });
  return candidates / kLanes + seconds_of([&] { const SearchSpace space(task); });
}

double seconds_of_evaluating(Job& job) {
  const Mapping mapping = map_linear(job.task());
  return seconds_of([&] { evaluate(job.graph, *job.topology, job.outages, mapping); });
}

Mapping (*mapper(std::string_view name))(const MappingTask&) {
  return find_entry(mapper_registry(), name)->map;
}

// How many times as long a mapper takes, for each second that it is given more, as its rate says.
double times_planned(Job& job, Mapping (*map)(const MappingTask&), double planned_share) {
  constexpr double little = 0.2;
  const auto run = [&](double seconds) { return seconds_of([&] { map(job.task(seconds)); }); };
  return (run(2 * little) - run(little)) / (planned_share * little);
}

void measure_moves(const char* kind, const std::function<std::unique_ptr<Topology>()>& network,
                   double planned, double planned_per_partner) {
  Job few(network(), 4);
  Job many(network(), 32);
  const double with_few = seconds_per_move(few);
  const double with_many = seconds_per_move(many);
  const double slope = (with_many - with_few) / (many.partners() - few.partners());
  print(fmt::format("k{}Move", kind).c_str(), "seconds", planned,
        with_few - slope * few.partners());
  print(fmt::format("k{}MovePerPartner", kind).c_str(), "seconds and partner", planned_per_partner,
        slope);
}

void measure_scans() {
  constexpr double rows = 8 + 8 + 8;
  constexpr double rows_of_flat = 4 + 128;
  constexpr double rows_of_large = 16 + 16 + 16;
  Job few(make_torus(8), 4);
  Job many(make_torus(8), 32);
  Job flat(make_torus({4, 128}), 4);
  Job large(make_torus(16), 4);
  const double with_few = seconds_per_exchange(few);
  const double per_partner = (seconds_per_exchange(many) - with_few) / rows /
                             (partners_of_a_draw(many.graph) - partners_of_a_draw(few.graph));
  const double per_row = (seconds_per_exchange(flat) - with_few) / (rows_of_flat - rows);
  const double per_seat =
      (seconds_per_exchange(large) - with_few - per_row * (rows_of_large - rows)) /
      (large.ranks() - few.ranks());
  print("kScan", "seconds", rates::kScan, with_few - per_row * rows - per_seat * few.ranks());
  print("kScanPerSeat", "seconds and seat, with much heat", rates::kScanPerSeat, per_seat);
  print("kExchangePerRow", "seconds and coordinate", rates::kExchangePerRow,
        per_row - per_partner * partners_of_a_draw(few.graph));
  print("kExchangePerPartner", "seconds, coordinate and partner", rates::kExchangePerPartner,
        per_partner);
}

// Of nodes on which half of the traffic stays.
void measure_border_moves() {
  constexpr unsigned slots = 64;
  const auto seconds_of_move = [](const std::vector<unsigned>& shape, double& partners) {
    Job job(make_torus(4), [&shape](Rank) { return grid_graph(shape); });
    job.give_room(slots);
    partners = partners_of_a_draw(job.graph);
    const double planned = rates::kBorderMove + rates::kBorderMovePerPartner * partners;
    return planned * seconds_per_move(job) / seconds_per_move(job.task(), partners, false);
  };
  double few = 0;
  double many = 0;
  const double with_few = seconds_of_move({64, 64}, few);
  const double with_many = seconds_of_move({4, 4, 4, 4, 4, 4}, many);
  const double slope = (with_many - with_few) / (many - few);
  print("kBorderMove", "seconds", rates::kBorderMove, with_few - slope * few);
  print("kBorderMovePerPartner", "seconds and partner", rates::kBorderMovePerPartner, slope);
}

// Of a ledger of a machine that is no grid, for each of its nodes and partner of a rank.
double seconds_of_upkeep() {
  constexpr unsigned slots = 8;
  constexpr Rank few = 64;
  constexpr Rank many = 256;
  double partners = 0;
  const auto seconds_on = [&partners](Rank nodes) {
    Job job(make_tree(nodes), [](Rank count) { return random_graph(slots * count, 16); });
    job.give_room(slots);
    partners = job.partners();
    return seconds_per_move(job);
  };
  return (seconds_on(many) - seconds_on(few)) / (partners * (many - few));
}

// Of a pair, to begin a search of as many ranks as there are nodes.
double seconds_of_tables(std::unique_ptr<Topology> network) {
  Job job(std::move(network), 12);
  const MappingTask task = job.task();
  return seconds_of([&] {
           const SearchSpace space(task);
           const Seating seating(space.plan(), map_linear(task));
         }) /
         static_cast<double>(task.graph.pairs());
}

void measure_search() {
  measure_scans();
  measure_border_moves();
  const auto torus = [] { return make_torus(8); };
  measure_moves(
      "", [] { return make_tree(512); }, rates::kMove, rates::kMovePerPartner);
  Job tabled(make_tree(512), 16);
  Job computed(make_tree(4096), 16);
  print("kHopsPerPartner", "seconds and partner", rates::kHopsPerPartner,
        (seconds_per_move(computed) - seconds_per_move(tabled)) / computed.partners());
  measure_moves(
      "Ledger", [] { return make_torus(17); }, rates::kLedgerMove, rates::kLedgerMovePerPartner);
  print("kLedgerUpkeep", "seconds, partner and node", rates::kLedgerUpkeep, seconds_of_upkeep());
  const auto crowd = [](Rank nodes) { return random_graph(kManySeats * nodes, 16); };
  Job alone(make_torus(10), 16);
  Job shared(make_torus(4), crowd);
  shared.give_room(kManySeats);
  print("kLedgerSeatChoice", "seconds and seat", rates::kLedgerSeatChoice,
        (seconds_per_move(shared) - seconds_per_move(alone)) / (kSeatsLookedAt - 1));
  Job safe(torus(), 16);
  Job risky(torus(), 16);
  safe.objective = parse_objective("completion-time");
  safe.give_room();
  risky.make_risky();
  print("kRiskPerPartner", "seconds and partner", rates::kRiskPerPartner,
        (seconds_per_move(risky) - seconds_per_move(safe)) / safe.partners());
  Job small(torus(), 6);
  Job large(make_torus(25), 6);
  print("kTablesPerPair", "seconds and pair", rates::kTablesPerPair,
        seconds_of_tables(make_torus(64)));
  print("kFarMemory", "seconds", rates::kFarMemory,
        seconds_per_move(large) - seconds_per_move(small));
  Job plain(torus(), [](Rank) { return stencil_graph(8, false); });
  Job dense(torus(), [](Rank) { return stencil_graph(8, true); });
  const double of_plain = seconds_per_load_try(plain);
  const double per_partner =
      (seconds_per_load_try(dense) - of_plain) / (dense.partners() - plain.partners());
  print("kLoadTry", "seconds", rates::kLoadTry, of_plain - per_partner * plain.partners());
  print("kLoadTryPerPartner", "seconds and partner", rates::kLoadTryPerPartner, per_partner);
  print("kLoadWalkPerPartner", "seconds and partner", rates::kLoadWalkPerPartner,
        (seconds_per_load_try(computed) - seconds_per_load_try(tabled)) / computed.partners());
  small.objective = parse_objective("completion-time");
  print("kDescentTriesPerSecond", "per second", rates::kDescentTriesPerSecond,
        1 / seconds_per_try(small));
}

void measure_frame() {
  Job small(make_torus(2), 4);
  Job thin(make_torus(16), 4);
  Job thick(make_torus(16), 32);
  Job empty(make_torus(16), 0);
  const double per_pair =
      (seconds_of_set_up(thick) - seconds_of_set_up(thin)) / (thick.pairs() - thin.pairs());
  print("kSetUp", "seconds", rates::kSetUp, seconds_of_set_up(small));
  print("kSetUpPerRank", "seconds and rank", rates::kSetUpPerRank,
        (seconds_of_set_up(thin) - per_pair * thin.pairs()) / thin.ranks());
  print("kSetUpPerPair", "seconds and pair", rates::kSetUpPerPair, per_pair);
  Job tree(make_tree(1024), 4);
  print("kTabledPair", "seconds and pair of nodes", rates::kTabledPair,
        2 * seconds_of([&] {
          const MappingTask task = tree.task();
          const SeatPlan plan(task.allocation, task.graph.ranks());
          const PairCost cost(task, plan);
        }) / (tree.ranks() * tree.ranks()));
  const double node = seconds_of_evaluating(empty) / empty.ranks();
  const double pair = (seconds_of_evaluating(thick) - node * thick.ranks()) / thick.pairs();
  print("kClosingPerPair", "seconds and pair", rates::kClosingPerPair, pair);
  print("kClosingPerNode", "seconds and node", rates::kClosingPerNode, node);
  Job huge(make_torus(80), 6);
  const double more = seconds_of_evaluating(huge) - pair * huge.pairs() - node * huge.ranks();
  print("kClosingPerFarNode", "seconds and node over 100,000", rates::kClosingPerFarNode,
        more / (huge.ranks() - rates::kNearNodes));
}

// Of an arrangement that is tried at all places of a box in which nodes are scattered.
double seconds_per_cell() {
  Job job(make_torus(16), 4);
  RandomSource random(1);
  std::erase_if(job.allocation, [&random](const AllocationEntry&) { return random.unit() < 0.4; });
  const auto box = HostBox::of(job.task(), 0);
  std::vector<Cell> cells;
  for (std::uint16_t i = 0; i < 512; ++i) {
    Cell cell{};
    cell[0] = i % 8;
    cell[1] = i / 8 % 8;
    cell[2] = i / 64;
    cells.push_back(cell);
  }
  const double places = job.topology->nodes();
  return seconds_of([&] { box->fewest_misses(cells); }) /
         (places * static_cast<double>(cells.size()));
}

// Of a pair, where SCOTCH goes by tables of parts, with few and with many partners: it grows with
// them as 1 + partners / kScotchManyPartners does.
void measure_scotch_of_cables() {
  Job few(make_cables(512), 8);
  Job many(make_cables(512), 48);
  const auto seconds_of_pair = [](Job& job) {
    const double all = seconds_of([&] { mapper("scotch")(job.task()); });
    return (all - rates::kScotchPerRank * job.ranks()) / job.pairs();
  };
  const double with_few = seconds_of_pair(few);
  const double slope = (seconds_of_pair(many) - with_few) / (many.partners() - few.partners());
  const double alone = with_few - slope * few.partners();
  print("kScotchPerPairOfCables", "seconds and pair", rates::kScotchPerPairOfCables, alone);
  print("kScotchManyPartners", "partners", rates::kScotchManyPartners, alone / slope);
}

void measure_mappers() {
  Job few(make_torus(8), 4);
  Job many(make_torus(8), 32);
  const auto time = [](Job& job, Mapping (*map)(const MappingTask&)) {
    return seconds_of([&] { map(job.task()); });
  };
  const auto of_level = [&](Job& job) {
    return time(job, mapper("bisect")) / kLanes / std::log2(job.ranks());
  };
  const double bisect_pair = (of_level(many) - of_level(few)) / (many.pairs() - few.pairs());
  print("kBisectPerRank", "seconds, rank and level", rates::kBisectPerRank,
        (of_level(few) - bisect_pair * few.pairs()) / few.ranks());
  print("kBisectPerPair", "seconds, pair and level", rates::kBisectPerPair, bisect_pair);
  // Regular traffic keeps these two going as long as they may: for a tenth and a fifth of the
  // time.
  const auto regular = [](const std::vector<unsigned>& shape) {
    return Job(make_torus(8), [&shape](Rank) { return grid_graph(shape); });
  };
  Job blocks = regular({8, 8, 8});
  Job cube = regular({4, 4, 4, 2, 2, 2});
  print("kBitLinearPerPair", "seconds, step and pair", rates::kBitLinearPerPair,
        rates::kBitLinearPerPair * times_planned(blocks, mapper("bit-linear"), 0.1));
  print("kFoldPerPair", "seconds, fold and pair", rates::kFoldPerPair,
        rates::kFoldPerPair * times_planned(cube, mapper("fold"), 0.2));
  print("kShiftPerCell", "seconds, shift and cell", rates::kShiftPerCell, seconds_per_cell());
  Job tree(make_tree(512), 4);
  print("kPartsTry", "seconds", rates::kPartsTry,
        rates::kPartsTry * times_planned(tree, mapper("multisect"), kLanes));
  print("kGreedyNodesPerSecond", "per second", rates::kGreedyNodesPerSecond,
        few.ranks() * few.ranks() / time(few, mapper("greedy")));
  const double slope =
      (time(many, mapper("scotch")) - time(few, mapper("scotch"))) / (many.pairs() - few.pairs());
  print("kScotchPerRank", "seconds and rank", rates::kScotchPerRank,
        (time(few, mapper("scotch")) - slope * few.pairs()) / few.ranks());
  print("kScotchPerPair", "seconds and pair", rates::kScotchPerPair, slope);
  measure_scotch_of_cables();
  Job large(make_torus(32), 4);
  print("kScotchPerPairOfParts", "seconds and pair of nodes", rates::kScotchPerPairOfParts,
        (time(large, mapper("scotch")) - slope * large.pairs() -
         rates::kScotchPerRank * large.ranks()) /
            (large.ranks() * large.ranks()));
  few.make_risky();
  print("kScotchPerPairOfNodes", "seconds and pair of nodes", rates::kScotchPerPairOfNodes,
        (time(few, mapper("tofa")) - time(few, mapper("scotch"))) / (few.ranks() * few.ranks()));
}

// Of the steps of `geometric`, at a size that a cache just holds, and of clusters there.
void measure_drawing() {
  constexpr unsigned few_pivots = 16;
  constexpr unsigned many_pivots = 48;
  const auto torus = make_torus(16);
  const auto seconds_of_pivot = [](const CommGraph& graph) {
    const auto with = [&graph](unsigned pivots) {
      return seconds_of([&] { draw(graph, pivots); });
    };
    return (with(many_pivots) - with(few_pivots)) / (many_pivots - few_pivots);
  };
  const CommGraph cube = grid_graph({16, 16, 16});
  const CommGraph dense = random_graph(cube.ranks(), 24);
  const double ranks = cube.ranks();
  print("kJoinPerPair", "seconds and pair", rates::kJoinPerPair,
        seconds_of([&] { share_between_clusters(dense, 8); }) / static_cast<double>(dense.pairs()));
  const auto pairs_of = [](const CommGraph& graph) { return static_cast<double>(graph.pairs()); };
  const double per_pair =
      (seconds_of_pivot(dense) - seconds_of_pivot(cube)) / 2 / (pairs_of(dense) - pairs_of(cube));
  print("kHopPerPair", "seconds and pair", rates::kHopPerPair, per_pair);
  print("kDrawPerRank", "seconds, rank and pivot", rates::kDrawPerRank,
        (seconds_of_pivot(cube) - 2 * per_pair * pairs_of(cube)) / ranks);
  RandomSource random(1);
  std::vector<double> keys(cube.ranks());
  const double sorting = seconds_of([&] {
    for (double& key : keys) key = random.unit();
    std::sort(keys.begin(), keys.end());
  });
  print("kCutPerRank", "seconds, rank and level", rates::kCutPerRank,
        sorting / ranks / std::log2(ranks));
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, 1});
  const SeatPlan plan(allocation, cube.ranks());
  const GridBoxes boxes(*torus, plan);
  Spreading spreading(dense, boxes);
  for (Rank rank = 0; rank < dense.ranks(); ++rank) spreading.put(rank, boxes.at(rank));
  print("kRelaxPerPartner", "seconds, partner and sweep", rates::kRelaxPerPartner,
        seconds_of([&] { spreading.relax(1, 1); }) / 2 / pairs_of(dense));
  print("kSpreadPerRank", "seconds, rank and level", rates::kSpreadPerRank,
        seconds_of([&] { spreading.spread(); }) / ranks / std::log2(ranks));
}

}  // namespace
}  // namespace tofa

int main() {
  fmt::print("| {:<22} | {:<32} | {:>9} | {:>9} |\n", "rate", "unit", "planned", "measured");
  fmt::print("|{:-<24}|{:-<34}|{:->10}:|{:->10}:|\n", "", "", "", "");
  tofa::measure_frame();
  tofa::measure_search();
  tofa::measure_mappers();
  tofa::measure_drawing();
}
