// SPDX-License-Identifier: BSD-3-Clause
// A launcher of somebody else: prints the node of every rank of a job.
#include <iostream>
#include <tofa/outage.hpp>
#include <tofa/place.hpp>

int main() {
  const auto topology = tofa::parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 4]\nnodes = \"n[00-15]\"\n", "inline");
  const tofa::OutageMap outages({{.host = "n01", .probability = 0.5}}, *topology);
  tofa::Allocation nodes;
  for (tofa::Node node = 0; node < topology->nodes(); ++node) nodes.push_back({node, 1});
  const auto graph = tofa::CommGraph::neighbours_in_rank_order(8);
  const auto placement = tofa::place(graph, *topology, outages, nodes, {});
  for (const tofa::Node node : placement.mapping) std::cout << topology->name(node) << '\n';
}
