// SPDX-License-Identifier: BSD-3-Clause
// Distances inside a node, and places of several cores: see machine.hpp.
#include "tofa/machine.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tofa/error.hpp"

namespace tofa {

unsigned Machine::distance(unsigned a, unsigned b) const {
  unsigned apart = 0;
  for (const Level& level : levels) apart += level.group[a] == level.group[b] ? 0 : 1;
  return apart;
}

Machine with_cores_per_place(const Machine& machine, unsigned cores) {
  Machine result;
  result.places = cores == 0 ? 0 : machine.places / cores;
  if (result.places == 0) {
    throw Error(ErrorKind::unmet,
                fmt::format("a rank needs {} cores, but the machine has {}; give it 1 to {}", cores,
                            machine.places, machine.places));
  }
  for (const Machine::Level& level : machine.levels) {
    // Borders that a place lies across get numbers of their own, behind those of the parts.
    unsigned next = *std::max_element(level.group.begin(), level.group.end()) + 1;
    Machine::Level& coarse = result.levels.emplace_back(Machine::Level{level.name, {}});
    for (unsigned place = 0; place < result.places; ++place) {
      const auto first = level.group.begin() + std::ptrdiff_t{place} * cores;
      const bool whole =
          std::all_of(first, first + cores, [first](unsigned group) { return group == *first; });
      coarse.group.push_back(whole ? *first : next++);
    }
  }
  return result;
}

}  // namespace tofa
