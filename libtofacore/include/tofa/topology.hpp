// SPDX-License-Identifier: BSD-3-Clause
// The network: which nodes there are, how far apart, and over which links a message travels.
// Routing belongs to the topology. One class per kind, found through a registry
// (src/topology/registry.cpp).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tofa/grid.hpp"
#include "tofa/host_index.hpp"
#include "tofa/link_costs.hpp"
#include "tofa/types.hpp"

namespace tofa {

// What the links of a route come to, where it depends on the nodes at their ends what a link
// counts.
class RouteCensus {
 public:
  virtual ~RouteCensus() = default;
  // Over the links of route(from, to).
  virtual unsigned count(Node from, Node to) const = 0;
};

// Adds up what messages put on the links of their routes.
class LinkLoads {
 public:
  virtual ~LinkLoads() = default;
  virtual void send(Node from, Node to, double bytes) = 0;
  // Bytes by link, once everything has been sent. To be called once.
  virtual std::vector<double> take() = 0;
};

// A regular tree whose leaves are the nodes. It gives distances exactly where the network is such a
// tree, and roughly where it is an irregular one or a dragonfly.
struct Hierarchy {
  std::vector<unsigned> fan_out;    // children per vertex, by level from the root down
  std::vector<unsigned> hops;       // between two nodes that part at that level
  std::vector<std::uint32_t> leaf;  // by node: its leaf, counted from 0 in order
};

class Topology {
 public:
  virtual ~Topology() = default;

  virtual std::string kind() const = 0;
  // One line for people: `torus 8x8x8`.
  virtual std::string describe() const = 0;

  Node nodes() const { return static_cast<Node>(hosts_.names().size()); }
  const std::string& name(Node node) const { return hosts_.names()[node]; }
  // The node called `name`; a fully qualified name also finds its short form and the other way
  // round.
  std::optional<Node> find(std::string_view name) const { return hosts_.find(name); }

  // The node that a node shares its place and its fate with: itself, but for virtual hosts.
  virtual Node host(Node node) const { return node; }

  // Directed links are numbered [0, links()). A link leaves from one vertex and enters another;
  // vertices [0, nodes()) are the compute nodes, higher ones are switches.
  virtual Link links() const = 0;
  virtual std::uint32_t vertices() const { return nodes(); }
  virtual std::uint32_t link_source(Link link) const = 0;
  virtual std::uint32_t link_target(Link link) const = 0;
  // Whether there is such a link: a mesh counts those past its edges along, which no route takes.
  virtual bool has_link(Link /*link*/) const { return true; }
  // The vertices that people would say a link is between: its ends, or those of its cable, where a
  // cable is several links in a row.
  virtual std::pair<std::uint32_t, std::uint32_t> link_ends(Link link) const {
    return {link_source(link), link_target(link)};
  }
  // What people call a vertex: the name of a node or switch, `switch-3` where it has none.
  virtual std::string vertex_name(std::uint32_t vertex) const;
  // Whether a link leads away from the nodes, in networks where every route goes up and then down;
  // false for every link of the others.
  virtual bool leads_up(Link /*link*/) const { return false; }

  // Links of one kind, which a topology file gives a bandwidth together: those of a dimension of a
  // grid, or of a level, counted from the nodes. By link. The base class walks outwards.
  virtual std::vector<std::uint8_t> link_classes() const;
  // How many there may be, whether or not the nodes that there are leave links of all of them.
  virtual std::size_t link_class_count() const;
  // Bytes per second; 0 where nobody said.
  double bandwidth(Link link) const;
  // For all links alike, or by link; empty: nobody said anything.
  const std::vector<double>& bandwidths() const { return bandwidths_; }
  void set_bandwidths(std::vector<double> bandwidths);
  // What links cost where they differ; null where a hop is a hop.
  const LinkCosts* link_costs() const { return link_costs_.get(); }
  void set_link_costs(std::shared_ptr<const LinkCosts> costs) { link_costs_ = std::move(costs); }

  // Fetches into the processor's cache what tells how far the node is from others, which is about
  // to be asked: of a million nodes that takes longer than to answer.
  virtual void fetch(Node /*node*/) const {}
  // Length of the route between two nodes, in hops; symmetric, 0 for a node and itself. A hop is a
  // link: where a cable is longer than others, it counts as several links in a row, so that all
  // metrics agree on what distance is.
  virtual unsigned hops(Node a, Node b) const = 0;
  // Appends the links of the route in travel order; always hops(from, to) of them.
  virtual void route(Node from, Node to, std::vector<Link>& out) const = 0;

  // How many of a resource, such as "fpga", a node has.
  unsigned resource(Node node, std::string_view resource) const;
  std::vector<std::string> resource_names() const;
  void set_resource(Node node, const std::string& resource, unsigned count);

  // Cost c of one hop in equation 1.
  double hop_cost() const { return hop_cost_; }

  // Counts the links with a marked node at either end: what equation 1 needs. `marked` has nodes()
  // entries. The base class walks routes; a regular topology can do better.
  virtual std::unique_ptr<RouteCensus> census(std::vector<bool> marked) const;
  // Counts for each link what the nodes at its two ends weigh, so that a node that is passed by
  // counts twice. A virtual host weighs nothing itself, only what it runs on. `weights` has nodes()
  // entries.
  virtual std::unique_ptr<RouteCensus> census_of_weights(std::vector<std::uint8_t> weights) const;

  // The base class walks routes; a regular topology can do better.
  virtual std::unique_ptr<LinkLoads> link_loads() const;

  // The grid that the topology is (torus, mesh); null where it is none.
  virtual const Grid* grid() const { return nullptr; }
  // Position of a vertex in that grid, by dimension; empty where there is no grid.
  virtual std::vector<unsigned> coordinates(std::uint32_t /*vertex*/) const { return {}; }
  // The dimensions of that grid in the order in which routes cross them, and how they cross one
  // from a coordinate to another: a straight run at most, whatever the others are.
  virtual std::vector<unsigned> route_order() const { return {}; }
  virtual GridRun route_run(unsigned /*dimension*/, unsigned /*from*/, unsigned /*to*/) const {
    return {};
  }
  // Where a node is, for people: coordinates in a grid, switches in a tree; may be empty.
  virtual std::string location(Node node) const;
  // The tree that describes distances, where there is one of reasonable size.
  virtual std::optional<Hierarchy> hierarchy() const { return std::nullopt; }

 protected:
  Topology(std::vector<std::string> names, double hop_cost);

 private:
  HostIndex hosts_;
  double hop_cost_;
  std::vector<double> bandwidths_;
  std::shared_ptr<const LinkCosts> link_costs_;
  std::map<std::string, std::map<Node, unsigned>, std::less<>> resources_;
};

// Reads a topology file (TOML, Slurm's topology.conf, or lines `name x y z`). Throws Error with
// file and line.
std::unique_ptr<Topology> read_topology(const std::string& path);
std::unique_ptr<Topology> parse_topology(std::string_view text, const std::string& name);

// Slurm's topology.conf, as topology/tree reads it: lines `SwitchName=s1 Nodes=n[0-3]` and
// `SwitchName=top Switches=s[1-2]`; or as topology/block does: `BlockName=b1 Nodes=n[0-3]` and
// `BlockSizes=4,8`. `name` is the file's in messages.
std::unique_ptr<Topology> parse_slurm_topology(std::string_view text, const std::string& name);

// All nodes equally far from each other, one switch between them: what is assumed when there is no
// file.
std::unique_ptr<Topology> make_flat_topology(std::vector<std::string> names);

}  // namespace tofa
