// SPDX-License-Identifier: BSD-3-Clause
// Toruses and meshes in space: a ring or line as a circle, two dimensions as a plane, three as a
// block, and of more dimensions a block for each position in the others, side by side. A link to a
// node that is not beside this one, round the back or in another block, is a short line at both of
// its ends.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "picture/layout.hpp"
#include "picture/scene.hpp"

namespace tofa::cli {
namespace {

constexpr double kGapOfBlocks = 3;    // between two blocks beside each other,
constexpr double kCaptionRoom = 1.5;  // and more between two above each other
constexpr double kPleasantGridAspect = 1.3;
constexpr double kStub = 0.5;  // how long a short line is

// Which way a short line leaves a node upwards in a dimension.
constexpr std::array<Point3, Grid::kMostDimensions> kWays = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.55, -0.6, 0.55}, {0.55, 0.6, 0.55}, {-0.55, -0.6, 0.55}}};

class GridScene {
 public:
  GridScene(const Topology& topology, const Grid& grid) : topology_(topology), grid_(grid) {
    for (std::size_t d = 3; d < grid_.dimensions(); ++d) blocks_ *= grid_.extent(d);
    arrange_blocks();
  }

  Scene make() {
    scene_.shape = "grid";
    std::vector<Point3> places;
    for (std::uint32_t vertex = 0; vertex < topology_.vertices(); ++vertex)
      places.push_back(on_grid(vertex) ? place_of(topology_.coordinates(vertex)) : Point3{});
    add_vertices(scene_, topology_, places, std::vector<bool>(places.size(), true));
    add_wires(scene_, topology_);
    shorten_wires();
    add_captions();
    scene_.node_radius = 0.22;
    scene_.pitch = grid_.dimensions() == 1 ? 62 : grid_.dimensions() == 2 ? 55 : 22;
    scene_.yaw = grid_.dimensions() < 3 ? 0 : 28;
    return std::move(scene_);
  }

 private:
  bool on_grid(std::uint32_t vertex) const { return !topology_.coordinates(vertex).empty(); }
  unsigned extent(std::size_t d) const { return d < grid_.dimensions() ? grid_.extent(d) : 1; }
  double pitch_x() const { return extent(0) - 1 + kGapOfBlocks; }
  double pitch_z() const { return extent(2) - 1 + kGapOfBlocks + kCaptionRoom; }

  // As many beside each other as make the whole about as wide as high, with few gaps at the end.
  void arrange_blocks() {
    double least = INFINITY;
    for (unsigned across = 1; across <= blocks_; ++across) {
      const unsigned rows = (blocks_ + across - 1) / across;
      const double aspect = across * pitch_x() / (rows * pitch_z());
      const double gaps = static_cast<double>(rows * across - blocks_) / blocks_;
      const double here = std::abs(std::log(aspect / kPleasantGridAspect)) + gaps;
      if (here >= least) continue;
      least = here;
      across_ = across;
    }
  }

  Point3 corner(unsigned block) const {
    return {block % across_ * pitch_x(), 0, -std::floor(block / across_) * pitch_z()};
  }

  Point3 place_of(const std::vector<unsigned>& at) const {
    if (grid_.dimensions() == 1) return on_circle(at[0]);
    unsigned block = 0;
    for (std::size_t d = grid_.dimensions(); d-- > 3;) block = block * grid_.extent(d) + at[d];
    Point3 place = corner(block);
    place.x += at[0];
    place.y += at[1];
    if (at.size() > 2) place.z += at[2];
    return place;
  }

  // Clockwise from the back; a line leaves a gap where it is not closed.
  Point3 on_circle(unsigned at) const {
    const double all = grid_.extent(0) + (grid_.wraps(0) ? 0 : 1);
    const double radius = std::max(1.0, all / (2 * std::numbers::pi));
    const double angle = 2 * std::numbers::pi * at / all;
    return {radius * std::sin(angle), radius * std::cos(angle), 0};
  }

