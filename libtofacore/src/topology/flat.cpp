// SPDX-License-Identifier: BSD-3-Clause
// All nodes hang off one switch, equally far from each other: what is assumed when nobody describes
// the network. Each node has a link up to the switch and one down from it, so a route between two
// nodes takes two hops.
#include <fmt/core.h>

#include <numeric>

#include "tofa/error.hpp"
#include "topology/kinds.hpp"

namespace tofa {
namespace {

class FlatTopology final : public Topology {
 public:
  explicit FlatTopology(std::vector<std::string> names) : Topology(std::move(names), 1.0) {}

  std::string kind() const override { return "flat"; }
  std::string describe() const override { return fmt::format("flat network of {} nodes", nodes()); }
  Link links() const override { return 2 * nodes(); }
  std::uint32_t vertices() const override { return nodes() + 1; }
  std::uint32_t link_source(Link link) const override { return link % 2 == 0 ? link / 2 : nodes(); }
  std::uint32_t link_target(Link link) const override { return link % 2 == 0 ? nodes() : link / 2; }
  bool leads_up(Link link) const override { return link % 2 == 0; }
  unsigned hops(Node a, Node b) const override { return a == b ? 0 : 2; }
  void route(Node from, Node to, std::vector<Link>& out) const override {
    if (from == to) return;
    out.push_back(2 * from);
    out.push_back(2 * to + 1);
  }
  std::optional<Hierarchy> hierarchy() const override {
    Hierarchy result{{nodes()}, {2}, std::vector<std::uint32_t>(nodes())};
    std::iota(result.leaf.begin(), result.leaf.end(), 0U);
    return result;
  }
};

}  // namespace

std::unique_ptr<Topology> make_flat_topology(std::vector<std::string> names) {
  return std::make_unique<FlatTopology>(std::move(names));
}

namespace {

std::unique_ptr<Topology> make_flat(const TopologyFile& file) {
  file.check_keys(file.topology, "[topology]", {"kind", "nodes"});
  file.check_keys(file.root, "the file", {"topology"});
  std::vector<std::string> names = file.node_names();
  return file.build([&] { return make_flat_topology(std::move(names)); });
}

}  // namespace

extern constexpr TopologyKind kFlatKind{"flat", make_flat};

}  // namespace tofa
