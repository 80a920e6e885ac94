// SPDX-License-Identifier: BSD-3-Clause
// The list of formats of job logs, and what all of them have in common.
#include "tofa/workload.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/registry.hpp"
#include "replay/workload_format.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa {

extern const WorkloadFormat kSacctFormat, kSwfFormat;

namespace {

Registry<WorkloadFormat> workload_registry() {
  static constexpr std::array formats{&kSacctFormat, &kSwfFormat};
  return formats;
}

}  // namespace

Workload parse_workload(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  for (const WorkloadFormat* format : workload_registry()) {
    if (!format->recognise(text)) continue;
    Workload workload = format->parse(text, name);
    workload.format = format->name;
    if (workload.jobs.empty()) {
      throw Error(ErrorKind::bad_input, name, 0,
                  fmt::format("none of the {} jobs of this log has run", workload.left_out));
    }
    std::stable_sort(workload.jobs.begin(), workload.jobs.end(),
                     [](const LoggedJob& a, const LoggedJob& b) { return a.submit < b.submit; });
    return workload;
  }
  throw Error(
      ErrorKind::bad_input, name, 1,
      "this is neither what sacct --parsable2 prints, whose first line names columns such "
      "as JobID|Submit|Elapsed|AllocCPUS, nor the Standard Workload Format, with 18 numbers "
      "on a line");
}

Workload read_workload(const std::string& path) {
  return parse_workload(read_file(path == "-" ? "/dev/stdin" : path),
                        path == "-" ? "standard input" : path);
}

}  // namespace tofa
