// SPDX-License-Identifier: BSD-3-Clause
// What Slurm's `sacct --parsable2` prints: a line that names the columns, then one per job and
// step, all fields separated by |. Steps have a point in their number and are passed over: they are
// parts of jobs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "replay/workload_format.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/error.hpp"
#include "tofa/outage_log.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

std::vector<std::string_view> sacct_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t bar = line.find('|');
    fields.push_back(trim(line.substr(0, bar)));
    if (bar == std::string_view::npos) return fields;
    line.remove_prefix(bar + 1);
  }
}

class SacctReader {
 public:
  SacctReader(std::string_view header, const std::string& name, std::size_t line)
      : names_(sacct_fields(header)), name_(name), line_(line) {
    id_ = require("JobID", {"JobID", "JobIDRaw"});
    submit_ = require("Submit", {"Submit"});
    cores_ = require("AllocCPUS", {"AllocCPUS", "NCPUS", "ReqCPUS"});
    start_ = column({"Start"});
    end_ = column({"End"});
    elapsed_ = column({"ElapsedRaw", "Elapsed"});
    if (elapsed_ == kNoColumn && (start_ == kNoColumn || end_ == kNoColumn))
      fail("no column says how long jobs ran; add Elapsed to sacct --format");
    eligible_ = column({"Eligible"});
    limit_ = column({"TimelimitRaw", "Timelimit"});
    limit_in_minutes_ = limit_ != kNoColumn && names_[limit_] == "TimelimitRaw";
    nodes_ = column({"AllocNodes", "NNodes", "ReqNodes"});
    nodes_have_units_ =
        nodes_ != kNoColumn && (names_[nodes_] == "AllocNodes" || names_[nodes_] == "ReqNodes");
    job_name_ = column({"JobName"});
    state_ = column({"State"});
    priority_ = column({"Priority"});
  }

  void read(std::string_view text, std::size_t line, Workload& workload) {
    line_ = line;
    const auto fields = sacct_fields(text);
    if (fields.size() != names_.size()) {
      fail(
          fmt::format("{} fields, but the first line names {} columns; print the log with "
                      "--parsable2 and without | in job names",
                      fields.size(), names_.size()));
    }
    if (fields[id_].find('.') != std::string_view::npos) return;  // a step
    auto job = job_of(fields);
    if (!job || workload.jobs.size() >= kMostJobs) {
      ++workload.left_out;
      return;
    }
    if (job->nodes > 0) {
      workload.cores_per_node = std::max(workload.cores_per_node, job->ranks / job->nodes);
    }
    workload.jobs.push_back(std::move(*job));
  }

