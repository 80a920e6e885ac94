// SPDX-License-Identifier: BSD-3-Clause
// Connecting switches to a tree: see switch_list.hpp.
#include "topology/switch_list.hpp"

#include <fmt/core.h>

#include <limits>
#include <string_view>
#include <unordered_map>

#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

class Connector {
 public:
  Connector(const std::vector<SwitchEntry>& entries, const std::string& file)
      : entries_(entries), file_(file), parent_(entries.size(), kNone) {}

  SwitchTree run() {
    for (std::uint32_t i = 0; i < entries_.size(); ++i) add_switch(i);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) add_children(i);
    return number_vertices(find_top());
  }

 private:
  [[noreturn]] void fail(const SwitchEntry& entry, const std::string& message) const {
    throw Error(ErrorKind::bad_input, file_, entry.line, message);
  }

  void add_switch(std::uint32_t i) {
    const SwitchEntry& entry = entries_[i];
    const auto [it, is_new] = switch_of_.emplace(entry.name, i);
    if (!is_new) {
      fail(entry, fmt::format("switch \"{}\" is already described on line {}; describe it once",
                              entry.name, entries_[it->second].line));
    }
    if (entry.nodes.empty() && entry.switches.empty()) {
      fail(entry, fmt::format("switch \"{}\" has neither nodes nor switches; list what is below it",
                              entry.name));
    }
  }

  void add_children(std::uint32_t i) {
    const SwitchEntry& entry = entries_[i];
    for (const std::string& node : entry.nodes) {
      const auto [it, is_new] = switch_of_node_.emplace(node, i);
      if (!is_new) {
        fail(entry, fmt::format("node \"{}\" is below \"{}\" and below \"{}\"; list it once", node,
                                entries_[it->second].name, entry.name));
      }
      tree_.nodes.push_back(node);
      above_node_.push_back(i);
    }
    for (const std::string& child : entry.switches) {
      const auto found = switch_of_.find(child);
      if (found == switch_of_.end()) {
        fail(entry, fmt::format("switch \"{}\" is below \"{}\" but not described; describe it with "
                                "its nodes or switches",
                                child, entry.name));
      }
      std::uint32_t& above = parent_[found->second];
      if (above != kNone) {
        fail(entry,
             fmt::format("switch \"{}\" is below \"{}\" and below \"{}\"; a tree has one way "
                         "up from each, use kind = \"graph\" for other networks",
                         child, entries_[above].name, entry.name));
      }
      above = i;
    }
  }

  // The one switch that is below no other.
  std::uint32_t find_top() const {
    std::uint32_t top = kNone;
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      check_climb(i);
      if (parent_[i] != kNone) continue;
      if (top != kNone) {
        fail(entries_[i],
             fmt::format("switches \"{}\" and \"{}\" are not connected; describe the switch that "
                         "is above both",
                         entries_[top].name, entries_[i].name));
      }
      top = i;
    }
    return top;
  }

  void check_climb(std::uint32_t start) const {
    unsigned levels = 1;
    for (std::uint32_t at = start; parent_[at] != kNone; at = parent_[at]) {
      if (parent_[at] == start) {
        fail(entries_[start],
             fmt::format("switch \"{}\" is below itself; remove it from the switches below \"{}\"",
                         entries_[start].name, entries_[at].name));
      }
      if (++levels > kMostTreeLevels) {
        fail(entries_[start], fmt::format("switch \"{}\" has more than {} levels of switches above "
                                          "it; is one of them below itself?",
                                          entries_[start].name, kMostTreeLevels));
      }
    }
  }

  SwitchTree number_vertices(std::uint32_t top) {
    const auto nodes = static_cast<std::uint32_t>(tree_.nodes.size());
    const auto last = static_cast<std::uint32_t>(entries_.size() - 1);
    // In the order of the file, but for the top, which comes last.
    const auto vertex = [&](std::uint32_t i) {
      return nodes + (i == top ? last : i > top ? i - 1 : i);
    };
    tree_.switches.resize(entries_.size());
    tree_.parent.resize(nodes + entries_.size(), kNone);
    for (Node node = 0; node < nodes; ++node) tree_.parent[node] = vertex(above_node_[node]);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      tree_.switches[vertex(i) - nodes] = entries_[i].name;
      if (i != top) tree_.parent[vertex(i)] = vertex(parent_[i]);
    }
    return std::move(tree_);
  }

  const std::vector<SwitchEntry>& entries_;
  const std::string& file_;
  std::unordered_map<std::string_view, std::uint32_t> switch_of_;       // by name
  std::unordered_map<std::string_view, std::uint32_t> switch_of_node_;  // by name of the node
  std::vector<std::uint32_t> parent_;                                   // by entry
  std::vector<std::uint32_t> above_node_;
  SwitchTree tree_;
};

}  // namespace

SwitchTree connect_switches(const std::vector<SwitchEntry>& entries, const std::string& file) {
  if (entries.empty()) {
    throw Error(ErrorKind::bad_input, file, 0, "describes no switch; a tree needs at least one");
  }
  return Connector(entries, file).run();
}

}  // namespace tofa
