// SPDX-License-Identifier: BSD-3-Clause
// Shortest routes in any network. A table row per destination, computed when it is first needed;
// nodes that hang on a single cable need none, they share that of their switch.
#include "topology/graph_topology.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr unsigned kFar = std::numeric_limits<unsigned>::max();

}  // namespace

GraphTopology::GraphTopology(GraphSpec spec)
    : Topology(std::move(spec.nodes), spec.hop_cost),
      nodes_forward_(spec.nodes_forward),
      switches_(std::move(spec.switches)),
      cables_(std::move(spec.cables)) {
  index_cables();
  take_bandwidths();
  check_connected();
  find_core();
  find_tree();
  destinations_ = std::vector<Destination>(core_.size());
  for (PrescribedRoute& route : spec.routes) {
    prescribed_.emplace(pair_key(route.from, route.to), std::move(route.way));
  }
}

void GraphTopology::index_cables() {
  cables_start_.assign(std::size_t{named()} + 1, 0);
  for (std::uint32_t cable = 0; cable < cables_.size(); ++cable) {
    first_hop_.push_back(static_cast<std::uint32_t>(cable_of_hop_.size()));
    cable_of_hop_.insert(cable_of_hop_.end(), cables_[cable].length, cable);
    ++cables_start_[cables_[cable].a + 1];
    ++cables_start_[cables_[cable].b + 1];
  }
  for (std::uint32_t vertex = 0; vertex < named(); ++vertex) {
    cables_start_[vertex + 1] += cables_start_[vertex];
  }
  cables_at_.resize(2 * cables_.size());
  std::vector<std::uint32_t> next(cables_start_.begin(), cables_start_.end() - 1);
  for (std::uint32_t cable = 0; cable < cables_.size(); ++cable) {
    cables_at_[next[cables_[cable].a]++] = cable;
    cables_at_[next[cables_[cable].b]++] = cable;
  }
}

void GraphTopology::take_bandwidths() {
  const auto is_known = [](const Cable& cable) { return cable.bandwidth > 0; };
  if (std::none_of(cables_.begin(), cables_.end(), is_known)) return;
  std::vector<double> bandwidths(links());
  for (Link link = 0; link < links(); ++link)
    bandwidths[link] = cables_[cable_of_hop_[link / 2]].bandwidth;
  set_bandwidths(std::move(bandwidths));
}

// Numbers the parts of the network that hang together through vertices that forward; answers the
// part of each of those.
std::vector<std::uint32_t> GraphTopology::find_regions(std::uint32_t& count) const {
  std::vector<std::uint32_t> region(named(), kNone);
  std::vector<std::uint32_t> pending;
  count = 0;
  for (std::uint32_t start = 0; start < named(); ++start) {
    if (!forwards(start) || region[start] != kNone) continue;
    region[start] = count;
    pending.push_back(start);
    while (!pending.empty()) {
      const std::uint32_t vertex = pending.back();
      pending.pop_back();
      for (const std::uint32_t cable : cables_of(vertex)) {
        const std::uint32_t other = other_end(vertex, cable);
        if (!forwards(other) || region[other] != kNone) continue;
        region[other] = count;
        pending.push_back(other);
      }
    }
    ++count;
  }
  return region;
}

