// SPDX-License-Identifier: BSD-3-Clause
// What `auto` chooses from: what the mappers of the registry find, in an order that leaves most of
// the time to the search.
#pragma once

#include <string_view>
#include <vector>

#include "mapping/mapper.hpp"

namespace tofa {

struct Candidate {
  Mapping mapping;
  std::string_view origin;
  Metrics metrics;
  double cost = 0;       // of the objective
  double seconds = 0;    // it took, for a mapper of the registry
  double given = 0;      // seconds that were its own
  unsigned order = 0;    // how many came before it: decides between equals
  bool variant = false;  // of another candidate, from the same mapper
};

Candidate assess(const MappingTask& task, Mapping mapping, std::string_view origin);

bool cheaper(const Candidate& a, const Candidate& b);
bool is_shorter(const Candidate& a, const Candidate& b);  // ways, by what goes along them

// Whether a brief anneal from each of several candidates tells the better start. Of many ranks it
// tells little about a drawing, but where nodes have room for groups it does, and of very many it
// would take as long as the search.
bool starts_can_be_told(const MappingTask& task);

bool counts_risks(const MappingTask& task);

// Whether an abort is so likely that there may be something to gain by avoiding it.
bool is_exposed(const MappingTask& task, const Candidate& candidate);

// Whether all pairs that talk are one hop apart, which is as close as ranks on different nodes can
// be, and no node in use can fail, so that there is nothing to gain.
bool is_perfect(const MappingTask& task, const Candidate& candidate);

// The candidates of the registry, cheapest first; of equals the one that came first. What is dear
// is left out where it is needless.
std::vector<Candidate> run_candidates(const MappingTask& task);
// Those alone that come first, as they cost next to nothing, and those that the answer is to be no
// worse than.
std::vector<Candidate> run_baselines(const MappingTask& task);

// An anneal on distances sees no loads, and had better go on from where hops are the fewest: a link
// that is busier than all others is soon relieved. Where loads count, that one comes first; of
// candidates that avoid suspect nodes, if the cheapest does: ranks that use one are not sure to
// leave it.
std::vector<Candidate> shortest_first(const MappingTask& task, std::vector<Candidate> candidates);

// Of candidates of which others than the first are in that order, those worth a brief search: the
// first, the next one that is another and dearer, but not much, and then variants of which that is
// true. What lies beside what in them may be worth more than a cheaper arrangement.
std::vector<Candidate> likely_starts(std::vector<Candidate>&& candidates);

// Of candidates in that order, all that differ in what they cost and are no variants, if loads
// count and ranks are not so many that a brief search takes long.
std::vector<Candidate> other_starts(const MappingTask& task,
                                    const std::vector<Candidate>& candidates);

// Of the time, what candidates had for themselves; less what placing groups would have taken, where
// a drawing does as well.
double seconds_spent(const MappingTask& task, const std::vector<Candidate>& candidates);

}  // namespace tofa
