// SPDX-License-Identifier: BSD-3-Clause
// The search of `auto`: it begins where candidates end, and goes on from the best of them.
#pragma once

#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/search/candidates.hpp"

namespace tofa {

// Two lanes of annealing on distances, then on loads, where these count, and descent on the
// objective itself. Never worse than the first of the candidates, which come cheapest first.
MapperAnswer search_on(const MappingTask& task, std::vector<Candidate> candidates);

// Of that, the last steps alone: on loads and on the objective.
MapperAnswer descend_on(const MappingTask& task, std::vector<Candidate> candidates);

}  // namespace tofa