// All nodes have to be at one part of the network, which other parts may double.
void GraphTopology::check_connected() const {
  if (nodes() == 1) return;
  std::uint32_t regions = 0;
  const std::vector<std::uint32_t> region = find_regions(regions);
  std::vector<std::uint32_t> members(regions);
  std::vector<Node> last_member(regions, kNone);
  const auto join = [&](Node node, std::uint32_t at) {
    if (at == kNone || last_member[at] == node) return;
    last_member[at] = node;
    ++members[at];
  };
  for (Node node = 0; node < nodes(); ++node) {
    join(node, region[node]);
    for (const std::uint32_t cable : cables_of(node)) join(node, region[other_end(node, cable)]);
  }
  const auto largest = std::max_element(members.begin(), members.end());
  if (largest != members.end() && *largest == nodes()) return;
  const auto main = static_cast<std::uint32_t>(largest - members.begin());
  const auto is_member = [&](Node node) {
    const auto cables = cables_of(node);
    return region[node] == main || std::any_of(cables.begin(), cables.end(), [&](auto cable) {
             return region[other_end(node, cable)] == main;
           });
  };
  Node inside = 0;
  Node outside = 0;
  for (Node node = nodes(); node-- > 0;) (is_member(node) ? inside : outside) = node;
  if (inside == outside) outside = 1;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("nodes \"{}\" and \"{}\" are not connected; add the [[link]] entries "
                  "between them{}",
                  name(inside), name(outside),
                  nodes_forward_ ? "" : ", or nodes_forward = true if nodes pass messages on"));
}

void GraphTopology::find_core() {
  // Of two nodes with nothing but a cable between them, both are core.
  const auto hangs = [&](std::uint32_t vertex) {
    if (vertex >= nodes() || cables_of(vertex).size() != 1) return false;
    const std::uint32_t other = other_end(vertex, cables_of(vertex).front());
    return forwards(other) && (other >= nodes() || cables_of(other).size() > 1);
  };
  core_of_.assign(named(), kNone);
  for (std::uint32_t vertex = 0; vertex < named(); ++vertex) {
    if (hangs(vertex)) continue;
    core_of_[vertex] = static_cast<std::uint32_t>(core_.size());
    core_.push_back(vertex);
  }
  if (core_.size() > kLargestCore) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the graph has {} switches and nodes with several cables; {} are "
                            "possible, use a regular kind (torus, fat-tree, dragonfly) for more",
                            core_.size(), kLargestCore));
  }
  for (Node node = 0; node < nodes(); ++node) {
    if (core_of_[node] != kNone) {
      entries_.push_back({core_of_[node], kNone, 0});
    } else {
      const std::uint32_t cable = cables_of(node).front();
      entries_.push_back({core_of_[other_end(node, cable)], cable, cables_[cable].length});
    }
  }
}

// Where nodes of the core pass nothing on, a way through them is none.
void GraphTopology::find_tree() {
  const auto passes = [this](std::uint32_t vertex) { return forwards(vertex); };
  if (!std::all_of(core_.begin(), core_.end(), passes)) return;
  std::vector<CableTree::Cable> cables;
  for (std::uint32_t cable = 0; cable < cables_.size(); ++cable) {
    const std::uint32_t a = core_of_[cables_[cable].a];
    const std::uint32_t b = core_of_[cables_[cable].b];
    if (a == kNone || b == kNone) continue;
    cables.push_back({a, b, cables_[cable].length});
    tree_cable_.push_back(cable);
  }
  tree_ = CableTree::of(static_cast<std::uint32_t>(core_.size()), cables);
}

std::string GraphTopology::describe() const {
  return fmt::format("graph of {} switches and {} cables", switches_.size(), cables_.size());
}

std::uint32_t GraphTopology::vertices() const {
  return named() + static_cast<std::uint32_t>(cable_of_hop_.size() - cables_.size());
}

// Hop i of a cable leads to the i-th point on it; the points of all cables are numbered in a row.
std::uint32_t GraphTopology::link_source(Link link) const {
  const std::uint32_t hop = link / 2;
  const std::uint32_t cable = cable_of_hop_[hop];
  const std::uint32_t position = hop - first_hop_[cable] + link % 2;
  if (position == 0) return cables_[cable].a;
  if (position == cables_[cable].length) return cables_[cable].b;
  return named() + first_hop_[cable] - cable + position - 1;
}

std::string GraphTopology::vertex_name(std::uint32_t vertex) const {
  if (vertex < nodes()) return name(vertex);
  if (vertex < named()) return switches_[vertex - nodes()];
  // Points before cable c: first_hop_[c] - c, which never falls from one cable to the next.
  const std::uint32_t point = vertex - named();
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(cables_.size());
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (first_hop_[middle] - middle <= point ? low : high) = middle;
  }
  return fmt::format("{}~{}+{}", vertex_name(cables_[low].a), vertex_name(cables_[low].b),
                     point - (first_hop_[low] - low) + 1);
}

