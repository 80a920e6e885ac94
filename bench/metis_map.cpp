// SPDX-License-Identifier: BSD-3-Clause
// A mapper made of METIS, for comparison. The machine, a grid, is halved again and again across its
// longest side; METIS splits the ranks accordingly, and of the two ways to hand the parts to the
// halves the one nearer to the partners outside is taken. This is the usual way to make a mapper of
// a partitioner, which by itself knows no distances.
//
//   metis-map GRAPH TOPOLOGY SLOTS >HOSTFILE
#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "tofa/graph_io.hpp"
#include "tofa/topology.hpp"

namespace {

using tofa::CommEdge;
using tofa::CommGraph;
using tofa::Node;
using tofa::Rank;

// A part of the grid.
struct Box {
  std::vector<unsigned> low;
  std::vector<unsigned> extent;

  std::size_t volume() const {
    return std::accumulate(extent.begin(), extent.end(), std::size_t{1}, std::multiplies<>());
  }
};

struct Part {
  Box box;
  std::vector<Rank> ranks;
};

// The ranks that METIS put into the first half, and the others.
using Halves = std::array<std::vector<Rank>, 2>;

class Bisection {
 public:
  Bisection(const CommGraph& graph, const tofa::Topology& topology, const tofa::Grid& grid,
            unsigned slots)
      : graph_(graph), grid_(grid), slots_(slots), local_(graph.ranks()) {
    for (Node node = 0; node < topology.nodes(); ++node) at_.push_back(topology.coordinates(node));
    node_at_.resize(topology.nodes());
    for (Node node = 0; node < topology.nodes(); ++node) node_at_[grid.position(at_[node])] = node;
    // METIS counts in 32 bits.
    constexpr double most = 1U << 29U;
    scale_ = std::min(1.0, most / std::max(1.0, static_cast<double>(graph.total_bytes())));
  }

  std::vector<Node> run() {
    Part all{compact_box(), std::vector<Rank>(graph_.ranks())};
    std::iota(all.ranks.begin(), all.ranks.end(), Rank{0});
    centre_.assign(graph_.ranks(), centre_of(all.box));
    std::vector<Node> mapping(graph_.ranks());
    std::deque<Part> parts{std::move(all)};
    while (!parts.empty()) {
      const Part part = std::move(parts.front());
      parts.pop_front();
      if (part.ranks.empty()) continue;
      if (part.box.volume() == 1) {
        for (const Rank rank : part.ranks) mapping[rank] = node_at_[grid_.position(part.box.low)];
        continue;
      }
      split(part, parts);
    }
    return mapping;
  }

 private:
  // The part of the machine that is used: as round as possible, and just large enough.
  Box compact_box() const {
    Box box{std::vector<unsigned>(grid_.dimensions(), 0), grid_.shape()};
    for (;;) {
      auto& longest = *std::max_element(box.extent.begin(), box.extent.end());
      if (longest == 1) return box;
      --longest;
      if (box.volume() * slots_ < graph_.ranks()) {
        ++longest;
        return box;
      }
    }
  }

  static std::vector<double> centre_of(const Box& box) {
    std::vector<double> centre;
    for (std::size_t d = 0; d < box.low.size(); ++d) {
      centre.push_back(box.low[d] + 0.5 * (box.extent[d] - 1));
    }
    return centre;
  }

  double distance(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t d = 0; d < a.size(); ++d) sum += grid_.apart(d, a[d], b[d]);
    return sum;
  }

