// SPDX-License-Identifier: BSD-3-Clause
// The Standard Workload Format of the Parallel Workloads Archive (Chapin et al., Benchmarks and
// standards for the evaluation of parallel job schedulers, 1999): 18 numbers on a line, -1 where
// one is not known, and a header of comments `; MaxProcs: 80640`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "replay/workload_format.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

enum SwfField : std::size_t {
  kSwfJob = 0,
  kSwfSubmit = 1,
  kSwfRun = 3,
  kSwfProcessors = 4,
  kSwfAskedProcessors = 7,
  kSwfAskedTime = 8,
  kSwfExecutable = 13,
  kSwfFields = 18
};
using SwfNumbers = std::array<double, kSwfFields>;

constexpr double kSwfMost = 1e11;

SwfNumbers swf_numbers(std::string_view line, const std::string& name, std::size_t number) {
  SwfNumbers values{};
  for (std::size_t i = 0; i < kSwfFields; ++i) {
    const std::string_view word = next_word(line);
    if (word.empty()) {
      throw Error(ErrorKind::bad_input, name, number,
                  fmt::format("a job has {} numbers, but here are {}", +kSwfFields, i));
    }
    const auto value = parse_number<double>(word);
    if (!value || !(*value >= -kSwfMost && *value <= kSwfMost)) {
      throw Error(ErrorKind::bad_input, name, number,
                  fmt::format("field {}, {}, is no number of a job", i + 1, excerpt(word)));
    }
    values[i] = *value;
  }
  if (!trim(line).empty()) {
    throw Error(
        ErrorKind::bad_input, name, number,
        fmt::format("{} follows the {} numbers of a job", excerpt(trim(line)), +kSwfFields));
  }
  return values;
}

// Nothing where it never ran.
std::optional<LoggedJob> swf_job(const SwfNumbers& values) {
  const double processors =
      values[kSwfProcessors] > 0 ? values[kSwfProcessors] : values[kSwfAskedProcessors];
  if (values[kSwfRun] <= 0 || processors < 1 || processors > kMaxRanks) return std::nullopt;
  LoggedJob job;
  job.id = fmt::format("{:.0f}", values[kSwfJob]);
  if (values[kSwfExecutable] >= 0) job.name = fmt::format("app{:.0f}", values[kSwfExecutable]);
  job.submit = values[kSwfSubmit];
  job.run_seconds = values[kSwfRun];
  job.limit_seconds = std::max(values[kSwfAskedTime], job.run_seconds);
  job.ranks = static_cast<Rank>(processors);
  return job;
}

// The number behind `key` in a comment of the header.
std::optional<double> swf_header(std::string_view comment, std::string_view key) {
  comment = trim(comment.substr(1));
  if (!comment.starts_with(key)) return std::nullopt;
  comment = trim(comment.substr(key.size()));
  return parse_number<double>(next_word(comment));
}

Workload parse_swf(std::string_view text, const std::string& name) {
  Workload workload;
  double processors = 0;
  double nodes = 0;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (line.empty()) continue;
    if (line.front() == ';') {
      processors = swf_header(line, "MaxProcs:").value_or(processors);
      nodes = swf_header(line, "MaxNodes:").value_or(nodes);
      continue;
    }
    auto job = swf_job(swf_numbers(line, name, lines.number()));
    if (job && workload.jobs.size() < kMostJobs) {
      workload.jobs.push_back(std::move(*job));
    } else {
      ++workload.left_out;
    }
  }
  if (nodes >= 1 && processors >= nodes && processors / nodes <= kMaxRanks)
    workload.cores_per_node = static_cast<unsigned>(processors / nodes);
  return workload;
}

// By its first line that is no comment; the log of a machine that did nothing has none.
bool is_swf(std::string_view text) {
  LineReader lines(text);
  bool has_comment = false;
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (line.empty()) continue;
    if (line.front() != ';') return parse_number<double>(next_word(line)).has_value();
    has_comment = true;
  }
  return has_comment;
}

}  // namespace

extern constexpr WorkloadFormat kSwfFormat{"swf", "the Standard Workload Format", is_swf,
                                           parse_swf};

std::string format_swf(const Workload& workload) {
  std::string text = "; Version: 2.2\n";
  Rank most = 1;
  for (const LoggedJob& job : workload.jobs) most = std::max(most, job.ranks);
  text +=
      fmt::format("; Note: made by tofa whatif --generate\n; MaxJobs: {}\n", workload.jobs.size());
  if (const unsigned cores = workload.cores_per_node; cores > 0) {
    const Rank nodes = (most + cores - 1) / cores;
    text += fmt::format("; MaxNodes: {}\n; MaxProcs: {}\n", nodes, nodes * cores);
  }
  std::size_t number = 0;
  for (const LoggedJob& job : workload.jobs) {
    const auto digits = job.name.find_first_of("0123456789");
    const auto program =
        digits == std::string::npos ? -1 : parse_number<int>(job.name.substr(digits)).value_or(-1);
    text +=
        fmt::format("{} {:.0f} -1 {:.0f} {} -1 -1 {} {:.0f} -1 1 -1 -1 {} -1 -1 -1 -1\n", ++number,
                    job.submit, job.run_seconds, job.ranks, job.ranks, job.limit_seconds, program);
  }
  return text;
}

}  // namespace tofa
