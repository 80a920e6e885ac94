// SPDX-License-Identifier: BSD-3-Clause
// Progress on the terminal: see progress_line.hpp.
#include "progress_line.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tofa::cli {
namespace {

// A search that is over sooner needs no progress.
constexpr double kPatience = 0.5;

}  // namespace

ProgressLine::ProgressLine(bool quiet) : enabled_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (width_ > 0) write(fmt::format("{:{}}\r", "", width_));
}

std::function<void(const Progress&)> ProgressLine::callback() {
  if (!enabled_) return {};
  return [this](const Progress& progress) { show(progress); };
}

void ProgressLine::show(const Progress& progress) {
  if (progress.elapsed_seconds < kPatience) return;
  const double saved =
      progress.linear_cost > 0 ? 100 * (1 - progress.best_cost / progress.linear_cost) : 0;
  const std::string line =
      fmt::format("placing: {:.1f} of {:.4g} s, best cost {:.4g}, {:.0f} % below the default",
                  progress.elapsed_seconds, progress.time_limit_seconds, progress.best_cost, saved);
  // Spaces cover what is left of a longer line before.
  width_ = std::max(width_, line.size());
  write(fmt::format("{:{}}", line, width_));
}

void ProgressLine::write(const std::string& text) {
  std::fputs(("\r" + text).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace tofa::cli
