// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies: groups of routers that are all linked to each other, nodes at every router, and
// cables between the groups (Kim et al., Technology-driven, highly-scalable dragonfly topology,
// 2008). Routing is minimal: at most one local hop, one global hop, one local hop. The global ports
// of a group are numbered router by router; an arrangement says which group each leads to (Hastings
// et al., Comparing global link arrangements for dragonfly networks, 2015).
#include <fmt/core.h>

#include "topology/kinds.hpp"

namespace tofa {
namespace {

enum class Arrangement {
  absolute,   // ports lead to group 0, 1, 2, ..., the own one left out
  relative,   // to the next group, the one after it, ...
  circulant,  // to the next group, the one before, the next but one, ...
};

struct DragonflySpec {
  unsigned groups = 1;
  unsigned routers = 1;           // per group
  unsigned nodes_per_router = 1;  // positions; names may be fewer
  unsigned global_links = 1;      // per router
  Arrangement arrangement = Arrangement::absolute;
  std::vector<std::string> names;
  double hop_cost = 1;

  // How often the ports of a group go round all the others; what remains is not connected.
  unsigned rounds() const { return groups == 1 ? 0 : routers * global_links / (groups - 1); }
};

class DragonflyTopology final : public Topology {
 public:
  explicit DragonflyTopology(DragonflySpec spec)
      : Topology(std::move(spec.names), spec.hop_cost),
        spec_(std::move(spec)),
        rounds_(spec_.rounds()),
        ports_(rounds_ * (spec_.groups - 1)),
        first_local_(2 * nodes()),
        first_global_(first_local_ + all_routers() * (spec_.routers - 1)) {}

  std::string kind() const override { return "dragonfly"; }
  std::string describe() const override {
    return fmt::format("dragonfly of {} groups with {} routers with {} nodes and {} global links",
                       spec_.groups, spec_.routers, spec_.nodes_per_router, spec_.global_links);
  }

  Link links() const override { return first_global_ + spec_.groups * ports_; }
  std::uint32_t vertices() const override { return nodes() + all_routers(); }

  std::uint32_t link_source(Link link) const override {
    if (link < first_local_) {
      return link % 2 == 0 ? link / 2 : nodes() + router_of(link / 2);
    }
    if (link < first_global_) return nodes() + (link - first_local_) / (spec_.routers - 1);
    return nodes() +
           router_at_port((link - first_global_) / ports_, (link - first_global_) % ports_);
  }

  // Links of nodes, within groups, between groups.
  std::vector<std::uint8_t> link_classes() const override {
    std::vector<std::uint8_t> classes(links(), 2);
    std::fill(classes.begin(), classes.begin() + first_global_, std::uint8_t{1});
    std::fill(classes.begin(), classes.begin() + first_local_, std::uint8_t{0});
    return classes;
  }
  std::size_t link_class_count() const override { return 3; }

  std::uint32_t link_target(Link link) const override {
    if (link < first_local_) return link_source(link ^ 1U);
    if (link < first_global_) {
      const std::uint32_t router = (link - first_local_) / (spec_.routers - 1);
      const unsigned slot = (link - first_local_) % (spec_.routers - 1);
      const unsigned own = router % spec_.routers;
      return nodes() + router - own + slot + (slot < own ? 0 : 1);
    }
    const unsigned group = (link - first_global_) / ports_;
    const unsigned port = (link - first_global_) % ports_;
    const unsigned other = group_behind(group, port % (spec_.groups - 1));
    const unsigned round = port / (spec_.groups - 1);
    return nodes() + router_at_port(other, port_to(other, group, round));
  }

  std::string vertex_name(std::uint32_t vertex) const override {
    if (vertex < nodes()) return name(vertex);
    const std::uint32_t router = vertex - nodes();
    return fmt::format("router-{}-{}", router / spec_.routers, router % spec_.routers);
  }

  unsigned hops(Node a, Node b) const override {
    if (a == b) return 0;
    const std::uint32_t from = router_of(a);
    const std::uint32_t to = router_of(b);
    if (from == to) return 2;
    if (from / spec_.routers == to / spec_.routers) return 3;
    return 2 + shortest_crossing(from, to);
  }

  void route(Node from, Node to, std::vector<Link>& out) const override {
    if (from == to) return;
    const std::uint32_t first = router_of(from);
    const std::uint32_t last = router_of(to);
    out.push_back(2 * from);
    if (first / spec_.routers == last / spec_.routers) {
      add_local(first, last, out);
    } else {
      const unsigned round = choose_round(first, last, to);
      const unsigned here = first / spec_.routers;
      const unsigned there = last / spec_.routers;
      const unsigned port = port_to(here, there, round);
      add_local(first, router_at_port(here, port), out);
      out.push_back(first_global_ + here * ports_ + port);
      add_local(router_at_port(there, port_to(there, here, round)), last, out);
    }
    out.push_back(2 * to + 1);
  }

  std::string location(Node node) const override { return vertex_name(nodes() + router_of(node)); }

  std::optional<Hierarchy> hierarchy() const override {
    Hierarchy result;
    result.fan_out = {spec_.groups, spec_.routers, spec_.nodes_per_router};
    result.hops = {5, 3, 2};
    for (Node node = 0; node < nodes(); ++node) result.leaf.push_back(node);
    return result;
  }

 private:
  std::uint32_t all_routers() const { return spec_.groups * spec_.routers; }
  std::uint32_t router_of(Node node) const { return node / spec_.nodes_per_router; }

  std::uint32_t router_at_port(unsigned group, unsigned port) const {
    return group * spec_.routers + port / spec_.global_links;
  }