  void split(const Part& part, std::deque<Part>& parts) {
    std::array<Box, 2> boxes{part.box, part.box};
    const auto longest = static_cast<std::size_t>(
        std::max_element(part.box.extent.begin(), part.box.extent.end()) - part.box.extent.begin());
    boxes[0].extent[longest] = part.box.extent[longest] / 2;
    boxes[1].low[longest] += boxes[0].extent[longest];
    boxes[1].extent[longest] -= boxes[0].extent[longest];
    const std::size_t first = boxes[0].volume() * slots_;
    const std::size_t second = boxes[1].volume() * slots_;
    const std::size_t ranks = part.ranks.size();
    const std::size_t fair = (ranks * first + (first + second) / 2) / (first + second);
    const std::size_t target = std::clamp(fair, ranks > second ? ranks - second : 0, first);
    Halves halves = bisect(part.ranks, target);
    const auto centres = std::array{centre_of(boxes[0]), centre_of(boxes[1])};
    const bool can_swap = halves[1].size() <= first && halves[0].size() <= second;
    if (can_swap && outside_gain(halves, centres) < 0) std::swap(halves[0], halves[1]);
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Rank rank : halves[side]) centre_[rank] = centres[side];
      parts.push_back({std::move(boxes[side]), std::move(halves[side])});
    }
  }

  // How much nearer the partners outside are as things stand than with the halves swapped.
  double outside_gain(const Halves& halves, const std::array<std::vector<double>, 2>& centres) {
    double gain = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Rank rank : halves[side]) local_[rank] = mark_;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Rank rank : halves[side]) {
        for (const CommEdge& edge : graph_.partners(rank)) {
          if (local_[edge.partner] == mark_) continue;
          const auto& there = centre_[edge.partner];
          gain += static_cast<double>(edge.bytes) *
                  (distance(centres[1 - side], there) - distance(centres[side], there));
        }
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (const Rank rank : halves[side]) local_[rank] = 0;
    }
    return gain;
  }

  // Exactly `target` of the ranks in the first half.
  Halves bisect(const std::vector<Rank>& ranks, std::size_t target) {
    std::vector<idx_t> part(ranks.size(), 1);
    if (target == ranks.size()) {
      std::fill(part.begin(), part.end(), 0);
    } else if (target > 0) {
      ask_metis(ranks, target, part);
    }
    Halves halves;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      halves[static_cast<std::size_t>(part[i])].push_back(ranks[i]);
    }
    return halves;
  }

  void ask_metis(const std::vector<Rank>& ranks, std::size_t target, std::vector<idx_t>& part) {
    std::vector<idx_t> offsets{0};
    std::vector<idx_t> targets;
    std::vector<idx_t> weights;
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = static_cast<idx_t>(i + 1);
    for (const Rank rank : ranks) {
      for (const CommEdge& edge : graph_.partners(rank)) {
        if (local_[edge.partner] == 0) continue;
        targets.push_back(local_[edge.partner] - 1);
        weights.push_back(
            std::max<idx_t>(1, static_cast<idx_t>(static_cast<double>(edge.bytes) * scale_)));
      }
      offsets.push_back(static_cast<idx_t>(targets.size()));
    }
    for (const Rank rank : ranks) local_[rank] = 0;
    auto count = static_cast<idx_t>(ranks.size());
    idx_t constraints = 1;
    idx_t two = 2;
    const auto share = static_cast<real_t>(target) / static_cast<real_t>(ranks.size());
    std::array<real_t, 2> shares{share, 1 - share};
    idx_t cut = 0;
    std::array<idx_t, METIS_NOPTIONS> options{};
    METIS_SetDefaultOptions(options.data());
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_UFACTOR] = 1;
    const int status = METIS_PartGraphRecursive(
        &count, &constraints, offsets.data(), targets.data(), nullptr, nullptr, weights.data(),
        &two, shares.data(), nullptr, options.data(), &cut, part.data());
    if (status != METIS_OK) throw std::runtime_error("METIS_PartGraphRecursive failed");
    balance(offsets, targets, weights, target, part);
  }

  // METIS comes close to the sizes asked for; what is missing moves over, dearest ties first.
  static void balance(const std::vector<idx_t>& offsets, const std::vector<idx_t>& targets,
                      const std::vector<idx_t>& weights, std::size_t target,
                      std::vector<idx_t>& part) {
    auto size = static_cast<std::size_t>(std::count(part.begin(), part.end(), 0));
    while (size != target) {
      const idx_t from = size > target ? 0 : 1;
      std::vector<std::pair<idx_t, std::size_t>> gains;
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] != from) continue;
        idx_t gain = 0;
        for (idx_t e = offsets[i]; e < offsets[i + 1]; ++e) {
          const auto at = static_cast<std::size_t>(e);
          gain += part[static_cast<std::size_t>(targets[at])] == from ? -weights[at] : weights[at];
        }
        gains.emplace_back(-gain, i);
      }
      // Gains change with each move: a few at a time.
      const std::size_t missing = size > target ? size - target : target - size;
      const std::size_t moves = std::max<std::size_t>(1, missing / 4);
      std::partial_sort(gains.begin(), gains.begin() + static_cast<std::ptrdiff_t>(moves),
                        gains.end());
      for (std::size_t i = 0; i < moves; ++i) part[gains[i].second] = 1 - from;
      size = from == 0 ? size - moves : size + moves;
    }
  }

  static constexpr idx_t mark_ = -1;

  const CommGraph& graph_;
  const tofa::Grid& grid_;
  unsigned slots_;
  double scale_ = 1;
  std::vector<std::vector<unsigned>> at_;
  std::vector<Node> node_at_;
  std::vector<std::vector<double>> centre_;  // by rank, of the box it is in
  std::vector<idx_t> local_;                 // by rank: its number in a part, from 1; 0 otherwise
};

void run(const char* graph_file, const char* topology_file, const char* slots) {
  const CommGraph graph(tofa::read_traffic(graph_file));
  const auto topology = tofa::read_topology(topology_file);
  if (topology->grid() == nullptr) throw std::runtime_error("the topology is no grid");
  Bisection bisection(graph, *topology, *topology->grid(),
                      static_cast<unsigned>(std::stoul(slots)));
  for (const Node node : bisection.run()) std::puts(topology->name(node).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: metis-map GRAPH TOPOLOGY SLOTS >HOSTFILE\n", stderr);
    return 2;
  }
  try {
    run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "metis-map: %s\n", error.what());
    return 1;
  }
  return 0;
}
