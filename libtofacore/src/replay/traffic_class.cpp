// SPDX-License-Identifier: BSD-3-Clause
// Classes of made-up traffic: stencils in two and three dimensions, the exchange of collectives,
// communities, and random pairs, which no placement does much about.
#include "replay/traffic_class.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tofa/grid_traffic.hpp"
#include "tofa/job_traffic.hpp"

namespace tofa {
namespace {

constexpr Bytes kMessage = 1000;

// As MPI_Dims_create: the factors of `ranks`, as even as they can be.
std::vector<unsigned> factors_of(Rank ranks, std::size_t dimensions) {
  std::vector<unsigned> shape(dimensions, 1);
  std::vector<unsigned> primes;
  for (unsigned divisor = 2; divisor * divisor <= ranks; ++divisor)
    for (; ranks % divisor == 0; ranks /= divisor) primes.push_back(divisor);
  if (ranks > 1) primes.push_back(ranks);
  for (std::size_t i = primes.size(); i-- > 0;)
    *std::min_element(shape.begin(), shape.end()) *= primes[i];
  return shape;
}

Traffic halo(Rank ranks, std::size_t dimensions) {
  GridTraffic grid;
  grid.shape = factors_of(ranks, dimensions);
  grid.bytes = kMessage;
  return grid_traffic(grid, "halo");
}

Traffic make_halo_2d(Rank ranks, RandomSource& /*random*/) {
  return halo(ranks, 2);
}

Traffic make_halo_3d(Rank ranks, RandomSource& /*random*/) {
  return halo(ranks, 3);
}

void exchange(Traffic& traffic, Rank a, Rank b, Bytes bytes) {
  if (a == b || a >= traffic.ranks || b >= traffic.ranks) return;
  traffic.entries.push_back({a, b, bytes});
  traffic.entries.push_back({b, a, bytes});
}

// Recursive doubling, as MPI_Allreduce does it.
Traffic make_collective(Rank ranks, RandomSource& /*random*/) {
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  for (Rank step = 1; step < ranks; step *= 2) {
    for (Rank rank = 0; rank < ranks; ++rank)
      if ((rank & step) == 0) exchange(traffic, rank, rank | step, kMessage);
  }
  return traffic;
}

// Groups of up to 32 ranks that talk among themselves, and a little to others.
Traffic make_communities(Rank ranks, RandomSource& random) {
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  constexpr Rank most = 32;
  constexpr int partners = 4;
  for (Rank first = 0; first < ranks; first += most) {
    const Rank size = std::min(most, ranks - first);
    for (Rank rank = first; rank < first + size; ++rank) {
      for (int i = 0; i < partners; ++i)
        exchange(traffic, rank, first + random.below(size), kMessage);
      exchange(traffic, rank, random.below(ranks), kMessage / 2);
    }
  }
  return traffic;
}

Traffic make_pairs(Rank ranks, RandomSource& random) {
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  constexpr int partners = 3;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < partners; ++i) exchange(traffic, rank, random.below(ranks), kMessage);
  }
  return traffic;
}

constexpr TrafficClass kHalo2d{"halo-2d", make_halo_2d};
constexpr TrafficClass kHalo3d{"halo-3d", make_halo_3d};
constexpr TrafficClass kCollective{"collective", make_collective};
constexpr TrafficClass kCommunities{"communities", make_communities};
constexpr TrafficClass kPairs{"pairs", make_pairs};

// That share of the ranks change places among themselves.
void renumber_some(Traffic& traffic, double share, RandomSource& random) {
  std::vector<Rank> moved;
  for (Rank rank = 0; rank < traffic.ranks; ++rank)
    if (random.unit() < share) moved.push_back(rank);
  std::vector<Rank> places(moved);
  random.shuffle(places);
  std::vector<Rank> number(traffic.ranks);
  std::iota(number.begin(), number.end(), 0U);
  for (std::size_t i = 0; i < moved.size(); ++i) number[moved[i]] = places[i];
  for (TrafficEntry& entry : traffic.entries) {
    entry.sender = number[entry.sender];
    entry.receiver = number[entry.receiver];
  }
}

std::uint64_t seed_for(std::string_view program, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;  // FNV-1a
  for (const char c : program) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

}  // namespace

Registry<TrafficClass> traffic_class_registry() {
  static constexpr std::array classes{&kHalo2d, &kHalo3d, &kCollective, &kCommunities, &kPairs};
  return classes;
}

std::vector<std::string> traffic_classes() {
  return names_of(traffic_class_registry());
}

Traffic make_traffic(const TrafficClass& which, std::string_view program, Rank ranks,
                     std::uint64_t seed) {
  RandomSource random(seed_for(program, seed));
  Traffic traffic = which.make(ranks, random);
  traffic.normalise();
  return traffic;
}

Traffic random_traffic(std::string_view program, Rank ranks, std::uint64_t seed) {
  RandomSource random(seed_for(program, seed));
  const auto classes = traffic_class_registry();
  const TrafficClass& which = *classes[random.below(static_cast<std::uint32_t>(classes.size()))];
  constexpr std::array shares{0.0, 0.1, 0.3};
  const double share = shares[random.below(shares.size())];
  Traffic traffic = which.make(ranks, random);
  renumber_some(traffic, share, random);
  traffic.normalise();
  return traffic;
}

}  // namespace tofa
