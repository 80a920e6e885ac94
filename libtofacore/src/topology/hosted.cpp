// SPDX-License-Identifier: BSD-3-Clause
// A topology with virtual hosts around one without: every question about a virtual host is put to
// the inner topology about the node it runs on. Vertices of virtual hosts have no links.
#include "topology/hosted.hpp"

#include <fmt/core.h>

#include <utility>

namespace tofa {
namespace {

class HostedTopology;

// An end that is marked itself, while its host is not, marks the first or the last link.
class HostedCensus final : public RouteCensus {
 public:
  HostedCensus(const HostedTopology& topology, std::vector<bool> marked);
  unsigned count(Node from, Node to) const override;

 private:
  bool marked_alone(Node node) const;

  const HostedTopology& topology_;
  std::vector<bool> marked_;
  std::unique_ptr<RouteCensus> inner_;
};

// Nothing that a virtual host weighs counts.
class HostedWeights final : public RouteCensus {
 public:
  HostedWeights(const HostedTopology& topology, const std::vector<std::uint8_t>& weights);
  unsigned count(Node from, Node to) const override;

 private:
  const HostedTopology& topology_;
  std::unique_ptr<RouteCensus> inner_;
};

class HostedLoads final : public LinkLoads {
 public:
  explicit HostedLoads(const HostedTopology& topology);
  void send(Node from, Node to, double bytes) override;
  std::vector<double> take() override { return inner_->take(); }

 private:
  const HostedTopology& topology_;
  std::unique_ptr<LinkLoads> inner_;
};

class HostedTopology final : public Topology {
 public:
  HostedTopology(std::unique_ptr<Topology> inner, std::vector<std::string> names,
                 std::vector<Node> hosts)
      : Topology(std::move(names), inner->hop_cost()),
        inner_(std::move(inner)),
        hosts_(std::move(hosts)) {
    set_bandwidths(inner_->bandwidths());
  }

  const Topology& inner() const { return *inner_; }
  std::string kind() const override { return inner_->kind(); }
  std::string describe() const override {
    return fmt::format("{} and {} virtual hosts", inner_->describe(), hosts_.size());
  }
  Node host(Node node) const override {
    return node < inner_->nodes() ? node : hosts_[node - inner_->nodes()];
  }

  Link links() const override { return inner_->links(); }
  std::uint32_t vertices() const override { return inner_->vertices() + virtual_hosts(); }
  std::uint32_t link_source(Link link) const override { return outer(inner_->link_source(link)); }
  std::uint32_t link_target(Link link) const override { return outer(inner_->link_target(link)); }
  bool has_link(Link link) const override { return inner_->has_link(link); }
  bool leads_up(Link link) const override { return inner_->leads_up(link); }
  std::pair<std::uint32_t, std::uint32_t> link_ends(Link link) const override {
    const auto [from, to] = inner_->link_ends(link);
    return {outer(from), outer(to)};
  }
  std::vector<std::uint8_t> link_classes() const override { return inner_->link_classes(); }
  std::size_t link_class_count() const override { return inner_->link_class_count(); }
  void fetch(Node node) const override { inner_->fetch(host(node)); }
  unsigned hops(Node a, Node b) const override { return inner_->hops(host(a), host(b)); }
  void route(Node from, Node to, std::vector<Link>& out) const override {
    inner_->route(host(from), host(to), out);
  }
  std::unique_ptr<RouteCensus> census(std::vector<bool> marked) const override {
    return std::make_unique<HostedCensus>(*this, std::move(marked));
  }
  std::unique_ptr<RouteCensus> census_of_weights(std::vector<std::uint8_t> weights) const override {
    return std::make_unique<HostedWeights>(*this, weights);
  }
  std::unique_ptr<LinkLoads> link_loads() const override {
    return std::make_unique<HostedLoads>(*this);
  }
  std::string vertex_name(std::uint32_t vertex) const override {
    if (vertex < nodes()) return name(vertex);
    return inner_->vertex_name(vertex - virtual_hosts());
  }
  std::string location(Node node) const override {
    const Node where = host(node);
    return where == node ? inner_->location(node) : "on " + name(where);
  }
  std::optional<Hierarchy> hierarchy() const override {
    std::optional<Hierarchy> result = inner_->hierarchy();
    if (!result) return result;
    result->leaf.resize(nodes());
    for (Node node = inner_->nodes(); node < nodes(); ++node) {
      result->leaf[node] = result->leaf[host(node)];
    }
    return result;
  }
  const Grid* grid() const override { return inner_->grid(); }
  std::vector<unsigned> coordinates(std::uint32_t vertex) const override {
    return inner_->coordinates(vertex < nodes() ? host(vertex) : vertex - virtual_hosts());
  }
  std::vector<unsigned> route_order() const override { return inner_->route_order(); }
  GridRun route_run(unsigned dimension, unsigned from, unsigned to) const override {
    return inner_->route_run(dimension, from, to);
  }

