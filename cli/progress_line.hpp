// SPDX-License-Identifier: BSD-3-Clause
// One line on the terminal that says how far a search is, and is gone once it is over.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tofa/place.hpp"

namespace tofa::cli {

class ProgressLine {
 public:
  // Shows nothing when asked to be quiet, or when standard error is not a terminal.
  explicit ProgressLine(bool quiet);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  // For PlaceOptions; empty when there is nothing to show. Valid as long as this object.
  std::function<void(const Progress&)> callback();

 private:
  void show(const Progress& progress);
  static void write(const std::string& text);

  bool enabled_;
  std::size_t width_ = 0;  // of the longest line shown
};

}  // namespace tofa::cli
