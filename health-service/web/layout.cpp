// SPDX-License-Identifier: BSD-3-Clause
// A group per plane, switch or rest, in the order of the machine.
#include "web/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>

#include "common/switches.hpp"
#include "tofa/topology.hpp"

namespace tofa::health {
namespace {

// The coordinates of a plane of the first two dimensions.
std::string plane_name(const std::vector<unsigned>& at) {
  if (at.size() <= 2) return "";
  if (at.size() == 3) return fmt::format("z = {}", at[2]);
  return fmt::format("[*,*,{}]", fmt::join(at.begin() + 2, at.end(), ","));
}

std::vector<LayoutGroup> planes(const std::vector<std::string>& hosts, const Topology& topology,
                                std::vector<std::string>& rest) {
  const Grid& grid = *topology.grid();
  const unsigned columns = grid.extent(0);
  const unsigned places = columns * (grid.dimensions() > 1 ? grid.extent(1) : 1);
  std::map<std::uint32_t, LayoutGroup> found;
  for (const std::string& host : hosts) {
    const auto node = topology.find(host);
    if (!node) {
      rest.push_back(host);
      continue;
    }
    const auto at = topology.coordinates(topology.host(*node));
    const std::uint32_t position = grid.position(at);
    LayoutGroup& plane = found[position / places];
    plane.name = plane_name(at);
    plane.columns = columns;
    plane.hosts.resize(places);
    std::string& place = plane.hosts[position % places];
    // Virtual hosts share a place.
    if (!place.empty()) rest.push_back(host);
    if (place.empty()) place = host;
  }
  std::vector<LayoutGroup> groups;
  groups.reserve(found.size());
  for (auto& [number, plane] : found) groups.push_back(std::move(plane));
  return groups;
}

std::vector<LayoutGroup> switches(const std::vector<std::string>& hosts, const Topology& topology,
                                  std::vector<std::string>& rest) {
  const SwitchOfHost attached = switches_of(hosts, topology);
  std::map<std::uint32_t, LayoutGroup> found;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!attached[i]) {
      rest.push_back(hosts[i]);
      continue;
    }
    LayoutGroup& group = found[*attached[i]];
    group.name = topology.vertex_name(*attached[i]);
    group.hosts.push_back(hosts[i]);
  }
  std::vector<LayoutGroup> groups;
  groups.reserve(found.size());
  for (auto& [vertex, group] : found) groups.push_back(std::move(group));
  return groups;
}

}  // namespace

std::vector<LayoutGroup> lay_out(const std::vector<std::string>& hosts, const Topology* topology) {
  std::vector<std::string> rest;
  std::vector<LayoutGroup> groups;
  if (topology == nullptr) {
    rest = hosts;
  } else if (topology->grid() != nullptr) {
    groups = planes(hosts, *topology, rest);
  } else {
    groups = switches(hosts, *topology, rest);
  }
  const std::string name = groups.empty() ? "" : "other hosts";
  if (!rest.empty()) groups.push_back({.name = name, .hosts = std::move(rest)});
  return groups;
}

std::string layout_json(const std::vector<LayoutGroup>& layout) {
  auto list = nlohmann::ordered_json::array();
  for (const LayoutGroup& group : layout) {
    list.push_back({{"name", group.name}, {"columns", group.columns}, {"hosts", group.hosts}});
  }
  return list.dump() + "\n";
}

}  // namespace tofa::health