 private:
  std::uint32_t virtual_hosts() const { return static_cast<std::uint32_t>(hosts_.size()); }
  // Switches come after all nodes, virtual ones included.
  std::uint32_t outer(std::uint32_t vertex) const {
    return vertex < inner_->nodes() ? vertex : vertex + virtual_hosts();
  }

  std::unique_ptr<Topology> inner_;
  std::vector<Node> hosts_;  // by virtual host
};

HostedCensus::HostedCensus(const HostedTopology& topology, std::vector<bool> marked)
    : topology_(topology), marked_(std::move(marked)) {
  inner_ = topology.inner().census({marked_.begin(), marked_.begin() + topology.inner().nodes()});
}

bool HostedCensus::marked_alone(Node node) const {
  return marked_[node] && !marked_[topology_.host(node)];
}

unsigned HostedCensus::count(Node from, Node to) const {
  const Node here = topology_.host(from);
  const Node there = topology_.host(to);
  unsigned count = inner_->count(here, there);
  if (here == there || (!marked_alone(from) && !marked_alone(to))) return count;
  const auto is_marked = [this](std::uint32_t vertex) {
    return vertex < topology_.nodes() && marked_[vertex];
  };
  std::vector<Link> links;
  topology_.route(from, to, links);
  const auto unmarked = [&](Link link) {
    return !is_marked(topology_.link_source(link)) && !is_marked(topology_.link_target(link));
  };
  const bool first = marked_alone(from) && unmarked(links.front());
  const bool last = marked_alone(to) && unmarked(links.back());
  if (first) ++count;
  if (last && !(first && links.size() == 1)) ++count;
  return count;
}

HostedWeights::HostedWeights(const HostedTopology& topology,
                             const std::vector<std::uint8_t>& weights)
    : topology_(topology) {
  inner_ = topology.inner().census_of_weights(
      {weights.begin(), weights.begin() + topology.inner().nodes()});
}

unsigned HostedWeights::count(Node from, Node to) const {
  return inner_->count(topology_.host(from), topology_.host(to));
}

HostedLoads::HostedLoads(const HostedTopology& topology)
    : topology_(topology), inner_(topology.inner().link_loads()) {}

void HostedLoads::send(Node from, Node to, double bytes) {
  inner_->send(topology_.host(from), topology_.host(to), bytes);
}

}  // namespace

std::unique_ptr<Topology> make_hosted_topology(std::unique_ptr<Topology> inner,
                                               const std::vector<std::string>& virtual_hosts,
                                               std::vector<Node> hosts) {
  std::vector<std::string> names;
  for (Node node = 0; node < inner->nodes(); ++node) names.push_back(inner->name(node));
  names.insert(names.end(), virtual_hosts.begin(), virtual_hosts.end());
  return std::make_unique<HostedTopology>(std::move(inner), std::move(names), std::move(hosts));
}

}  // namespace tofa
