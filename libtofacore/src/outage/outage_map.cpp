// SPDX-License-Identifier: BSD-3-Clause
// Outages by node of a topology, and equation 1 of the TOFA paper on top of the topology's route
// census.
#include <algorithm>
#include <vector>

#include "tofa/outage.hpp"

namespace tofa {

OutageMap::OutageMap(const OutageList& outages, const Topology& topology) {
  for (const HostOutage& outage : outages) {
    const auto node = topology.find(outage.host);
    if (!node) ++unknown_;
    if (!node || outage.probability <= 0) continue;
    if (p_.empty()) p_.resize(topology.nodes());
    // Two names of one host may both be listed; the worse news counts.
    p_[*node] = std::max(p_[*node], outage.probability);
  }
  for (Node node = 0; node < p_.size(); ++node) {
    const Node host = topology.host(node);
    if (host == node) continue;
    if (own_.empty()) own_ = p_;
    // An estimate for a virtual host has seen its host fail, too.
    const double beyond = p_[host] < 1 ? 1 - (1 - p_[node]) / (1 - p_[host]) : 0;
    own_[node] = std::max(beyond, 0.0);
    p_[node] = std::max(p_[node], p_[host]);
  }
  for (const double probability : p_) suspects_ += probability > 0 ? 1 : 0;
}

FaultWeights::FaultWeights(const Topology& topology, const OutageMap& outages)
    : topology_(&topology) {
  if (outages.suspects() == 0) return;
  std::vector<bool> marked(topology.nodes());
  for (Node node = 0; node < topology.nodes(); ++node) marked[node] = outages.suspect(node);
  census_ = topology.census(std::move(marked));
}

}  // namespace tofa
