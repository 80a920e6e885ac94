// SPDX-License-Identifier: BSD-3-Clause
// Whether nodes that are likely to fail are drained in Slurm, and when: part of the section
// [slurm], see tofa-healthd.toml(5).
#pragma once

#include <string>

namespace tofa {
class TomlSection;
}

namespace tofa::health {

enum class DrainMode { never, show, act };

struct DrainConfig {
  DrainMode mode = DrainMode::never;
  double above = 0.5;        // the lower end of the probability within the horizon
  double resume_below = -1;  // the probability; negative: half of `above`
  double horizon = 86'400;   // seconds
  double at_most = 1;        // nodes that are drained at once; below 1: a share of all
  double interval = 10;      // seconds between two decisions
  double timeout = 5;        // seconds that Slurm may take
  std::string program = {};  // asks libslurm
  friend bool operator==(const DrainConfig&, const DrainConfig&) = default;
};

// Throws Error with file and line.
DrainConfig read_drain_config(TomlSection& section);

}  // namespace tofa::health
