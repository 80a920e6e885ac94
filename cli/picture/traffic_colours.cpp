// SPDX-License-Identifier: BSD-3-Clause
// Colours between fixed ones: see traffic_colours.hpp. The hues are those of the loads in
// `tofa picture`.
#include "picture/traffic_colours.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tofa::cli {
namespace {

struct Colour {
  double red, green, blue;
};
using Scale = std::array<Colour, 7>;

constexpr Scale kOnLight = {{{250, 214, 140},
                             {247, 178, 82},
                             {236, 134, 56},
                             {213, 78, 66},
                             {167, 38, 92},
                             {110, 18, 92},
                             {48, 6, 58}}};
constexpr Scale kOnDark = {{{88, 34, 108},
                            {132, 36, 112},
                            {182, 50, 96},
                            {224, 84, 74},
                            {246, 137, 62},
                            {252, 190, 98},
                            {255, 243, 196}}};

}  // namespace

std::string traffic_colour(std::size_t level, Ground ground) {
  const Scale& scale = ground == Ground::light ? kOnLight : kOnDark;
  const double position =
      static_cast<double>(std::min(level, kColourLevels - 1)) / (kColourLevels - 1);
  const double scaled = position * (scale.size() - 1);
  const std::size_t index = std::min(static_cast<std::size_t>(scaled), scale.size() - 2);
  const double part = scaled - static_cast<double>(index);
  const auto mix = [&](double Colour::*channel) {
    return static_cast<int>(
        std::lround(scale[index].*channel * (1 - part) + scale[index + 1].*channel * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(&Colour::red), mix(&Colour::green),
                     mix(&Colour::blue));
}

}  // namespace tofa::cli
