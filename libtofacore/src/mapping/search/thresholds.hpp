// SPDX-License-Identifier: BSD-3-Clause
// How far uphill a move may lead, by chance: as many temperatures as Metropolis's rule says.
#pragma once

#include <array>
#include <cmath>

#include "mapping/tools/random_source.hpp"

namespace tofa {

// -ln(u) for evenly spread u: the number of temperatures by which a change may be uphill.
class Thresholds {
 public:
  static const Thresholds& table() {
    static const Thresholds thresholds;
    return thresholds;
  }
  float draw(RandomSource& random) const { return values_[random.next() >> 52U]; }

 private:
  Thresholds() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(values_.size())));
    }
  }
  std::array<float, 4096> values_{};
};

}  // namespace tofa
