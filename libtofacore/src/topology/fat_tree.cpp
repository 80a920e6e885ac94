// SPDX-License-Identifier: BSD-3-Clause
// Fat trees as parallel-ports generalised fat trees, PGFT(h; m; w; p), with D-mod-k routing
// (Zahavi, D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat
// trees, 2010). A vertex of level l has m_l children, and w_(l+1) parents with p_(l+1) cables to
// each; nodes are level 0. Which of the ports upwards a message takes depends on its destination
// alone, so that messages to different nodes spread over all of them.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "topology/kinds.hpp"

namespace tofa {
namespace {

constexpr std::size_t kMostLevels = 16;

// What the file says, by level from the nodes up: [0] is about the cables between nodes and the
// first switches.
struct FatTreeSpec {
  std::vector<unsigned> down;      // m
  std::vector<unsigned> up;        // w
  std::vector<unsigned> parallel;  // p
  std::vector<std::string> names;
  double hop_cost = 1;
};

// Sizes of the tree, by level from the nodes (0) up.
struct Levels {
  std::array<std::uint64_t, kMostLevels + 1> below{1};  // nodes below a vertex: the product of m
  std::array<std::uint64_t, kMostLevels + 1> copies{
      1};  // vertices above the same nodes: the product of w
  std::array<std::uint64_t, kMostLevels + 1> ports{};  // cables upwards from a vertex
  std::array<std::uint64_t, kMostLevels + 1> first_vertex{};
  std::array<std::uint64_t, kMostLevels + 1>
      first_cable{};  // of the cables upwards from that level
  std::uint64_t vertices = 0;
  std::uint64_t cables = 0;
  bool fits = false;
};

// `nodes` is how many of the positions for nodes are taken; the others have no cable.
Levels measure(const FatTreeSpec& spec) {
  Levels levels;
  const std::size_t top = spec.down.size();
  const auto all = [&](std::size_t count) {
    std::uint64_t product = 1;
    for (std::size_t l = 0; l < count && product <= kMostLinks; ++l) product *= spec.down[l];
    return product;
  };
  const std::uint64_t positions = all(top);
  if (positions > kMostNodes) return levels;
  for (std::size_t l = 0; l <= top; ++l) {
    if (l > 0) {
      levels.below[l] = levels.below[l - 1] * spec.down[l - 1];
      levels.copies[l] = levels.copies[l - 1] * spec.up[l - 1];
    }
    const std::uint64_t here =
        l == 0 ? spec.names.size() : positions / levels.below[l] * levels.copies[l];
    levels.first_vertex[l] = levels.vertices;
    levels.first_cable[l] = levels.cables;
    levels.vertices += here;
    if (l < top) {
      levels.ports[l] = std::uint64_t{spec.up[l]} * spec.parallel[l];
      levels.cables += here * levels.ports[l];
    }
    if (levels.vertices > kMostLinks || 2 * levels.cables > kMostLinks) return levels;
  }
  levels.fits = true;
  return levels;
}

class FatTreeTopology final : public Topology {
 public:
  FatTreeTopology(FatTreeSpec spec, const Levels& levels)
      : Topology(std::move(spec.names), spec.hop_cost),
        down_(std::move(spec.down)),
        up_(std::move(spec.up)),
        parallel_(std::move(spec.parallel)),
        levels_(levels) {}

  std::string kind() const override { return "fat-tree"; }
  std::string describe() const override {
    return fmt::format("fat-tree {} up {} parallel {}", fmt::join(down_, "x"), fmt::join(up_, "x"),
                       fmt::join(parallel_, "x"));
  }

  Link links() const override { return static_cast<Link>(2 * levels_.cables); }
  std::uint32_t vertices() const override { return static_cast<std::uint32_t>(levels_.vertices); }
  std::uint32_t link_source(Link link) const override {
    return link % 2 == 0 ? lower_end(link / 2) : upper_end(link / 2);
  }
  std::uint32_t link_target(Link link) const override { return link_source(link ^ 1U); }

  std::string vertex_name(std::uint32_t vertex) const override {
    if (vertex < nodes()) return name(vertex);
    std::size_t level = down_.size();
    while (levels_.first_vertex[level] > vertex) --level;
    return fmt::format("switch-{}-{}", level, vertex - levels_.first_vertex[level]);
  }

  // Also where switches have no nodes below them.
  std::vector<std::uint8_t> link_classes() const override {
    std::vector<std::uint8_t> classes(links());
    for (Link link = 0; link < links(); ++link)
      classes[link] = static_cast<std::uint8_t>(level_of(link / 2));
    return classes;
  }
  std::size_t link_class_count() const override { return down_.size(); }

  bool leads_up(Link link) const override { return link % 2 == 0; }
  unsigned hops(Node a, Node b) const override {
    return 2 * static_cast<unsigned>(meeting_level(a, b));
  }

