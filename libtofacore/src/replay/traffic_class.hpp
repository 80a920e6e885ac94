// SPDX-License-Identifier: BSD-3-Clause
// Traffic that is made up, for jobs of which nobody has a profile: the entry of a class, and what
// all of them need. A new class is an entry of the table in traffic_class.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

struct TrafficClass {
  std::string_view name;
  Traffic (*make)(Rank ranks, RandomSource& random);
};

Registry<TrafficClass> traffic_class_registry();

// The traffic of a program of class "random": one of the classes, with none, some or all of its
// ranks numbered at random; the same for the same program.
Traffic random_traffic(std::string_view program, Rank ranks, std::uint64_t seed);
Traffic make_traffic(const TrafficClass& which, std::string_view program, Rank ranks,
                     std::uint64_t seed);

}  // namespace tofa
