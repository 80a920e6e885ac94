// SPDX-License-Identifier: BSD-3-Clause
// Random topology files of the kinds with switches, small enough to check by brute force.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace tofa::test {

// Slurm's topology.conf for an irregular tree: every switch but the top hangs below an earlier one.
inline std::string any_tree_file() {
  const int switches = *rc::gen::inRange(1, 9);
  std::vector<std::string> below(static_cast<std::size_t>(switches));
  for (int i = 1; i < switches; ++i) {
    const int parent = *rc::gen::inRange(0, i);
    below[static_cast<std::size_t>(parent)] +=
        fmt::format("{}s{}", below[static_cast<std::size_t>(parent)].empty() ? "" : ",", i);
  }
  std::string text;
  int next_node = 0;
  for (int i = 0; i < switches; ++i) {
    const std::string& children = below[static_cast<std::size_t>(i)];
    // What has no switches below it needs nodes.
    const int nodes = *rc::gen::inRange(children.empty() ? 1 : 0, 5);
    text += fmt::format("SwitchName=s{}", i);
    if (nodes > 0) text += fmt::format(" Nodes=n[{}-{}]", next_node, next_node + nodes - 1);
    if (!children.empty()) text += " Switches=" + children;
    text += "\n";
    next_node += nodes;
  }
  return text;
}

inline std::string any_fat_tree_file() {
  const auto levels = *rc::gen::inRange<std::size_t>(1, 4);
  const auto list = [&](unsigned most) {
    return *rc::gen::container<std::vector<unsigned>>(levels, rc::gen::inRange(1U, most + 1));
  };
  const auto down = list(4);
  unsigned positions = 1;
  for (const unsigned count : down) positions *= count;
  return fmt::format(
      "[topology]\nkind = \"fat-tree\"\ndown = [{}]\nup = [{}]\nparallel = [{}]\n"
      "nodes = \"n[0-{}]\"\n",
      fmt::join(down, ","), fmt::join(list(3), ","), fmt::join(list(2), ","),
      *rc::gen::inRange(0U, positions));
}

inline std::string any_dragonfly_file() {
  const unsigned groups = *rc::gen::inRange(1U, 7U);
  const unsigned routers = *rc::gen::inRange(1U, 5U);
  const unsigned nodes = *rc::gen::inRange(1U, 4U);
  const unsigned enough = (groups - 1 + routers - 1) / routers;
  return fmt::format(
      "[topology]\nkind = \"dragonfly\"\ngroups = {}\nrouters = {}\nnodes_per_router = {}\n"
      "global_links = {}\narrangement = \"{}\"\nnodes = \"n[0-{}]\"\n",
      groups, routers, nodes, std::max(1U, enough + *rc::gen::inRange(0U, 3U)),
      *rc::gen::element<std::string>("absolute", "relative", "circulant"),
      *rc::gen::inRange(0U, groups * routers * nodes));
}

// Switches hang together somehow, nodes hang on one or two of them.
inline std::string any_graph_file() {
  const int switches = *rc::gen::inRange(1, 8);
  const int nodes = *rc::gen::inRange(1, 16);
  std::string text =
      fmt::format("[topology]\nkind = \"graph\"\nnodes = \"n[0-{}]\"\nswitches = \"s[0-{}]\"\n",
                  nodes - 1, switches - 1);
  const auto link = [&](const std::string& a, const std::string& b) {
    text += fmt::format("[[link]]\nends = [\"{}\", \"{}\"]\nlength = {}\n", a, b,
                        *rc::gen::inRange(1, 4));
  };
  const auto any_switch = [&](int below) {
    return fmt::format("s{}", *rc::gen::inRange(0, below));
  };
  for (int i = 1; i < switches; ++i) link(fmt::format("s{}", i), any_switch(i));
  for (int extra = *rc::gen::inRange(0, 6); extra > 0 && switches > 1; --extra) {
    const int a = *rc::gen::inRange(1, switches);
    link(fmt::format("s{}", a), any_switch(a));
  }
  for (int i = 0; i < nodes; ++i) {
    link(fmt::format("n{}", i), any_switch(switches));
    if (*rc::gen::inRange(0, 4) == 0) link(any_switch(switches), fmt::format("n{}", i));
  }
  if (*rc::gen::arbitrary<bool>()) text.insert(text.find("[[link]]"), "nodes_forward = true\n");
  return text;
}

}  // namespace tofa::test
