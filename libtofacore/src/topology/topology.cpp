// SPDX-License-Identifier: BSD-3-Clause
// What all topologies share: names of switches, resources, and censuses of links by walking
// routes.
#include "tofa/topology.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tofa {
namespace {

// Counts by walking the route: exact for any topology, as slow as the route is long. `of_link` says
// what a link counts whose ends have such entries in `ends`.
template <typename End, typename OfLink>
class WalkingCensus final : public RouteCensus {
 public:
  WalkingCensus(const Topology& topology, std::vector<End> ends, OfLink of_link)
      : topology_(topology), ends_(std::move(ends)), of_link_(of_link) {}

  unsigned count(Node from, Node to) const override {
    std::vector<Link> links;
    topology_.route(from, to, links);
    unsigned count = 0;
    for (const Link link : links)
      count += of_link_(end(topology_.link_source(link)), end(topology_.link_target(link)));
    return count;
  }

 private:
  End end(std::uint32_t vertex) const { return vertex < ends_.size() ? ends_[vertex] : End{}; }

  const Topology& topology_;
  std::vector<End> ends_;
  OfLink of_link_;
};

template <typename End, typename OfLink>
std::unique_ptr<RouteCensus> walk(const Topology& topology, std::vector<End> ends, OfLink of_link) {
  return std::make_unique<WalkingCensus<End, OfLink>>(topology, std::move(ends), of_link);
}

class WalkingLoads final : public LinkLoads {
 public:
  explicit WalkingLoads(const Topology& topology) : topology_(topology), load_(topology.links()) {}

  void send(Node from, Node to, double bytes) override {
    route_.clear();
    topology_.route(from, to, route_);
    for (const Link link : route_) load_[link] += bytes;
  }

  std::vector<double> take() override { return std::move(load_); }

 private:
  const Topology& topology_;
  std::vector<double> load_;
  std::vector<Link> route_;
};

}  // namespace

Topology::Topology(std::vector<std::string> names, double hop_cost)
    : hosts_(std::move(names)), hop_cost_(hop_cost) {}

std::string Topology::vertex_name(std::uint32_t vertex) const {
  return vertex < nodes() ? name(vertex) : fmt::format("switch-{}", vertex - nodes());
}

std::string Topology::location(Node node) const {
  const auto at = coordinates(node);
  return at.empty() ? "" : fmt::format("[{}]", fmt::join(at, ","));
}

// A link belongs to the level of the end that is nearer to a node: those of nodes are 0.
std::vector<std::uint8_t> Topology::link_classes() const {
  constexpr std::uint8_t far = 255;
  std::vector<std::uint8_t> level(vertices(), far);
  std::fill(level.begin(), level.begin() + nodes(), std::uint8_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (Link link = 0; link < links(); ++link) {
      const std::uint8_t from = level[link_source(link)];
      std::uint8_t& to = level[link_target(link)];
      if (from + 1 >= to) continue;
      to = from + 1;
      changed = true;
    }
  }
  std::vector<std::uint8_t> classes(links());
  for (Link link = 0; link < links(); ++link)
    classes[link] = std::min(level[link_source(link)], level[link_target(link)]);
  return classes;
}

std::size_t Topology::link_class_count() const {
  const std::vector<std::uint8_t> classes = link_classes();
  return classes.empty() ? 0 : std::size_t{*std::max_element(classes.begin(), classes.end())} + 1;
}

double Topology::bandwidth(Link link) const {
  if (bandwidths_.empty()) return 0;
  return bandwidths_.size() == 1 ? bandwidths_.front() : bandwidths_[link];
}

void Topology::set_bandwidths(std::vector<double> bandwidths) {
  bandwidths_ = std::move(bandwidths);
}

unsigned Topology::resource(Node node, std::string_view resource) const {
  const auto it = resources_.find(resource);
  if (it == resources_.end()) return 0;
  const auto count = it->second.find(node);
  return count == it->second.end() ? 0 : count->second;
}

std::vector<std::string> Topology::resource_names() const {
  std::vector<std::string> names;
  for (const auto& [name, counts] : resources_) names.push_back(name);
  return names;
}

void Topology::set_resource(Node node, const std::string& resource, unsigned count) {
  resources_[resource][node] = count;
}

std::unique_ptr<RouteCensus> Topology::census(std::vector<bool> marked) const {
  return walk(*this, std::move(marked), [](bool a, bool b) { return unsigned{a || b}; });
}

std::unique_ptr<RouteCensus> Topology::census_of_weights(std::vector<std::uint8_t> weights) const {
  return walk(*this, std::move(weights), [](unsigned a, unsigned b) { return a + b; });
}

std::unique_ptr<LinkLoads> Topology::link_loads() const {
  return std::make_unique<WalkingLoads>(*this);
}

}  // namespace tofa
