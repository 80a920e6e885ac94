// SPDX-License-Identifier: BSD-3-Clause
// What a format of job logs provides. A new one is one file that defines a `WorkloadFormat`, plus
// its line in the registry (workload.cpp).
#pragma once

#include <string>
#include <string_view>

#include "tofa/workload.hpp"

namespace tofa {

// Jobs of a log at most.
inline constexpr std::size_t kMostJobs = 10'000'000;

struct WorkloadFormat {
  std::string_view name;
  std::string_view title;  // for messages
  bool (*recognise)(std::string_view text);
  // The text is valid UTF-8; the jobs need not be sorted. Throws Error with file and line.
  Workload (*parse)(std::string_view text, const std::string& name);
};

}  // namespace tofa
