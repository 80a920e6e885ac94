// SPDX-License-Identifier: BSD-3-Clause
// How fast an ordinary core is at what placing is made of. Work is planned by these figures and not
// by the clock, so that the same task is searched in the same way on any machine: they are taken
// slow, so that most machines end before the time that was planned. Not so
// kBorderMove: those moves take half as long again, and the clock cuts them short.
//
// `./dev bench` measures each of them with bench/rates.cpp, which prints what it finds beside what
// stands here.
#pragma once

namespace tofa::rates {

// Before and after the search. Seconds.
inline constexpr double kClosingPerPair = 1e-7;  // evaluating the last mappings and writing them
inline constexpr double kClosingPerNode = 4e-7;
inline constexpr double kNearNodes = 1e5;           // whose links' loads and the like fit a cache
inline constexpr double kClosingPerFarNode = 8e-7;  // more, of each node over these
inline constexpr double kSetUp = 0.01;  // candidates and the search's tables, of any task
inline constexpr double kSetUpPerRank = 3e-5;
inline constexpr double kSetUpPerPair = 2e-6;
inline constexpr double kTabledPair = 2e-8;     // of nodes, where there is no grid
inline constexpr double kTablesPerPair = 6e-7;  // the search's tables, of very many ranks

// Moves of the annealer. Seconds each, and more for every partner of the rank that moves.
inline constexpr double kMove = 1.1e-8;  // where the partners are looked at
inline constexpr double kMovePerPartner = 5e-9;
inline constexpr double kHopsPerPartner = 5e-8;   // more, where hops are worked out every time
inline constexpr double kLinksPerPartner = 1e-6;  // more, where ways cost what their links do
inline constexpr double kLedgerMove = 1.6e-8;     // by the ledger of a grid
inline constexpr double kLedgerMovePerPartner = 1e-9;
inline constexpr double kLedgerSeatChoice = 5e-9;  // more, for each other seat looked at
inline constexpr double kLedgerUpkeep = 4e-11;     // more, for a partner and node, off grids
inline constexpr double kBorderMove = 6.5e-8;      // over borders of the nodes of a grid
inline constexpr double kBorderMovePerPartner = 1e-9;
inline constexpr double kScan = 8e-8;  // by the heat bath of a small grid, for all seats at once
inline constexpr double kScanPerSeat = 8.6e-11;
inline constexpr double kExchangePerRow = 2.6e-9;    // more, for an exchange: each coordinate
inline constexpr double kExchangePerPartner = 1e-9;  // of the grid, and partner and coordinate
inline constexpr double kRiskPerPartner = 4e-9;      // more, where nodes may fail
inline constexpr double kFarMemory = 4e-8;           // more, where the ranks do not fit a cache

// Tries of an anneal on loads. Seconds each.
inline constexpr double kLoadTry = 2.5e-7;
inline constexpr double kLoadTryPerPartner = 5e-8;
// More, where routes are walked and hops worked out every time.
inline constexpr double kLoadWalkPerPartner = 1e-7;

// Moves of the descent, by ranks of up to eight partners, per second.
inline constexpr double kDescentTriesPerSecond = 1e6;

// Mappers.
inline constexpr double kBisectPerRank = 6.8e-7;  // seconds per rank and level of halves
inline constexpr double kBisectPerPair = 4e-8;    // more, per pair and level
// Twice that, to tell whether there is time to cut ranks level by level.
inline constexpr double kMultisectPerRank = 1.5e-6;
inline constexpr double kPartsTry = 5e-8;                 // seconds per exchange tried by multisect
inline constexpr double kJoinPerPair = 1e-7;              // seconds to see clusters
inline constexpr double kHopPerPair = 4e-9;               // seconds to look along a pair
inline constexpr double kDrawPerRank = 4e-8;              // seconds per rank and pivot
inline constexpr double kCutPerRank = 1.2e-8;             // seconds per rank and level
inline constexpr double kRelaxPerPartner = 1e-8;          // seconds per partner and sweep
inline constexpr double kSpreadPerRank = 2e-8;            // seconds per rank and level of boxes
inline constexpr double kBitLinearPerPair = 2.5e-9;       // seconds per step and sampled pair
inline constexpr double kFoldPerPair = 5e-8;              // seconds per fold and sampled pair
inline constexpr double kShiftPerCell = 2.5e-9;           // seconds per cell of what is shifted
inline constexpr double kGreedyNodesPerSecond = 1e8;      // looked at for a free slot
inline constexpr double kScotchPerRank = 2e-5;            // seconds
inline constexpr double kScotchPerPair = 2e-6;            // seconds
inline constexpr double kScotchPerPairOfParts = 5e-9;     // seconds: it looks for the next to split
inline constexpr double kScotchPerPairOfCables = 1.2e-5;  // seconds: it looks at all parts
inline constexpr double kScotchManyPartners = 30;         // for which that takes twice as long
inline constexpr double kScotchPerPairOfNodes = 7e-7;  // seconds to split a complete graph of nodes

// Of the time of a task, what a mapper gets that uses all it is given: little is left to gain
// behind it where hops alone count, and something where the loads of links do or seats stay free.
inline constexpr double kMapperShare = 0.8;
inline constexpr double kMapperShareBesideSearch = 0.5;
// Of the time of a task, what a mapper may take where a drawing has been found to do; and halves,
// which see what weighs much, as no drawing does.
inline constexpr double kDear = 0.4;
inline constexpr double kDearOfHalves = 0.7;

// To cut all parts of a graph in halves, once.
inline double seconds_to_halve(double vertices, double pairs) {
  return kBisectPerRank * vertices + kBisectPerPair * pairs;
}

}  // namespace tofa::rates