// What the node is cabled to.
std::string GraphTopology::location(Node node) const {
  std::vector<std::string> names;
  for (const std::uint32_t cable : cables_of(node)) {
    names.push_back(vertex_name(other_end(node, cable)));
  }
  return fmt::format("- {}", fmt::join(names, " "));
}

unsigned GraphTopology::length(const std::vector<Passage>& way) const {
  unsigned sum = 0;
  for (const Passage& passage : way) sum += cables_[passage.cable].length;
  return sum;
}

unsigned GraphTopology::hops(Node a, Node b) const {
  if (a == b) return 0;
  if (!prescribed_.empty()) {
    const auto found = prescribed_.find(pair_key(a, b));
    if (found != prescribed_.end()) return length(found->second);
  }
  const Entry& from = entries_[a];
  const Entry& to = entries_[b];
  const unsigned ends = from.hops + to.hops;
  if (from.core == to.core) return ends;
  if (tree_) return ends + tree_->hops(from.core, to.core);
  return ends + destination(to.core).hops[from.core];
}

void GraphTopology::route(Node from, Node to, std::vector<Link>& out) const {
  follow(from, to, [&](Passage passage) { append(passage, out); });
}

void GraphTopology::append(Passage passage, std::vector<Link>& out) const {
  const Link first = 2 * first_hop_[passage.cable];
  const unsigned hops = cables_[passage.cable].length;
  for (unsigned i = 0; i < hops; ++i) {
    out.push_back(passage.forward ? first + 2 * i : first + 2 * (hops - 1 - i) + 1);
  }
}

const GraphTopology::Destination& GraphTopology::destination(std::uint32_t core) const {
  Destination& result = destinations_[core];
  std::call_once(result.computed, [&] { compute(core, result); });
  return result;
}

// Dijkstra's algorithm within the core, backwards from the destination.
void GraphTopology::compute(std::uint32_t core, Destination& result) const {
  using Item = std::pair<unsigned, std::uint32_t>;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  result.hops.assign(core_.size(), kFar);
  result.hops[core] = 0;
  queue.emplace(0, core);
  while (!queue.empty()) {
    const auto [distance, at] = queue.top();
    queue.pop();
    const std::uint32_t vertex = core_[at];
    if (distance > result.hops[at] || (at != core && !forwards(vertex))) continue;
    for (const std::uint32_t cable : cables_of(vertex)) {
      const std::uint32_t next = core_of_[other_end(vertex, cable)];
      if (next == kNone) continue;
      const unsigned there = distance + cables_[cable].length;
      if (there >= result.hops[next]) continue;
      result.hops[next] = there;
      queue.emplace(there, next);
    }
  }
  choose_next(core, result);
}

// Of several shortest ways on, the destination decides which is taken, so that they share the load.
void GraphTopology::choose_next(std::uint32_t core, Destination& result) const {
  result.next.resize(core_.size(), {kNone, true});
  std::vector<std::uint32_t> choices;
  for (std::uint32_t at = 0; at < core_.size(); ++at) {
    if (at == core || result.hops[at] == kFar) continue;
    const std::uint32_t vertex = core_[at];
    choices.clear();
    for (const std::uint32_t cable : cables_of(vertex)) {
      const std::uint32_t other = other_end(vertex, cable);
      const std::uint32_t next = core_of_[other];
      if (next == kNone || result.hops[next] == kFar) continue;
      if (next != core && !forwards(other)) continue;
      if (result.hops[next] + cables_[cable].length == result.hops[at]) choices.push_back(cable);
    }
    const std::uint32_t cable = choices[core % choices.size()];
    result.next[at] = {cable, cables_[cable].a == vertex};
  }
}

}  // namespace tofa
