// SPDX-License-Identifier: BSD-3-Clause
// Counting the places of a step: see places.hpp.
#include "places.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "tofa/error.hpp"

namespace tofa::spank {
namespace {

using slurm::NodeResources;
using slurm::RankNeeds;

std::size_t total(const std::vector<NodeSlots>& nodes) {
  return std::accumulate(nodes.begin(), nodes.end(), std::size_t{0},
                         [](std::size_t sum, const NodeSlots& node) { return sum + node.slots; });
}

Error unmet(const std::string& why) {
  return {ErrorKind::unmet, why};
}

// What decides and is not known must not be guessed.
void require_known(const std::vector<NodeResources>& nodes, const RankNeeds& needs,
                   const JobState& state) {
  const bool about_cores = needs.threads_per_core > 0 || needs.ranks_per_core > 0;
  const bool about_gres =
      needs.ranks_per_gpu > 0 || !needs.gres.empty() || !needs.gres_of_node.empty();
  if (state.nodes.empty() && (about_cores || about_gres || needs.ranks_per_socket > 0))
    throw unmet("Slurm does not say what the job has on its nodes");
  const bool sockets_known = std::all_of(
      nodes.begin(), nodes.end(), [](const NodeResources& node) { return node.sockets > 0; });
  if (needs.ranks_per_socket > 0 && !sockets_known)
    throw unmet("how many ranks a node takes with --ntasks-per-socket is not known here");
}

// --gpus says how many there are in all, not where. That is clear where it means all of the job's.
void require_clear_gpus(const std::vector<NodeResources>& nodes, const PlaceRequest& request) {
  const StepNeeds& needs = request.needs;
  for (const auto& [name, count] : needs.gpus_in_all) {
    std::uint64_t all = 0;
    for (const NodeResources& node : nodes) {
      const std::uint64_t here = slurm::count_of(node.gres, name);
      all = here == 0 ? 0 : all + here;
      if (here == 0) break;
    }
    if (all != count) {
      throw unmet(
          "which nodes give the GPUs of --gpus is not known here, unless it is all of them");
    }
  }
  // Beside other counts of GPUs, Slurm takes it for a number of ranks, too.
  if (needs.rank.ranks_per_gpu == 0) return;
  const auto entry = needs.gpus_in_all.find("gpu");
  const bool counted = entry != needs.gpus_in_all.end();
  const bool others = needs.rank.gres_of_node.contains("gpu") || !needs.rank.gres.empty();
  if (counted ? entry->second * needs.rank.ranks_per_gpu != request.ranks : others)
    throw unmet("how many ranks there are with --ntasks-per-gpu is not known here");
}

std::vector<NodeSlots> count(const std::vector<NodeResources>& nodes, const PlaceRequest& request,
                             const RankNeeds& needs) {
  std::vector<NodeSlots> places;
  for (const NodeResources& node : nodes) {
    if (const unsigned slots = slurm::ranks_on(node, needs); slots > 0)
      places.push_back({node.name, slots});
  }
  if (!request.overcommit || nodes.empty()) return places;
  places.clear();
  const auto each = static_cast<unsigned>((request.ranks - 1) / nodes.size() + 1);
  const unsigned most = needs.ranks_per_node > 0 ? needs.ranks_per_node : kWholeNode;
  for (const NodeResources& node : nodes)
    places.push_back({node.name, std::min(most, std::max(slurm::ranks_on(node, needs), each))});
  return places;
}

// A step may need fewer processors per rank than its job asked for, by having more ranks.
std::vector<NodeSlots> count_places(const std::vector<NodeResources>& nodes,
                                    const PlaceRequest& request) {
  auto places = count(nodes, request, request.needs.rank);
  if (!request.needs.cpus_inherited || total(places) >= request.ranks) return places;
  RankNeeds fewer = request.needs.rank;
  fewer.cpus = 1;
  return count(nodes, request, fewer);
}

// Processors that others have on each node. A step that is unevenly spread is taken to have all of
// its nodes.
NodeCounts taken_by_others(const JobState& state, std::vector<NodeClaim> claims) {
  std::set<long> known;
  for (const NodeClaim& claim : claims) known.insert(claim.process);
  for (const OtherStep& step : state.steps) {
    if (step.nodes.empty() || known.contains(step.srun)) continue;
    const auto nodes = static_cast<unsigned>(step.nodes.size());
    NodeClaim claim{step.srun, {}};
    for (const std::string& node : step.nodes)
      claim.nodes[node] = step.cpus % nodes == 0 ? step.cpus / nodes : kWholeNode;
    claims.push_back(std::move(claim));
  }
  return sum_of(claims);
}

// What is left of the nodes. Whose GPUs and memory others have is not known in detail.
std::vector<NodeResources> without_others(std::vector<NodeResources> nodes,
                                          const PlaceRequest& request, const JobState& state,
                                          const NodeCounts& taken) {
  const bool in_parts = request.exact && !state.counts_memory;
  for (NodeResources& node : nodes) {
    const auto entry = taken.find(node.name);
    if (entry == taken.end()) continue;
    const unsigned threads = std::max(1U, node.threads_per_core);
    const std::uint64_t cores = (std::uint64_t{entry->second} + threads - 1) / threads * threads;
    const bool gone = !in_parts || !node.gres.empty() || cores >= node.cpus;
    node.cpus = gone ? 0 : node.cpus - static_cast<unsigned>(cores);
  }
  std::erase_if(nodes, [](const NodeResources& node) { return node.cpus == 0; });
  return nodes;
}

// As few on each node as possible: as Slurm spreads ranks, which share the GPUs of their node.
void spread(std::vector<NodeSlots>& places, const PlaceRequest& request) {
  std::vector<unsigned> slots;
  slots.reserve(places.size());
  for (const NodeSlots& node : places) slots.push_back(node.slots);
  std::sort(slots.rbegin(), slots.rend());
  slots.resize(std::min<std::size_t>(slots.size(), request.nodes.value_or(slots.size())));
  const auto held = [&slots](unsigned level) {
    std::size_t sum = 0;
    for (const unsigned count : slots) sum += std::min(count, level);
    return sum;
  };
  const unsigned most = slots.empty() ? 0 : slots.front();
  unsigned level = 1;
  while (level < most && held(level) < request.ranks) ++level;
  for (NodeSlots& node : places) node.slots = std::min(node.slots, level);
}

bool have_gpus(const std::vector<NodeResources>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodeResources& node) {
    return slurm::count_of(node.gres, "gpu") > 0;
  });
}

}  // namespace

std::vector<NodeSlots> find_places(const std::vector<NodeResources>& nodes,
                                   const PlaceRequest& request, const JobState& state,
                                   const std::vector<NodeClaim>& claimed) {
  require_known(nodes, request.needs.rank, state);
  require_clear_gpus(nodes, request);
  auto places = count_places(nodes, request);
  if (total(places) < request.ranks) {
    throw unmet(fmt::format(
        "{} ranks need as many places, but the {} nodes of the allocation have {}; ask for more "
        "nodes, or add --overcommit (-O)",
        request.ranks, nodes.size(), total(places)));
  }
  const NodeCounts taken = taken_by_others(state, claimed);
  if (!request.overlaps && !request.overcommit && !taken.empty()) {
    places = count_places(without_others(nodes, request, state, taken), request);
    if (total(places) < request.ranks) {
      throw unmet(fmt::format("the job's other steps leave {} places free, {} ranks need more",
                              total(places), request.ranks));
    }
  }
  if (have_gpus(nodes) && !request.needs.gpus_by_rank()) spread(places, request);
  return places;
}

}  // namespace tofa::spank