  // The group that a port of the first round leads to, and back: group_behind(g, slot_of(g, x)) is
  // x.
  unsigned group_behind(unsigned group, unsigned slot) const {
    switch (spec_.arrangement) {
      case Arrangement::absolute:
        return slot < group ? slot : slot + 1;
      case Arrangement::relative:
        return (group + slot + 1) % spec_.groups;
      default:
        return slot % 2 == 0 ? (group + slot / 2 + 1) % spec_.groups
                             : (group + spec_.groups - slot / 2 - 1) % spec_.groups;
    }
  }

  unsigned slot_of(unsigned group, unsigned other) const {
    const unsigned ahead = (other + spec_.groups - group) % spec_.groups;
    switch (spec_.arrangement) {
      case Arrangement::absolute:
        return other < group ? other : other - 1;
      case Arrangement::relative:
        return ahead - 1;
      default:
        return ahead <= spec_.groups / 2 ? 2 * (ahead - 1) : 2 * (spec_.groups - ahead) - 1;
    }
  }

  unsigned port_to(unsigned group, unsigned other, unsigned round) const {
    return slot_of(group, other) + round * (spec_.groups - 1);
  }

  // Hops between routers of different groups over the cable of a round.
  unsigned crossing(std::uint32_t from, std::uint32_t to, unsigned round) const {
    const unsigned here = from / spec_.routers;
    const unsigned there = to / spec_.routers;
    return 1 + (router_at_port(here, port_to(here, there, round)) != from ? 1 : 0) +
           (router_at_port(there, port_to(there, here, round)) != to ? 1 : 0);
  }

  unsigned shortest_crossing(std::uint32_t from, std::uint32_t to) const {
    unsigned best = 3;
    for (unsigned round = 0; round < rounds_ && best > 1; ++round) {
      best = std::min(best, crossing(from, to, round));
    }
    return best;
  }

  // Of the shortest ways across, the destination decides which is taken.
  unsigned choose_round(std::uint32_t from, std::uint32_t to, Node destination) const {
    const unsigned best = shortest_crossing(from, to);
    const auto is_best = [&](unsigned round) { return crossing(from, to, round) == best; };
    unsigned count = 0;
    for (unsigned round = 0; round < rounds_; ++round) count += is_best(round) ? 1 : 0;
    unsigned skip = destination % count;
    for (unsigned round = 0;; ++round) {
      if (is_best(round) && skip-- == 0) return round;
    }
  }

  void add_local(std::uint32_t from, std::uint32_t to, std::vector<Link>& out) const {
    if (from == to) return;
    const unsigned own = from % spec_.routers;
    const unsigned other = to % spec_.routers;
    out.push_back(first_local_ + from * (spec_.routers - 1) + (other < own ? other : other - 1));
  }

  DragonflySpec spec_;
  unsigned rounds_;
  unsigned ports_;     // global ones per group that are connected
  Link first_local_;   // before it: a link up and a link down for each node
  Link first_global_;  // before it: a link from each router to each other of its group
};

Arrangement read_arrangement(const TopologyFile& file) {
  const toml::node* node = file.topology.get("arrangement");
  if (node == nullptr) return Arrangement::absolute;
  const auto text = node->value_exact<std::string>();
  if (text == "absolute") return Arrangement::absolute;
  if (text == "relative") return Arrangement::relative;
  if (text == "circulant") return Arrangement::circulant;
  file.fail(*node, "arrangement must be \"absolute\", \"relative\" or \"circulant\"");
}

void check_size(const TopologyFile& file, const DragonflySpec& spec) {
  const std::uint64_t routers = std::uint64_t{spec.groups} * spec.routers;
  const std::uint64_t positions = routers * spec.nodes_per_router;
  const std::uint64_t links = 2 * positions + routers * (spec.routers + spec.global_links);
  if (positions > kMostNodes || links > kMostLinks) {
    file.fail(file.topology,
              fmt::format("{} groups of {} routers with {} nodes and {} global links are more than "
                          "{} nodes or {} links",
                          spec.groups, spec.routers, spec.nodes_per_router, spec.global_links,
                          kMostNodes, kMostLinks));
  }
  if (spec.groups > 1 && spec.rounds() == 0) {
    file.fail(*file.topology.get("global_links"),
              fmt::format("{} groups need {} global links per group, but {} routers with {} each "
                          "have {}; raise global_links or routers",
                          spec.groups, spec.groups - 1, spec.routers, spec.global_links,
                          spec.routers * spec.global_links));
  }
}

std::unique_ptr<Topology> make_dragonfly(const TopologyFile& file) {
  file.check_keys(file.topology, "[topology]",
                  {"kind", "groups", "routers", "nodes_per_router", "global_links", "arrangement",
                   "nodes", "hop_cost"});
  file.check_keys(file.root, "the file", {"topology"});
  DragonflySpec spec;
  spec.groups = file.number("groups", 1, 65535);
  spec.routers = file.number("routers", 1, 65535);
  spec.nodes_per_router = file.number("nodes_per_router", 1, 65535);
  // As few as connect every group with every other.
  const unsigned enough = std::max(1U, (spec.groups - 1 + spec.routers - 1) / spec.routers);
  spec.global_links = file.number("global_links", 1, 65535, enough);
  spec.arrangement = read_arrangement(file);
  spec.hop_cost = file.hop_cost();
  check_size(file, spec);
  spec.names = file.node_names();
  file.check_room(spec.names.size(),
                  std::uint64_t{spec.groups} * spec.routers * spec.nodes_per_router);
  return file.build([&] { return std::make_unique<DragonflyTopology>(std::move(spec)); });
}

}  // namespace

extern constexpr TopologyKind kDragonflyKind{"dragonfly", make_dragonfly};

}  // namespace tofa