 private:
  using Fields = std::vector<std::string_view>;

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, line_, message);
  }

  // The first of `alternatives` that there is.
  std::size_t column(const std::vector<std::string_view>& alternatives) const {
    for (const std::string_view wanted : alternatives) {
      const auto found = std::find(names_.begin(), names_.end(), wanted);
      if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    }
    return kNoColumn;
  }
  std::size_t require(const char* what, const std::vector<std::string_view>& alternatives) const {
    const std::size_t found = column(alternatives);
    if (found == kNoColumn)
      fail(fmt::format("there is no column {}; add it to sacct --format", what));
    return found;
  }

  static bool is_unknown(std::string_view text) {
    static constexpr std::array<std::string_view, 6> words{
        "", "Unknown", "None", "INVALID", "UNLIMITED", "Partition_Limit"};
    return std::find(words.begin(), words.end(), text) != words.end();
  }

  std::optional<double> time(const Fields& fields, std::size_t column) const {
    if (column == kNoColumn || is_unknown(fields[column])) return std::nullopt;
    if (const auto value = parse_time(fields[column])) return value;
    fail(fmt::format("{} {} is no time like 2026-01-31T12:00:00", names_[column],
                     excerpt(fields[column])));
  }
  std::optional<double> duration(const Fields& fields, std::size_t column, double unit) const {
    if (column == kNoColumn || is_unknown(fields[column])) return std::nullopt;
    if (const auto number = parse_number<double>(fields[column]); number && *number >= 0)
      return std::min(*number * unit, kLongest);
    if (const auto value = parse_duration(fields[column])) return std::min(*value, kLongest);
    fail(fmt::format("{} {} is no duration like 1-12:30:00", names_[column],
                     excerpt(fields[column])));
  }
  // 0 where it is not known.
  Rank count(const Fields& fields, std::size_t column) const {
    if (column == kNoColumn || is_unknown(fields[column])) return 0;
    const bool has_units = column == nodes_ && nodes_have_units_;
    const auto value =
        has_units ? number_with_unit(fields[column]) : parse_number<Rank>(fields[column]);
    if (value && *value <= kMaxRanks) return *value;
    const bool shortened = ends_in_unit(fields[column]);
    fail(fmt::format("{} {} is no number from 0 to {}{}", names_[column], excerpt(fields[column]),
                     kMaxRanks,
                     shortened ? "; print the log with --noconvert and without --units" : ""));
  }

  static bool ends_in_unit(std::string_view text) {
    return !text.empty() && std::string_view("KMGTP").find(text.back()) != std::string_view::npos;
  }
  // Unless told otherwise, sacct prints multiples of 512 in units of 1024 or 1024^2 where it still
  // takes that to be exact, which halves are: 1024 is 1K, 1536 is 1.50K. All other fractions are
  // rounded.
  static std::optional<Rank> number_with_unit(std::string_view text) {
    if (!ends_in_unit(text)) return parse_number<Rank>(text);
    constexpr Rank kilo = 1024;
    const char letter = text.back();
    if (letter != 'K' && letter != 'M') return std::nullopt;
    const Rank unit = letter == 'K' ? kilo : kilo * kilo;
    text.remove_suffix(1);
    constexpr std::string_view half = ".50";
    const Rank extra = text.ends_with(half) ? unit / 2 : 0;
    if (extra > 0) text.remove_suffix(half.size());
    const auto whole = parse_number<Rank>(text);
    if (!whole || *whole == 0 || *whole > kMaxRanks / unit) return std::nullopt;
    return *whole * unit + extra;
  }

  // Nothing where it never ran or still does.
  std::optional<LoggedJob> job_of(const Fields& fields) const {
    const auto submit = time(fields, submit_);
    const auto start = time(fields, start_);
    const auto end = time(fields, end_);
    auto ran = duration(fields, elapsed_, 1);
    if (!ran && start && end) ran = *end - *start;
    LoggedJob job;
    job.ranks = count(fields, cores_);
    job.nodes = count(fields, nodes_);
    const bool over = state_ == kNoColumn
                          ? end_ == kNoColumn || end.has_value()
                          : fields[state_] != "RUNNING" && fields[state_] != "SUSPENDED" &&
                                fields[state_] != "PENDING";
    if (!submit || !ran || *ran <= 0 || job.ranks == 0 || !over) return std::nullopt;
    job.id = fields[id_];
    if (job_name_ != kNoColumn) job.name = fields[job_name_];
    job.submit = std::max(*submit, time(fields, eligible_).value_or(*submit));
    job.run_seconds = *ran;
    constexpr double minute = 60;
    job.limit_seconds =
        std::max(duration(fields, limit_, limit_in_minutes_ ? minute : 1).value_or(0), *ran);
    if (priority_ != kNoColumn) job.priority = count_or_more(fields[priority_]);
    job.nodes = std::min<unsigned>(job.nodes, job.ranks);
    return job;
  }

  // Priorities are 32 bits wide.
  double count_or_more(std::string_view text) const {
    if (is_unknown(text)) return 0;
    const auto value = parse_number<std::uint32_t>(text);
    if (!value) fail(fmt::format("Priority {} is no number", excerpt(text)));
    return *value;
  }

  static constexpr double kLongest = 1e10;  // seconds

  std::vector<std::string_view> names_;
  const std::string& name_;
  std::size_t line_;
  std::size_t id_ = 0, submit_ = 0, cores_ = 0;
  std::size_t start_ = kNoColumn, end_ = kNoColumn, elapsed_ = kNoColumn, eligible_ = kNoColumn;
  std::size_t limit_ = kNoColumn, nodes_ = kNoColumn, job_name_ = kNoColumn, state_ = kNoColumn;
  std::size_t priority_ = kNoColumn;
  bool limit_in_minutes_ = false;
  bool nodes_have_units_ = false;
};

bool is_sacct(std::string_view text) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line);
    if (line.empty()) continue;
    const auto fields = sacct_fields(line);
    return fields.size() > 1 && std::any_of(fields.begin(), fields.end(), [](auto field) {
             return field == "JobID" || field == "JobIDRaw";
           });
  }
  return false;
}

Workload parse_sacct(std::string_view text, const std::string& name) {
  Workload workload;
  std::optional<SacctReader> reader;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    if (reader) {
      reader->read(line, lines.number(), workload);
    } else {
      reader.emplace(line, name, lines.number());
    }
  }
  return workload;
}

}  // namespace

extern constexpr WorkloadFormat kSacctFormat{"sacct", "what sacct --parsable2 prints", is_sacct,
                                             parse_sacct};

}  // namespace tofa
