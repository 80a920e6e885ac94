// SPDX-License-Identifier: BSD-3-Clause
// The colours of traffic: the more, the stronger the contrast to the ground it is drawn on. Pale to
// dark on light ground, dark to bright on a dark one; even steps, legible in grey and to the
// colour-blind.
#pragma once

#include <cstddef>
#include <string>

namespace tofa::cli {

enum class Ground { light, dark };

// Steps of colour that a heatmap has.
inline constexpr std::size_t kColourLevels = 24;

// "#rrggbb" of a level below kColourLevels; 0 is the least traffic that there is, not none.
std::string traffic_colour(std::size_t level, Ground ground = Ground::light);

}  // namespace tofa::cli
