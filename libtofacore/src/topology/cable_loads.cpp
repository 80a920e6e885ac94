// SPDX-License-Identifier: BSD-3-Clause
// Link loads of a network of cables. All links of a cable in one direction carry the same, so that
// bytes are counted by cable, and by link only at the end: a way of six cables may be 200 links.
#include "topology/graph_topology.hpp"

namespace tofa {

class CableLoads final : public LinkLoads {
 public:
  explicit CableLoads(const GraphTopology& topology)
      : topology_(topology), load_(2 * topology.cables_.size()) {}

  void send(Node from, Node to, double bytes) override {
    topology_.follow(from, to, [&](Passage passage) {
      load_[2 * std::size_t{passage.cable} + (passage.forward ? 0 : 1)] += bytes;
    });
  }

  std::vector<double> take() override {
    std::vector<double> by_link(topology_.links());
    for (Link link = 0; link < topology_.links(); ++link)
      by_link[link] = load_[2 * std::size_t{topology_.cable_of_hop_[link / 2]} + link % 2];
    return by_link;
  }

 private:
  const GraphTopology& topology_;
  std::vector<double> load_;  // of cable i from a to b at 2 i, from b to a behind that
};

std::unique_ptr<LinkLoads> GraphTopology::link_loads() const {
  return std::make_unique<CableLoads>(*this);
}

}  // namespace tofa
