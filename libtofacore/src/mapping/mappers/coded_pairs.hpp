// SPDX-License-Identifier: BSD-3-Clause
// A few of the pairs that talk, where ranks are known by codes and what matters is in which bits
// the two differ. A matrix over GF(2) brings pairs that differ in the same bits about equally far
// apart: so a few of them stand for all. Regular traffic has few such differences, and a thousand
// pairs tell of it what all do; of other traffic it is any pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

struct CodedPair {
  std::uint32_t a;
  std::uint32_t b;
  float bytes;  // with those of all that it stands for
};

class CodedPairs {
 public:
  // `codes` by rank.
  CodedPairs(const CommGraph& graph, const std::vector<std::uint32_t>& codes, RandomSource& random);

  // Whether all pairs differ in one of few ways.
  bool alike() const;
  // So many of each difference, where there are few; some thousands in all at most.
  std::vector<CodedPair> some(std::size_t of_each) const;

 private:
  struct Drawn {
    CodedPair pair;
    std::uint64_t draw;  // a random number
    std::uint32_t difference() const { return pair.a ^ pair.b; }
  };

  void draw(const CommGraph& graph, const std::vector<std::uint32_t>& codes, std::size_t count,
            RandomSource& random);

  std::vector<Drawn> all_;           // by difference
  std::vector<std::size_t> starts_;  // where each difference starts, and the end
};

}  // namespace tofa
