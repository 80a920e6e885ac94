// SPDX-License-Identifier: BSD-3-Clause
// Blocks of blocks: see slurm_blocks.hpp.
#include "topology/slurm_blocks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace tofa {
namespace {

// How many blocks of the lowest level each larger kind of block has.
std::vector<std::size_t> block_counts(const std::vector<std::uint64_t>& sizes,
                                      const std::function<void(const std::string&)>& fail) {
  std::vector<std::size_t> counts;
  for (const std::uint64_t size : sizes) {
    const std::uint64_t base = sizes.front();
    const std::uint64_t before = counts.empty() ? 0 : counts.back();
    if (base == 0 || size % base != 0 || !std::has_single_bit(size / base) ||
        size / base <= before) {
      fail(fmt::format("BlockSizes: {} is not the first size, {}, times a larger power of two",
                       size, base));
    }
    counts.push_back(size / base);
  }
  return counts;
}

std::string name_of_both(const SwitchEntry& first, const SwitchEntry& last) {
  return first.name == last.name ? first.name : first.name + ".." + last.name;
}

}  // namespace

void add_larger_blocks(std::vector<SwitchEntry>& blocks, const std::vector<std::uint64_t>& sizes,
                       const std::function<void(const std::string&)>& fail) {
  std::vector<std::size_t> counts = block_counts(sizes, fail);
  const std::size_t all = blocks.size();
  counts.push_back(all);
  std::vector<std::string> below;  // the switches of the level below, in order
  below.reserve(blocks.size());
  for (const SwitchEntry& block : blocks) below.push_back(block.name);
  std::size_t each = 1;  // blocks of the lowest level in one of them
  for (const std::size_t count : counts) {
    const std::size_t blocks_in_one = std::min(count, all);
    if (blocks_in_one <= each) continue;
    std::vector<std::string> level;
    for (std::size_t first = 0; first < all; first += blocks_in_one) {
      const std::size_t end = std::min(first + blocks_in_one, all);
      SwitchEntry larger;
      larger.line = blocks[first].line;
      for (std::size_t i = first / each; i * each < end; ++i) larger.switches.push_back(below[i]);
      // What has no neighbour is a larger block by itself.
      if (larger.switches.size() == 1) {
        level.push_back(larger.switches.front());
        continue;
      }
      larger.name = name_of_both(blocks[first], blocks[end - 1]);
      level.push_back(larger.name);
      blocks.push_back(std::move(larger));
    }
    below = std::move(level);
    each = blocks_in_one;
  }
}

}  // namespace tofa
