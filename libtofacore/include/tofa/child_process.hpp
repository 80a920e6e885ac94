// SPDX-License-Identifier: BSD-3-Clause
// Running a helper program to its end, or to a deadline, from inside a process that is not ours:
// mpirun, slurmctld. So there are no signal handlers, no global state, nothing left open, and no
// zombie, even where the host process reaps children itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tofa {

struct ChildLimits {
  double deadline_seconds = 2;
  std::size_t max_output = std::size_t{64} << 20;
  int interrupt = -1;  // a descriptor; when it becomes readable, nobody wants the answer any more
};

struct ChildResult {
  enum class End {
    exited,       // by itself; `status` tells how, if anybody can still tell
    deadline,     // killed
    too_large,    // killed, it printed more than the limit
    interrupted,  // killed
  };
  End end = End::exited;
  // Exit status; 128 + signal; -1 when the host process reaped the child before us.
  int status = -1;
  std::string output;  // its standard output
  std::string errors;  // the first kilobytes of its standard error
};

// A program without a slash is looked for in PATH. Throws Error (unavailable) when it cannot be
// started.
ChildResult run_child(const std::string& program, const std::vector<std::string>& arguments,
                      const ChildLimits& limits);

// The same for who wants a whole answer: throws Error (unavailable) also unless the program ended
// by itself within the limits. Messages call it `name`.
ChildResult run_to_end(const std::string& program, const std::vector<std::string>& arguments,
                       const ChildLimits& limits, const std::string& name);

// What a program that failed complains about, on one line.
std::string complaint_of(const ChildResult& result);

// What the program printed. Throws Error (unavailable) also unless its exit status is 0, with what
// it wrote to its standard error.
std::string run_and_check(const std::string& program, const std::vector<std::string>& arguments,
                          const ChildLimits& limits, const std::string& name);

}  // namespace tofa
