// SPDX-License-Identifier: BSD-3-Clause
// A smooth stand-in for objectives that count the loads of links: the sum of their squares, and a
// norm in place of the busiest one. Of several links that are about as busy, a move relieves one:
// the maximum does not see that, the norm does.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "mapping/mapper.hpp"

namespace tofa {

class SmoothTime {
 public:
  // The norm is that of this power of two.
  static constexpr int kSquarings = 4;
  static constexpr double kPower = 1U << kSquarings;

  // Loads are in units of so many bytes, as are the values.
  SmoothTime(const MappingTask& task, double bytes_per_unit);

  double bytes_per_unit() const { return unit_; }
  // Whether the objective counts loads at all.
  bool counts() const { return of_norm_ > 0 || of_squares_ > 0; }

  // Loads are so large now, in the norm. What is kept is added to that; to begin anew from time to
  // time keeps powers of loads in the range of numbers, and rounding small.
  void begin(double norm) {
    norm_ = static_cast<float>(norm);
    inverse_ = norm > 0 ? 1 / norm_ : 0;
    powers_ = 1;
    root_ = 1;
  }

  // What a change of loads adds to the sums of squares and of powers, these in units of the norm.
  struct Change {
    float squares = 0;
    float powers = 0;
  };
  float value(const Change& change) const {
    return of_squares_ * change.squares +
           of_norm_ * norm_ * (root(powers_ + change.powers) - root_);
  }
  // Of the value, what the norm is worth now: no move saves more of it.
  float of_norm() const { return of_norm_ * norm_ * root_; }
  void keep(const Change& change) {
    powers_ = std::max(powers_ + change.powers, 0.0F);
    root_ = root(powers_);
  }

  // Adds what one link changes to both sums, where it costs `1 / ease` times what others do and
  // loads are in multiples of that. Numbers or vectors of numbers.
  template <typename Number>
  [[gnu::always_inline]] void add(const Number& load, const Number& change, const Number& ease,
                                  Number& squares, Number& powers) const {
    // Powers of what is smaller than this are nothing beside that of the norm, and so small that
    // processors take their time over them.
    const Number least = 0x1p-7F - Number{};
    const Number after = load + change;
    Number before_power = load * inverse_;
    Number after_power = after * inverse_;
    before_power = before_power > least ? before_power : least;
    after_power = after_power > least ? after_power : least;
    for (int i = 0; i < kSquarings; ++i) {
      before_power *= before_power;
      after_power *= after_power;
    }
    squares += ease * (load + after) * change;
    powers += after_power - before_power;
  }

 private:
  static float root(float powers) {
    float value = std::max(powers, 0.0F);
    for (int i = 0; i < kSquarings; ++i) value = std::sqrt(value);
    return value;
  }

  double unit_;
  float of_norm_;
  float of_squares_;
  float norm_ = 0;
  float inverse_ = 0;
  float powers_ = 1;  // sum of (l / norm)^p
  float root_ = 1;    // its p-th root
};

// Of the loads of all links, in units and their squares.
struct LoadSums {
  double sum = 0;
  double squares = 0;
  double most = 0;
  double norm = 0;  // which stands for the most: (sum of l^p)^(1/p), p the power of the norm
};

// `ease` as above, by link; empty where it is 1.
LoadSums sums_of_loads(std::span<const float> loads, std::span<const float> ease = {});

}  // namespace tofa
