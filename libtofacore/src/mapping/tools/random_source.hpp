// SPDX-License-Identifier: BSD-3-Clause
// Random numbers that are the same on every platform for the same seed, which the standard
// library's distributions are not.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tofa {

// SplitMix64 (Steele, Lea, Flood 2014).
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : state_(seed) {}

  // Inlined everywhere: of many files compiled as one, a compiler calls it in inner loops.
  [[gnu::always_inline]] std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  // In [0, bound); bound > 0. The bias of the multiplication is far below what a search could
  // notice.
  [[gnu::always_inline]] std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
  }

  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace tofa
