// SPDX-License-Identifier: BSD-3-Clause
// Files of pictures: SVG, and PNG by the program rsvg-convert. That is a program of its own, so
// that the command, which runs wherever jobs are started, loads no graphics stack.
#pragma once

#include <string>

namespace tofa::cli {

// The PNG file of an SVG document, at twice its size in pixels. Throws Error (unavailable) where
// rsvg-convert is missing or fails.
std::string svg_to_png(const std::string& svg);

// Whether a file of that name is to be PNG, or SVG; throws Error (bad_input) when it is neither. To
// be asked before anything is read, so that a slip of the pen is told at once.
bool wants_png(const std::string& output);

}  // namespace tofa::cli