  void route(Node from, Node to, std::vector<Link>& out) const override {
    const std::size_t turn = meeting_level(from, to);
    std::array<std::uint64_t, kMostLevels> cable_down{};
    std::uint64_t copy = 0;
    for (std::size_t l = 0; l < turn; ++l) {
      const std::uint64_t port = to / levels_.copies[l] % levels_.ports[l];
      out.push_back(static_cast<Link>(2 * cable(l, from, copy, port)));
      cable_down[l] = cable(l, to, copy, port);
      copy += levels_.copies[l] * (port % up_[l]);
    }
    for (std::size_t l = turn; l-- > 0;) out.push_back(static_cast<Link>(2 * cable_down[l] + 1));
  }

  // Which child it is below, level by level from the top.
  std::string location(Node node) const override {
    std::vector<std::uint64_t> children;
    for (std::size_t l = down_.size(); l-- > 0;) {
      children.push_back(node / levels_.below[l] % down_[l]);
    }
    return fmt::format("[{}]", fmt::join(children, ","));
  }

  std::optional<Hierarchy> hierarchy() const override {
    Hierarchy result;
    result.fan_out.assign(down_.rbegin(), down_.rend());
    for (std::size_t l = down_.size(); l > 0; --l) {
      result.hops.push_back(2 * static_cast<unsigned>(l));
    }
    for (Node node = 0; node < nodes(); ++node) result.leaf.push_back(node);
    return result;
  }

 private:
  // The lowest level that has switches above both nodes.
  std::size_t meeting_level(Node a, Node b) const {
    std::size_t level = 0;
    while (a / levels_.below[level] != b / levels_.below[level]) ++level;
    return level;
  }

  // The cable out of a port upwards, at level l, of one of the copies of the vertex above `node`.
  std::uint64_t cable(std::size_t l, Node node, std::uint64_t copy, std::uint64_t port) const {
    const std::uint64_t vertex = node / levels_.below[l] * levels_.copies[l] + copy;
    return levels_.first_cable[l] + vertex * levels_.ports[l] + port;
  }

  std::size_t level_of(std::uint64_t cable) const {
    std::size_t level = down_.size() - 1;
    while (levels_.first_cable[level] > cable) --level;
    return level;
  }

  std::uint32_t lower_end(std::uint64_t cable) const {
    const std::size_t l = level_of(cable);
    return static_cast<std::uint32_t>(levels_.first_vertex[l] +
                                      (cable - levels_.first_cable[l]) / levels_.ports[l]);
  }

  std::uint32_t upper_end(std::uint64_t cable) const {
    const std::size_t l = level_of(cable);
    const std::uint64_t index = (cable - levels_.first_cable[l]) / levels_.ports[l];
    const std::uint64_t port = (cable - levels_.first_cable[l]) % levels_.ports[l];
    const std::uint64_t part = index / levels_.copies[l] / down_[l];
    const std::uint64_t copy = index % levels_.copies[l] + levels_.copies[l] * (port % up_[l]);
    return static_cast<std::uint32_t>(levels_.first_vertex[l + 1] + part * levels_.copies[l + 1] +
                                      copy);
  }

  std::vector<unsigned> down_;
  std::vector<unsigned> up_;
  std::vector<unsigned> parallel_;
  Levels levels_;
};

std::vector<unsigned> read_levels(const TopologyFile& file, std::string_view key,
                                  std::size_t wanted) {
  auto values = file.numbers(key, 1, 65535);
  if (values.empty() && file.topology.get(key) == nullptr) values.assign(wanted, 1);
  if (values.size() != wanted) {
    file.fail(*file.topology.get(key),
              fmt::format("{} has {} values, down has {}; give one per level, from the nodes up",
                          key, values.size(), wanted));
  }
  return values;
}

std::unique_ptr<Topology> make_fat_tree(const TopologyFile& file) {
  file.check_keys(file.topology, "[topology]",
                  {"kind", "down", "up", "parallel", "nodes", "hop_cost"});
  file.check_keys(file.root, "the file", {"topology"});
  FatTreeSpec spec;
  spec.down = file.numbers("down", 1, 65535);
  if (spec.down.empty() || spec.down.size() > kMostLevels) {
    file.fail(file.topology,
              fmt::format("down needs 1 to {} values, the children per switch from the lowest "
                          "level up, e.g. down = [4, 4]",
                          kMostLevels));
  }
  spec.up = read_levels(file, "up", spec.down.size());
  spec.parallel = read_levels(file, "parallel", spec.down.size());
  spec.hop_cost = file.hop_cost();
  spec.names = file.node_names();
  const Levels levels = measure(spec);
  if (!levels.fits) {
    file.fail(
        file.topology,
        fmt::format("a fat tree with down [{}] and up [{}] has more than {} nodes or {} links",
                    fmt::join(spec.down, ","), fmt::join(spec.up, ","), kMostNodes, kMostLinks));
  }
  file.check_room(spec.names.size(), levels.below[spec.down.size()]);
  return file.build([&] { return std::make_unique<FatTreeTopology>(std::move(spec), levels); });
}

}  // namespace

extern constexpr TopologyKind kFatTreeKind{"fat-tree", make_fat_tree};

}  // namespace tofa
