// SPDX-License-Identifier: BSD-3-Clause
// kind = "graph": nodes, switches, a [[link]] for each cable, and [[route]] where the network does
// not take the shortest way.
#include <fmt/core.h>

#include <unordered_map>
#include <unordered_set>

#include "topology/graph_topology.hpp"
#include "topology/kinds.hpp"
#include "topology/link_bandwidths.hpp"

namespace tofa {
namespace {

constexpr std::size_t kMostCables = 500'000;
constexpr std::int64_t kLongestCable = 1000;
constexpr std::uint64_t kMostHops = 4'000'000;  // of all cables together

class GraphFile {
 public:
  explicit GraphFile(const TopologyFile& file) : file_(file) {
    file.check_keys(file.topology, "[topology]",
                    {"kind", "nodes", "switches", "nodes_forward", "hop_cost"});
    file.check_keys(file.root, "the file", {"topology", "link", "route"});
    spec_.hop_cost = file.hop_cost();
    spec_.nodes = file.node_names();
    spec_.switches = file.hosts(file.topology, "switches");
    spec_.nodes_forward = read_nodes_forward();
    add_vertices(spec_.nodes, "nodes");
    add_vertices(spec_.switches, "switches");
  }

  GraphSpec read() {
    for (const toml::table* entry : entries("link", "write each cable as its own [[link]]")) {
      add_link(*entry);
    }
    for (const toml::table* entry : entries("route", "write each route as its own [[route]]")) {
      add_route(*entry);
    }
    add_ways_back();
    return std::move(spec_);
  }

 private:
  // By default nodes pass messages on where nothing else could.
  bool read_nodes_forward() const {
    const toml::node* node = file_.topology.get("nodes_forward");
    if (node == nullptr) return spec_.switches.empty();
    const auto value = node->value_exact<bool>();
    if (!value) file_.fail(*node, "nodes_forward is neither true nor false");
    return *value;
  }

  void add_vertices(const std::vector<std::string>& names, std::string_view key) {
    for (const std::string& name : names) {
      if (!vertices_.emplace(name, static_cast<std::uint32_t>(vertices_.size())).second) {
        file_.fail(*file_.topology.get(key),
                   fmt::format("\"{}\" appears twice in nodes and switches", name));
      }
    }
  }

  std::vector<const toml::table*> entries(std::string_view key, const char* form) const {
    std::vector<const toml::table*> result;
    const toml::node* node = file_.root.get(key);
    if (node == nullptr) return result;
    const toml::array* array = node->as_array();
    if (array == nullptr) file_.fail(*node, form);
    for (const toml::node& item : *array) {
      if (item.as_table() == nullptr) file_.fail(item, form);
      result.push_back(item.as_table());
    }
    return result;
  }

  std::uint32_t vertex(const toml::node& node, const std::string& name) const {
    const auto found = vertices_.find(name);
    if (found == vertices_.end()) {
      file_.fail(node, fmt::format("\"{}\" is neither in nodes nor in switches of [topology]; add "
                                   "it to one of them",
                                   name));
    }
    return found->second;
  }

  // The vertices that one end of a [[link]] names.
  std::vector<std::uint32_t> read_end(const toml::node& end) const {
    std::vector<std::uint32_t> result;
    for (const std::string& name : file_.expand(end, "an end of a link", kMostCables)) {
      result.push_back(vertex(end, name));
    }
    return result;
  }

  unsigned read_length(const toml::table& entry) const {
    const toml::node* node = entry.get("length");
    if (node == nullptr) return 1;
    const auto length = node->value_exact<std::int64_t>();
    if (!length || *length < 1 || *length > kLongestCable) {
      file_.fail(*node,
                 fmt::format("length must be a whole number of hops from 1 to {}", kLongestCable));
    }
    return static_cast<unsigned>(*length);
  }

  // Every vertex of the first end gets a cable to every vertex of the second.
  void add_link(const toml::table& entry) {
    file_.check_keys(entry, "[[link]]", {"ends", "length", "bandwidth"});
    const toml::array* ends = entry["ends"].as_array();
    if (ends == nullptr || ends->size() != 2) {
      file_.fail(entry, "[[link]] needs two ends; add ends = [\"a\", \"b\"]");
    }
    const unsigned length = read_length(entry);
    const toml::node* bandwidth = entry.get("bandwidth");
    const double speed = bandwidth == nullptr ? 0 : read_bandwidth(*bandwidth, file_.name);
    const auto from = read_end(*ends->get(0));
    const auto to = read_end(*ends->get(1));
    const std::uint64_t more = std::uint64_t{from.size()} * to.size();
    if (spec_.cables.size() + more > kMostCables || hops_ + more * length > kMostHops) {
      file_.fail(entry, fmt::format("more than {} cables or {} hops in all cables together",
                                    kMostCables, kMostHops));
    }
    hops_ += more * length;
    for (const std::uint32_t a : from) {
      for (const std::uint32_t b : to) {
        if (a == b) file_.fail(entry, fmt::format("\"{}\" is linked to itself", name_of(a)));
        // The first of parallel cables is the one that routes by name mean.
        const auto cable = static_cast<std::uint32_t>(spec_.cables.size());
        passages_.emplace(key(a, b), Passage{cable, true});
        passages_.emplace(key(b, a), Passage{cable, false});
        spec_.cables.push_back({a, b, length, speed});
      }
    }
  }

