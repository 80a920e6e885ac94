// SPDX-License-Identifier: BSD-3-Clause
// Turning a drawing of ranks before it is cut in slabs. A box that is cut askew is torn apart, and
// a drawing is turned as chance will have it where its axes are about as long as each other.
#pragma once

#include <array>
#include <vector>

#include "mapping/tools/drawing.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {

// Rows are the new axes.
using Turning = std::array<std::array<float, Drawing::kMostDimensions>, Drawing::kMostDimensions>;

// Of so many turns of points in so many dimensions: the first one turns nothing, those of a plane
// are even.
Turning any_turn(std::size_t dimensions, unsigned turn, unsigned turns, RandomSource& random);

// What makes the first axes, so many of them, those of the box that the drawing looks like, the
// longest first. Coordinates along the faces of a box are independent of each other and spread
// evenly, and all others are closer to a bell: so the fourth cumulants along the axes are to be
// low (as independent components are found: Comon, Independent component analysis, a new concept?,
// 1994, for the contrast and the turns of two axes at a time). A drawing with rings stays as it is.
Turning turn_to_faces(const Drawing& drawing, std::size_t dimensions);

// All orders of the first axes, so many of them, of a turn to the faces, which comes first itself.
std::vector<Turning> ways_to_face(const Turning& longest_first, std::size_t dimensions);

// Turns all points of a drawing, which has no rings unless nothing is turned. Lengths stay.
void turn(Drawing& drawing, const Turning& turning);

}  // namespace tofa