  // Wires that do not lead to a neighbour in the same block become short lines at both ends, those
  // of a node that leave it the same way one.
  void shorten_wires() {
    std::map<std::pair<std::uint32_t, std::pair<std::size_t, bool>>, std::vector<Link>> stubs;
    std::vector<SceneWire> whole;
    for (SceneWire& wire : scene_.wires) {
      const std::vector<unsigned> a = topology_.coordinates(scene_.vertices[wire.from]);
      const std::vector<unsigned> b = topology_.coordinates(scene_.vertices[wire.to]);
      const auto d =
          static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
      const bool beside = std::max(a[d], b[d]) - std::min(a[d], b[d]) == 1;
      if (!beside && !grid_.wraps(d)) continue;  // a mesh ends there
      if ((beside && d < 3) || grid_.dimensions() == 1) {
        whole.push_back(std::move(wire));
        continue;
      }
      far_ |= d >= 3;
      round_ |= !beside;
      const bool upwards = beside == (a[d] < b[d]);  // round the back, it is the other way
      for (const auto& [point, up] : {std::pair{wire.from, upwards}, {wire.to, !upwards}}) {
        std::vector<Link>& links = stubs[{point, {d, up}}];
        links.insert(links.end(), wire.links.begin(), wire.links.end());
      }
    }
    scene_.wires = std::move(whole);
    for (auto& [where, links] : stubs)
      add_stub(where.first, where.second.first, where.second.second, std::move(links));
  }

  void add_stub(std::uint32_t point, std::size_t dimension, bool up, std::vector<Link> links) {
    const Point3& way = kWays[dimension];
    const double length = up ? kStub : -kStub;
    const Point3 from = scene_.points[point];
    scene_.points.push_back(
        {from.x + length * way.x, from.y + length * way.y, from.z + length * way.z});
    scene_.wires.push_back(
        {point, static_cast<std::uint32_t>(scene_.points.size() - 1), std::move(links)});
  }

  // Along the sides of the first block that are seen at first, and above each block where there are
  // several.
  void add_captions() {
    if (grid_.dimensions() == 1) return;
    const auto side = [this](std::size_t d) {
      return fmt::format("{}: 0 to {}", kDimensionNames[d], grid_.extent(d) - 1);
    };
    const Point3 middle{(extent(0) - 1) / 2.0, (extent(1) - 1) / 2.0, (extent(2) - 1) / 2.0};
    const double off = 0.8 + 0.06 * std::max({extent(0), extent(1), extent(2)});
    scene_.captions.push_back({{middle.x, -0.7 * off, -0.7 * off}, side(0)});
    scene_.captions.push_back({{-0.7 * off, middle.y, -0.7 * off}, side(1)});
    if (blocks_ == 1 && extent(2) > 1)
      scene_.captions.push_back({{extent(0) - 1 + off, -off / 2, middle.z}, side(2)});
    for (unsigned block = 0; blocks_ > 1 && block < blocks_; ++block) {
      unsigned rest = block;
      std::string text;
      for (std::size_t d = 3; d < grid_.dimensions(); ++d) {
        text +=
            fmt::format("{}{} = {}", d > 3 ? ", " : "", kDimensionNames[d], rest % grid_.extent(d));
        rest /= grid_.extent(d);
      }
      const Point3 at = corner(block);
      scene_.captions.push_back({{at.x + middle.x, extent(1) - 1.0, at.z + extent(2) + 0.2}, text});
    }
    if (blocks_ > 1) scene_.captions.push_back({{-off, extent(1) - 0.5, middle.z}, side(2)});
    if (round_ || far_) {
      scene_.notes.push_back(fmt::format(
          "Short lines are links {}.", !far_     ? "that go round to the other side"
                                       : !round_ ? "to other blocks"
                                                 : "to other blocks, or round to the other side"));
    }
  }

  const Topology& topology_;
  const Grid& grid_;
  unsigned blocks_ = 1;
  unsigned across_ = 1;  // of them beside each other
  bool far_ = false;     // some links lead to another block
  bool round_ = false;   // some lead round the back
  Scene scene_;
};

}  // namespace

Scene grid_scene(const Topology& topology, const Grid& grid) {
  return GridScene(topology, grid).make();
}

}  // namespace tofa::cli
