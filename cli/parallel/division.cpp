// SPDX-License-Identifier: BSD-3-Clause
// The one file that calls PT-SCOTCH. Its numbers have 32 bits, so weights are scaled until all of
// them together fit. What it does in several threads, or when messages arrive, is not the same in
// every run: a context of its own makes it so.
#include "division.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

// After mpi.h and stdio.h, which it does not include.
#include <cstdio>

#include <ptscotch.h>

#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

static_assert(sizeof(SCOTCH_Num) == sizeof(Rank), "header and library of 32-bit numbers");

constexpr double kMostLoad = 1.5e9;  // of all edges together
constexpr double kImbalance = 0.01;

void check(Processes& processes, int status) {
  if (processes.any(status != 0)) {
    throw Error(ErrorKind::unavailable,
                "PT-SCOTCH cannot cut the ranks in pieces; what it says is above");
  }
}

// Empty where all weigh the same.
std::vector<SCOTCH_Num> weights_of(Processes& processes, const RankRows& rows) {
  double sum = 0;
  Bytes least = std::numeric_limits<Bytes>::max();
  Bytes most = 0;
  for (const Bytes bytes : rows.bytes) {
    sum += static_cast<double>(bytes);
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, processes.all());
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, processes.all());
  sum = processes.sum(sum);
  std::vector<SCOTCH_Num> weights;
  if (least >= most) return weights;
  const auto edges = static_cast<double>(processes.sum(std::uint64_t{rows.bytes.size()}));
  // Each edge weighs 1 at least, for which there has to be room, too.
  const double scale = std::min(1.0, std::max(kMostLoad - edges, 1.0) / sum);
  weights.reserve(rows.bytes.size());
  for (const Bytes bytes : rows.bytes) {
    weights.push_back(
        static_cast<SCOTCH_Num>(std::max(1.0, std::floor(static_cast<double>(bytes) * scale))));
  }
  return weights;
}

// What PT-SCOTCH allocates, freed in the right order.
class Division {
 public:
  explicit Division(Processes& processes) : processes_(processes) {
    check(processes_, SCOTCH_contextInit(&context_));
    check(processes_, SCOTCH_dgraphInit(&graph_, processes_.all()));
    check(processes_, SCOTCH_dgraphInit(&bound_, processes_.all()));
    check(processes_, SCOTCH_stratInit(&strategy_));
  }
  ~Division() {
    SCOTCH_stratExit(&strategy_);
    SCOTCH_dgraphExit(&bound_);
    SCOTCH_dgraphExit(&graph_);
    SCOTCH_contextExit(&context_);
  }
  Division(const Division&) = delete;
  Division& operator=(const Division&) = delete;

  std::vector<std::uint32_t> run(const RankRows& rows, unsigned pieces, std::uint64_t seed) {
    const auto vertices = static_cast<SCOTCH_Num>(rows.ranks.size());
    const auto edges = static_cast<SCOTCH_Num>(rows.partners.size());
    std::vector<SCOTCH_Num> offsets(rows.offsets.begin(), rows.offsets.end());
    std::vector<SCOTCH_Num> weights = weights_of(processes_, rows);
    // It is given what it may write to, but only reads.
    auto* partners = reinterpret_cast<SCOTCH_Num*>(const_cast<Rank*>(rows.partners.data()));
    const bool weighted = processes_.any(!weights.empty());
    if (weighted && weights.empty()) weights.reserve(1);
    check(processes_, SCOTCH_dgraphBuild(&graph_, 0, vertices, vertices, offsets.data(),
                                         offsets.data() + 1, nullptr, nullptr, edges, edges,
                                         partners, nullptr, weighted ? weights.data() : nullptr));
    fix_random(seed);
    check(processes_, SCOTCH_contextBindDgraph(&context_, &graph_, &bound_));
    check(processes_, SCOTCH_stratDgraphMapBuild(&strategy_, SCOTCH_STRATDEFAULT,
                                                 static_cast<SCOTCH_Num>(processes_.count()),
                                                 static_cast<SCOTCH_Num>(pieces), kImbalance));
    std::vector<SCOTCH_Num> piece_of(std::max<std::size_t>(rows.ranks.size(), 1));
    check(processes_,
          SCOTCH_dgraphPart(&bound_, static_cast<SCOTCH_Num>(pieces), &strategy_, piece_of.data()));
    return {piece_of.begin(), piece_of.begin() + vertices};
  }

 private:
  void fix_random(std::uint64_t seed) {
    check(processes_, SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1));
    check(processes_, SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMRANDOMFIXEDSEED, 1));
    check(processes_, SCOTCH_contextRandomClone(&context_));
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(seed & 0x7fffffffU));
    SCOTCH_contextRandomReset(&context_);
    check(processes_, SCOTCH_contextThreadSpawn(&context_, 1, nullptr));
  }

  Processes& processes_;
  SCOTCH_Context context_{};
  SCOTCH_Dgraph graph_{};
  SCOTCH_Dgraph bound_{};
  SCOTCH_Strat strategy_{};
};

}  // namespace

std::vector<std::uint32_t> divide(Processes& processes, const RankRows& rows, unsigned pieces,
                                  std::uint64_t seed) {
  if (pieces < 2) return std::vector<std::uint32_t>(rows.ranks.size(), 0);
  const std::uint64_t edges = processes.sum(std::uint64_t{rows.partners.size()});
  if (static_cast<double>(edges) > kMostLoad) {
    throw Error(ErrorKind::unmet,
                "more pairs of ranks exchange something than the 750 million that PT-SCOTCH cuts");
  }
  return Division(processes).run(rows, pieces, seed);
}

}  // namespace tofa::cli
