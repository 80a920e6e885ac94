// SPDX-License-Identifier: BSD-3-Clause
// Reading bandwidths of links: see link_bandwidths.hpp.
#include "topology/link_bandwidths.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr double kLeast = 1;
constexpr double kMost = 1e15;

}  // namespace

double read_bandwidth(const toml::node& node, const std::string& file) {
  const auto value = node.value<double>();
  if (!node.is_number() || !value || !(*value >= kLeast && *value <= kMost)) {
    fail_at(node, file, "bandwidth must be bytes per second, a number from 1 to 1e15");
  }
  return *value;
}

LinkBandwidths::LinkBandwidths(toml::table& root, const std::string& file) : file_(file) {
  toml::table* topology = root["topology"].as_table();
  const toml::node* node = topology == nullptr ? nullptr : topology->get("bandwidth");
  if (node == nullptr) return;
  line_ = node->source().begin.line;
  if (const toml::array* list = node->as_array()) {
    by_class_ = true;
    for (const toml::node& item : *list) values_.push_back(read_bandwidth(item, file));
    if (values_.empty()) fail_at(*node, file, "bandwidth is an empty list; leave it out");
  } else {
    values_.push_back(read_bandwidth(*node, file));
  }
  topology->erase("bandwidth");
}

void LinkBandwidths::apply(Topology& topology) const {
  const bool some_known = !topology.bandwidths().empty();
  if (values_.empty() && !some_known) return;
  if (!by_class_ && !some_known) return topology.set_bandwidths(values_);
  std::vector<std::uint8_t> classes;
  if (by_class_) {
    classes = topology.link_classes();
    const std::size_t count = topology.link_class_count();
    if (values_.size() != count) {
      throw Error(ErrorKind::bad_input, file_, line_,
                  fmt::format("bandwidth has {} values, but there are {} {}; give one for each, or "
                              "one number for all links",
                              values_.size(), count,
                              topology.grid() != nullptr ? "dimensions" : "levels of links"));
    }
  }
  std::vector<double> by_link(topology.links());
  for (Link link = 0; link < topology.links(); ++link) {
    const double known = topology.bandwidth(link);
    const double usual = values_.empty() ? 0 : values_[by_class_ ? classes[link] : 0];
    by_link[link] = known > 0 ? known : usual;
  }
  topology.set_bandwidths(std::move(by_link));
  weigh_links(topology, {}, {});
}

}  // namespace tofa
