// SPDX-License-Identifier: BSD-3-Clause
// Pictures as PNG, where librsvg and cairo were found when tofa was built. Part of the command, not
// of the library, so that components loaded into an MPI job do not pull in a graphics stack.
#pragma once

#include <string>

namespace tofa::cli {

// The PNG file of an SVG document, at twice its size in pixels. Throws Error (unavailable) when
// built without.
std::string svg_to_png(const std::string& svg);

}  // namespace tofa::cli