  void add_route(const toml::table& entry) {
    file_.check_keys(entry, "[[route]]", {"path"});
    const toml::array* path = entry["path"].as_array();
    if (path == nullptr || path->size() < 2) {
      file_.fail(entry, "[[route]] has no path; add path = [\"a\", \"switch\", \"b\"]");
    }
    std::vector<std::uint32_t> vertices;
    std::unordered_set<std::uint32_t> visited;
    for (const toml::node& item : *path) {
      const auto name = item.value_exact<std::string>();
      if (!name) file_.fail(item, "a path is a list of names");
      vertices.push_back(vertex(item, *name));
      if (!visited.insert(vertices.back()).second) {
        file_.fail(item, fmt::format("the route passes \"{}\" twice", *name));
      }
    }
    const std::uint32_t from = vertices.front();
    const std::uint32_t to = vertices.back();
    if (from >= spec_.nodes.size() || to >= spec_.nodes.size()) {
      file_.fail(entry, "a route begins and ends at a node, not at a switch");
    }
    if (!routes_.emplace(key(from, to), spec_.routes.size()).second) {
      file_.fail(entry, fmt::format("a second route from \"{}\" to \"{}\"; keep one", name_of(from),
                                    name_of(to)));
    }
    lines_.push_back(&entry);
    spec_.routes.push_back({from, to, way_through(entry, vertices)});
  }

  std::vector<Passage> way_through(const toml::table& entry,
                                   const std::vector<std::uint32_t>& vertices) const {
    std::vector<Passage> way;
    for (std::size_t i = 1; i < vertices.size(); ++i) {
      const auto found = passages_.find(key(vertices[i - 1], vertices[i]));
      if (found == passages_.end()) {
        file_.fail(entry, fmt::format("the route goes from \"{}\" to \"{}\", which no [[link]] "
                                      "connects",
                                      name_of(vertices[i - 1]), name_of(vertices[i])));
      }
      way.push_back(found->second);
    }
    return way;
  }

  // A route that is given one way only is taken the other way too; distances are the same both
  // ways.
  void add_ways_back() {
    const std::size_t given = spec_.routes.size();
    for (std::size_t i = 0; i < given; ++i) {
      const PrescribedRoute& route = spec_.routes[i];
      const auto found = routes_.find(key(route.to, route.from));
      if (found == routes_.end()) {
        PrescribedRoute back{route.to, route.from, {route.way.rbegin(), route.way.rend()}};
        for (Passage& passage : back.way) passage.forward = !passage.forward;
        spec_.routes.push_back(std::move(back));
      } else if (hops(spec_.routes[found->second]) != hops(route)) {
        file_.fail(*lines_[i],
                   fmt::format("the routes between \"{}\" and \"{}\" have {} hops one way and {} "
                               "the other; distances must be the same both ways",
                               name_of(route.from), name_of(route.to), hops(route),
                               hops(spec_.routes[found->second])));
      }
    }
  }

  unsigned hops(const PrescribedRoute& route) const {
    unsigned sum = 0;
    for (const Passage& passage : route.way) sum += spec_.cables[passage.cable].length;
    return sum;
  }

  const std::string& name_of(std::uint32_t vertex) const {
    return vertex < spec_.nodes.size() ? spec_.nodes[vertex]
                                       : spec_.switches[vertex - spec_.nodes.size()];
  }

  static std::uint64_t key(std::uint32_t from, std::uint32_t to) {
    return (std::uint64_t{from} << 32U) | to;
  }

  const TopologyFile& file_;
  GraphSpec spec_;
  std::uint64_t hops_ = 0;
  std::unordered_map<std::string, std::uint32_t> vertices_;
  std::unordered_map<std::uint64_t, Passage> passages_;    // from one vertex to the next
  std::unordered_map<std::uint64_t, std::size_t> routes_;  // index by ends
  std::vector<const toml::table*> lines_;                  // of the routes
};

std::unique_ptr<Topology> make_graph(const TopologyFile& file) {
  GraphSpec spec = GraphFile(file).read();
  return file.build([&] { return std::make_unique<GraphTopology>(std::move(spec)); });
}

}  // namespace

extern constexpr TopologyKind kGraphKind{"graph", make_graph};

}  // namespace tofa
