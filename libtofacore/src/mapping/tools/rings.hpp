// SPDX-License-Identifier: BSD-3-Clause
// Rings among the axes of a drawing. Traffic that closes upon itself, as that of particles in a box
// with periodic borders does, is drawn as a product of circles, each of which takes two axes, all
// of them mixed with one another. What sets circles apart is that in the plane of one of them all
// points are as far from the middle: so quadratic forms of the coordinates are sought that hardly
// vary from point to point, which is a problem of eigenvalues, and the planes are those that these
// forms have in common.
#pragma once

#include <cstddef>
#include <vector>

namespace tofa {

// A coordinate by point.
using Coordinates = std::vector<float>;

// Directions in the space of the axes, by axis, at right angles to each other.
struct Rings {
  struct Plane {
    std::vector<double> x;
    std::vector<double> y;
  };
  std::vector<Plane> planes;              // one for each ring
  std::vector<std::vector<double>> rest;  // the directions that are left over
};

// The axes, eight at most, must have a mean of 0, a mean square of 1, and not be correlated.
Rings find_rings(const std::vector<Coordinates>& axes);

}  // namespace tofa
