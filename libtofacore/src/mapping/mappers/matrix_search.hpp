// SPDX-License-Identifier: BSD-3-Clause
// The matrix over GF(2) that brings pairs of codes closest together in a box. It is annealed:
// adding one row to another and swapping two keep it invertible, and each flips one bit, or two, of
// what some of the codes become, which changes the hops along one dimension, or two.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/mappers/coded_pairs.hpp"
#include "mapping/mappers/host_box.hpp"

namespace tofa {

// The power-of-two part of a box: which bits of a code say, Gray-coded, where it is in a dimension.
struct HostBits {
  struct Dimension {
    unsigned first;  // bit
    unsigned bits;
    std::uint32_t of(std::uint32_t code) const { return (code >> first) & ((1U << bits) - 1); }
  };
  std::vector<Dimension> dimensions;
  unsigned total = 0;

  explicit HostBits(const HostBox& box);
  std::size_t dimension_of(unsigned bit) const;
  Cell cell(std::uint32_t code) const;
};

// What becomes of each bit of a code, and so of every code.
using Matrix = std::vector<std::uint32_t>;
std::uint32_t image(const Matrix& matrix, std::uint32_t code);

// Several matrices, each the best of a search of its own, in a tenth of the task's seconds and up
// to a hundredth of a second more, or in twice that where there are many bits. Traffic that no
// matrix suits is given up soon. None where nobody talks, or a dimension has 2,048 positions or
// more. `codes`, by rank, have no more bits than the box.
std::vector<Matrix> find_matrices(const MappingTask& task, const HostBox& box, const HostBits& bits,
                                  const std::vector<std::uint32_t>& codes);

}  // namespace tofa
