// SPDX-License-Identifier: BSD-3-Clause
// Amounts as people read and write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tofa {

// "96 B", "1.5 KiB", "64 MiB": at most one decimal.
std::string human_bytes(double bytes);

// Seconds of "90", "90s", "1h30m", "2d", or, as Slurm writes times, "30:00" (minutes), "1:30:00" or
// "1-12:00:00". Nothing for anything else.
std::optional<double> parse_duration(std::string_view text);

}  // namespace tofa
