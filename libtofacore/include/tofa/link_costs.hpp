// SPDX-License-Identifier: BSD-3-Clause
// What it costs to send a byte over each link of a network whose links are not alike: some have
// less bandwidth than others, and other jobs use some of them already. A link costs 1 when it is as
// fast as the fastest one and nobody uses it; one that has a quarter of that left costs 4.
//
// Three measures, as in ResourceOracle: hops alone, the bandwidth that is left, or the time that
// links are stalled for lack of credits. The cost of a pair of nodes is the sum, the minimum or the
// maximum over the links of its route.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

class Topology;

enum class LinkMeasure { hops, bandwidth, stalls };
enum class RouteReduction { sum, min, max };

std::string_view measure_name(LinkMeasure measure);
std::string_view reduction_name(RouteReduction reduction);
// Throw Error (bad_input) that lists the names.
LinkMeasure parse_measure(std::string_view name);
RouteReduction parse_reduction(std::string_view name);

struct PairCostRule {
  LinkMeasure measure = LinkMeasure::bandwidth;
  RouteReduction reduction = RouteReduction::sum;
  friend bool operator==(const PairCostRule&, const PairCostRule&) = default;
};

// Bytes per second of links of which nobody said: 100 Gbit/s.
inline constexpr double kAssumedBandwidth = 12.5e9;

// Of a link that others seem to use up, so much is left: networks share, and what was measured a
// moment ago is not what will be.
inline constexpr double kLeastShareLeft = 0.05;

// What others put on links, as it was measured.
struct LinkUse {
  std::vector<double> bytes_per_second;  // by link
  std::vector<double> stalls;  // by link, the share of time, 0 to 1; empty: nobody measured
  std::size_t measured = 0;    // links that something was said about
  std::size_t unknown = 0;     // measurements of links that the topology lacks
  std::size_t ahead = 0;       // measurements of a time that has not come yet
};

// The bandwidth of a link, as it is known or assumed.
double bandwidth_of(const Topology& topology, Link link);
// What of it is left, in bytes per second, never nothing.
double bandwidth_left(const Topology& topology, const LinkUse& use, Link link);

class LinkCosts {
 public:
  // `cost` is by link, 1 or more.
  LinkCosts(std::vector<double> cost, PairCostRule rule);

  double cost(Link link) const { return cost_[link]; }
  std::span<const double> costs() const { return cost_; }
  PairCostRule rule() const { return rule_; }
  // 0 for no link at all.
  double of_route(std::span<const Link> route) const;
  // Whether all links cost the same and a route costs its hops.
  bool plain() const { return plain_; }

 private:
  std::vector<double> cost_;
  PairCostRule rule_;
  bool plain_;
};

// By the rule. Costs are multiples of 1/64, so that loads times costs are sums that doubles hold
// exactly, and at most 1024.
LinkCosts link_costs_of(const Topology& topology, const LinkUse& use, PairCostRule rule);

// Gives the topology such costs, or none where its links are all alike.
void weigh_links(Topology& topology, const LinkUse& use, PairCostRule rule);

// The sum, the least and the most of something over the links of a route; zeros for no link.
struct OverRoute {
  double sum = 0, min = 0, max = 0;
  double by(RouteReduction reduction) const;
};

// What the way from one node to another is like, for who asks: `tofa topology query`.
struct RouteState {
  unsigned hops = 0;
  OverRoute cost;            // as above
  OverRoute bandwidth_left;  // bytes per second
  OverRoute stalls;          // share of the time
};

// Answers about many pairs of nodes; what links are like is worked out once. One per thread.
class RouteQuery {
 public:
  RouteQuery(const Topology& topology, const LinkUse& use, PairCostRule rule);
  RouteState ask(Node from, Node to);
  // Of a single link.
  double cost(Link link) const { return costs_.cost(link); }
  double left(Link link) const { return left_[link]; }

 private:
  const Topology& topology_;
  const LinkUse& use_;
  LinkCosts costs_;
  std::vector<double> left_;
  std::vector<Link> route_;
};

}  // namespace tofa
