// SPDX-License-Identifier: BSD-3-Clause
// Pairs are counted once, from the rank that comes first: see tally.hpp.
#include "metrics/tally.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "base/lanes.hpp"

namespace tofa {
namespace {

// Ranks whose pairs a lane counts before those of the other lane.
constexpr Rank kBlock = 64;
// Fewer pairs are counted before a thread has woken up.
constexpr std::size_t kFewPairs = 1U << 13U;

class Counter {
 public:
  Counter(const Topology& topology, const FaultWeights& weights, Links links)
      : topology_(topology),
        weights_(weights),
        costs_(topology.link_costs()),
        loads_(links == Links::count ? topology.link_loads() : nullptr) {
    tally_.touched.resize(topology.vertices());
  }

  // The pairs of a rank with those after it.
  void count(const CommGraph& graph, const Mapping& mapping, Rank rank) {
    const Node here = mapping[rank];
    tally_.touched[here] = true;
    tally_.touched[topology_.host(here)] = true;
    const auto partners = graph.partners(rank);
    auto edge = std::partition_point(partners.begin(), partners.end(),
                                     [rank](const CommEdge& e) { return e.partner < rank; });
    for (; edge != partners.end(); ++edge) {
      const Node there = mapping[edge->partner];
      const unsigned hops = topology_.hops(here, there);
      const auto bytes = static_cast<double>(edge->bytes);
      send(here, there, hops, edge->sent);
      send(there, here, hops, edge->bytes - edge->sent);
      // Messages and acknowledgements go both ways, whatever the direction of the bytes.
      expose(here, there, hops, bytes / 2);
      expose(there, here, hops, bytes / 2);
      if (hops >= tally_.bytes_by_hops.size()) tally_.bytes_by_hops.resize(hops + 1);
      tally_.bytes_by_hops[hops] += bytes;
      tally_.hop_bytes += bytes * hops;
    }
  }

  // To be called once.
  Tally take() {
    if (loads_) tally_.link_loads = loads_->take();
    return std::move(tally_);
  }

 private:
  void send(Node from, Node to, unsigned hops, Bytes bytes) {
    if (bytes == 0 || !loads_) return;
    const auto sent = static_cast<double>(bytes);
    loads_->send(from, to, sent);
    if (costs_ == nullptr) {
      tally_.pair_cost += sent * hops;
    } else {
      find_route(from, to);
      tally_.pair_cost += sent * costs_->of_route(route_);
    }
  }

  // Only suspect vertices matter, so only routes with one of them are walked.
  void expose(Node from, Node to, unsigned hops, double bytes) {
    const unsigned marked = weights_.marked_links(from, to);
    tally_.fault_weighted_cost += bytes * weights_.cost_of(hops, marked);
    if (marked == 0) return;
    find_route(from, to);
    for (const Link link : route_) tally_.touched[topology_.link_source(link)] = true;
  }

  void find_route(Node from, Node to) {
    route_.clear();
    topology_.route(from, to, route_);
  }

  const Topology& topology_;
  const FaultWeights& weights_;
  const LinkCosts* costs_;
  std::unique_ptr<LinkLoads> loads_;  // none where links are ignored
  std::vector<Link> route_;
  Tally tally_;
};

void add(std::vector<double>& to, const std::vector<double>& from) {
  to.resize(std::max(to.size(), from.size()));
  std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
}

void add(Tally& to, const Tally& from) {
  to.hop_bytes += from.hop_bytes;
  to.pair_cost += from.pair_cost;
  to.fault_weighted_cost += from.fault_weighted_cost;
  add(to.bytes_by_hops, from.bytes_by_hops);
  add(to.link_loads, from.link_loads);
  std::transform(from.touched.begin(), from.touched.end(), to.touched.begin(), to.touched.begin(),
                 std::logical_or<>());
}

}  // namespace

Tally count_pairs(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                  const Mapping& mapping, Links links) {
  const FaultWeights weights(topology, outages);
  if (graph.pairs() < kFewPairs) {
    Counter counter(topology, weights, links);
    for (Rank rank = 0; rank < graph.ranks(); ++rank) counter.count(graph, mapping, rank);
    return counter.take();
  }
  std::array<Tally, kLanes> tallies;
  run_lanes([&](unsigned lane) {
    Counter counter(topology, weights, links);
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      if (rank / kBlock % kLanes == lane) counter.count(graph, mapping, rank);
    }
    tallies[lane] = counter.take();
  });
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    add(tallies.front(), tallies[lane]);
    tallies[lane] = {};
  }
  return std::move(tallies.front());
}

}  // namespace tofa
