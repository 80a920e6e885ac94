// SPDX-License-Identifier: BSD-3-Clause
// Traffic of regular programs, whose ranks are numbered row by row, or in any order.
#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::test {

// What the ranks of a grid are called, row by row.
inline std::vector<Rank> labels_in_order(const std::vector<unsigned>& shape) {
  std::vector<Rank> label(
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies()));
  std::iota(label.begin(), label.end(), Rank{0});
  return label;
}

// Pairs of a grid with `bytes` each.
inline Traffic labelled_grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps,
                             Bytes bytes, const std::vector<Rank>& label) {
  Traffic traffic;
  traffic.ranks = static_cast<Rank>(label.size());
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    Rank stride = 1;
    for (std::size_t d = 0; d < shape.size(); stride *= shape[d++]) {
      const unsigned at = rank / stride % shape[d];
      if (at + 1 < shape[d]) {
        traffic.entries.push_back({label[rank], label[rank + stride], bytes});
      } else if (wraps[d] && shape[d] > 2) {
        traffic.entries.push_back({label[rank], label[rank - at * stride], bytes});
      }
    }
  }
  return traffic;
}

// With ranks relabelled at random.
inline Traffic shuffled_grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps,
                             Bytes bytes, std::uint64_t seed) {
  std::vector<Rank> label = labels_in_order(shape);
  RandomSource(seed).shuffle(label);
  return labelled_grid(shape, wraps, bytes, label);
}

// An open plane, 100 bytes for each pair.
inline Traffic plane(unsigned width, unsigned rows) {
  const std::vector<unsigned> shape = {width, rows};
  Traffic traffic = labelled_grid(shape, {false, false}, 100, labels_in_order(shape));
  traffic.normalise();
  return traffic;
}

// A sheet of hexagons in any order, every other row shifted by half of one.
inline Traffic shuffled_hexagons(unsigned width, unsigned rows, std::uint64_t seed) {
  std::vector<Rank> label = labels_in_order({width, rows});
  RandomSource(seed).shuffle(label);
  Traffic traffic = labelled_grid({width, rows}, {false, false}, 100, label);
  for (Rank row = 0; row + 1 < rows; ++row) {
    for (Rank column = 0; column + 1 < width; ++column) {
      const Rank here = row * width + column;
      const Rank shifted = row % 2;  // by so many columns, to the right
      traffic.entries.push_back({label[here + 1 - shifted], label[here + width + shifted], 100});
    }
  }
  return traffic;
}

// As HPL sends: rings along the rows, and halves of the rows that are swapped.
inline CommGraph rings_and_halves(Rank columns, Rank rows) {
  Traffic traffic;
  traffic.ranks = columns * rows;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const Rank row = rank / columns;
    const Rank column = rank % columns;
    traffic.entries.push_back({rank, row * columns + (column + 1) % columns, 8});
    for (Rank step = 1; step < rows; step *= 2) {
      const Rank other = row ^ step;
      if (row < other && other < rows)
        traffic.entries.push_back({rank, other * columns + column, 4});
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

}  // namespace tofa::test
