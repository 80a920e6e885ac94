// SPDX-License-Identifier: BSD-3-Clause
// The jobs that a site has run, as its log tells of them: when they came, how many processors they
// took and for how long. Read from what Slurm's `sacct --parsable2` prints or from the Standard
// Workload Format of the Parallel Workloads Archive, or generated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

struct LoggedJob {
  std::string id;
  std::string name;          // of the program, as far as the log knows it
  double submit = 0;         // in seconds, from when on it could have started
  double run_seconds = 0;    // it ran
  double limit_seconds = 0;  // it was allowed to run, run_seconds at least
  Rank ranks = 1;            // processors, one for each rank
  unsigned nodes = 0;        // that it asked for; 0: as few as can be
  double priority = 0;       // the higher goes first; then who came first
};

struct Workload {
  std::vector<LoggedJob> jobs;  // by `submit`
  std::size_t left_out = 0;     // jobs that never ran, or still do
  unsigned cores_per_node = 0;  // as far as the log tells; 0: it does not
  std::string format;           // "sacct", "swf"
};

// The format is recognised by the contents. Throws Error: bad_input with file and line, unavailable
// when the file cannot be read.
Workload read_workload(const std::string& path);
Workload parse_workload(std::string_view text, const std::string& name);

std::string format_swf(const Workload& workload);

// A machine that is asked for more or less than it has; see docs/whatif.md for what the numbers are
// taken from.
struct GeneratedWorkload {
  std::size_t jobs = 10'000;
  std::uint64_t seed = 1;
  Rank cores = 80'640;  // of the machine; no job has more
  unsigned cores_per_node = 16;
  double first_hour_jobs = 365;  // there is a rush at the start
  double jobs_per_hour = 137;    // on average over 100 hours
  double median_run_seconds = 182;
  unsigned programs = 40;  // that the jobs run
};
// Throws Error (bad_input) where a number is out of range.
Workload generate_workload(const GeneratedWorkload& wanted);

}  // namespace tofa
