// SPDX-License-Identifier: BSD-3-Clause
// Pairs are counted once, from the rank that comes first: see tally.hpp.
#include "metrics/tally.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

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

  // The pairs of ranks [first, end) with those after each. Where they go is looked up for many at
  // once, so that large machines can fetch what they know of it meanwhile.
  void count(const CommGraph& graph, const Mapping& mapping, Rank first, Rank end) {
    for (Rank rank = first; rank < end; ++rank) {
      const Node here = mapping[rank];
      touch(here);
      for (const CommEdge& edge : partners_after(graph, rank)) {
        const Node there = mapping[edge.partner];
        topology_.fetch(there);
        looked_up_.push_back({here, there, edge.sent, edge.bytes - edge.sent});
        if (looked_up_.size() == kLookUp) count_looked_up();
      }
    }
    count_looked_up();
  }

  // The pairs of the ranks of one node with those after them. What goes to one node is put together
  // first, since ways take longer to count than bytes.
  void count_together(const CommGraph& graph, const Mapping& mapping, std::span<const Rank> ranks) {
    between_.resize(topology_.nodes());
    const Node here = mapping[ranks.front()];
    touch(here);
    for (const Rank rank : ranks) {
      for (const CommEdge& edge : partners_after(graph, rank)) {
        const Node there = mapping[edge.partner];
        Between& between = between_[there];
        if (between.forth + between.back == 0) met_.push_back(there);
        between.forth += edge.sent;
        between.back += edge.bytes - edge.sent;
      }
    }
    for (const Node there : met_) {
      const Between between = std::exchange(between_[there], {});
      count_pair(here, there, between.forth, between.back);
    }
    met_.clear();
  }

  // To be called once.
  Tally take() {
    if (loads_) tally_.link_loads = loads_->take();
    return std::move(tally_);
  }

 private:
  static constexpr std::size_t kLookUp = 64;  // pairs

  struct Pair {
    Node here;
    Node there;
    Bytes forth;
    Bytes back;
  };

  // Bytes from one node to another; no more than all ranks exchange, which 64 bits can count.
  struct Between {
    Bytes forth = 0;
    Bytes back = 0;
  };

  static std::span<const CommEdge> partners_after(const CommGraph& graph, Rank rank) {
    const auto partners = graph.partners(rank);
    const auto first = std::partition_point(partners.begin(), partners.end(),
                                            [rank](const CommEdge& e) { return e.partner < rank; });
    return {first, partners.end()};
  }

  void touch(Node node) {
    tally_.touched[node] = true;
    tally_.touched[topology_.host(node)] = true;
  }

  void count_looked_up() {
    for (const auto& [here, there, forth, back] : looked_up_) count_pair(here, there, forth, back);
    looked_up_.clear();
  }

  void count_pair(Node here, Node there, Bytes forth, Bytes back) {
    const unsigned hops = topology_.hops(here, there);
    const auto bytes = static_cast<double>(forth + back);
    send(here, there, hops, forth);
    send(there, here, hops, back);
    // Messages and acknowledgements go both ways, whatever the direction of the bytes.
    expose(here, there, hops, bytes / 2);
    expose(there, here, hops, bytes / 2);
    if (hops >= tally_.bytes_by_hops.size()) tally_.bytes_by_hops.resize(hops + 1);
    tally_.bytes_by_hops[hops] += bytes;
    tally_.hop_bytes += bytes * hops;
  }

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
  std::vector<Pair> looked_up_;
  std::vector<Between> between_;  // by node
  std::vector<Node> met_;         // those with bytes in between_
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

// Ranks by the nodes that they are on, where many share one.
class Sharing {
 public:
  Sharing(const Mapping& mapping, Node nodes) {
    std::vector<bool> used(nodes);
    for (const Node node : mapping) used[node] = true;
    const auto count = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    if (mapping.size() < kManyShare * count) return;
    first_.resize(std::size_t{nodes} + 1);
    for (const Node node : mapping) ++first_[node + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    ranks_.resize(mapping.size());
    std::vector<Rank> next(first_.begin(), first_.end() - 1);
    for (Rank rank = 0; rank < mapping.size(); ++rank) ranks_[next[mapping[rank]]++] = rank;
  }

  bool many() const { return !first_.empty(); }
  std::span<const Rank> ranks_on(Node node) const {
    return std::span(ranks_).subspan(first_[node], first_[node + 1] - first_[node]);
  }

 private:
  static constexpr std::size_t kManyShare = 3;  // of which each pair of nodes has more than one

  std::vector<Rank> first_;  // of each node, in ranks_; none where few share one
  std::vector<Rank> ranks_;
};

}  // namespace

Tally count_pairs(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                  const Mapping& mapping, Links links) {
  const FaultWeights weights(topology, outages);
  const Sharing sharing(mapping, topology.nodes());
  const auto count = [&](unsigned lane, unsigned lanes) {
    Counter counter(topology, weights, links);
    if (sharing.many()) {
      for (Node node = 0; node < topology.nodes(); ++node) {
        const std::span<const Rank> ranks = sharing.ranks_on(node);
        if (node % lanes == lane && !ranks.empty()) counter.count_together(graph, mapping, ranks);
      }
    } else {
      for (Rank first = lane * kBlock; first < graph.ranks(); first += lanes * kBlock)
        counter.count(graph, mapping, first, std::min(first + kBlock, graph.ranks()));
    }
    return counter.take();
  };
  if (graph.pairs() < kFewPairs) return count(0, 1);
  std::array<Tally, kLanes> tallies;
  run_lanes([&](unsigned lane) { tallies[lane] = count(lane, kLanes); });
  for (unsigned lane = 1; lane < kLanes; ++lane) {
    add(tallies.front(), tallies[lane]);
    tallies[lane] = {};
  }
  return std::move(tallies.front());
}

}  // namespace tofa
