// SPDX-License-Identifier: BSD-3-Clause
// `tofa report --site`: what the lines of the site's log add up to, so that an administrator can
// say what tofa brought. What is in a line is in tofa/site_log.hpp.
#include "site_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "report.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/site_log.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

double mean(double sum, std::uint64_t count) {
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

SiteSummary read_site_log(const SiteReportOptions& options) {
  SiteSummary summary;
  for (const std::string& file : options.files) {
    const std::string text = read_file(file == "-" ? "/dev/stdin" : file);
    LineReader lines(text);
    for (std::string_view line; lines.next(line);) add_log_line(summary, line);
  }
  return summary;
}

using Reason = std::pair<std::string, std::uint64_t>;

// The most frequent first.
std::vector<Reason> reasons_of(const SiteSummary& summary) {
  std::vector<Reason> reasons(summary.reasons.begin(), summary.reasons.end());
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const Reason& a, const Reason& b) { return a.second > b.second; });
  return reasons;
}

std::string as_json(const SiteSummary& summary) {
  nlohmann::ordered_json reasons = nlohmann::ordered_json::array();
  for (const auto& [reason, count] : reasons_of(summary))
    reasons.push_back({{"reason", reason}, {"steps", count}});
  const nlohmann::ordered_json json{
      {"version", 1},
      {"first", summary.first},
      {"last", summary.last},
      {"steps", summary.placed + summary.declined},
      {"users", summary.users.size()},
      {"placed", summary.placed},
      {"placed_with_warnings", summary.warned},
      {"declined", summary.declined},
      {"reasons", reasons},
      {"ranks", summary.ranks},
      {"hops_per_byte_default", mean(summary.hops_default, summary.placed)},
      {"hops_per_byte_chosen", mean(summary.hops_chosen, summary.placed)},
      {"nodes_avoided", summary.avoided},
      {"aborts_expected_default", summary.aborts_default},
      {"aborts_expected_chosen", summary.aborts_chosen},
      {"other_lines", summary.others}};
  return json_text(json);
}

std::string as_text(const SiteSummary& summary) {
  const std::uint64_t steps = summary.placed + summary.declined;
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("{:<22} {}\n", what, value);
  };
  line("steps that asked", fmt::format("{} of {} users", steps, summary.users.size()));
  if (steps > 0) line("from, to", excerpt(summary.first) + ", " + excerpt(summary.last));
  line("placed", fmt::format("{}, {} of them with what was left after a warning; {} ranks",
                             summary.placed, summary.warned, summary.ranks));
  const double before = mean(summary.hops_default, summary.placed);
  const double after = mean(summary.hops_chosen, summary.placed);
  line("hops per byte, mean",
       fmt::format("default {:.4g}, chosen {:.4g}: {:.4g} saved", before, after, before - after));
  line("nodes avoided", std::to_string(summary.avoided));
  line("aborts expected",
       fmt::format("default {:.4g}, chosen {:.4g}: {:.4g} avoided", summary.aborts_default,
                   summary.aborts_chosen, summary.aborts_default - summary.aborts_chosen));
  line("declined", std::to_string(summary.declined));
  for (const auto& [reason, count] : reasons_of(summary))
    text += fmt::format("{:>8}  {}\n", count, excerpt(reason));
  if (summary.others > 0) line("other lines", fmt::format("{}, ignored", summary.others));
  return text;
}

}  // namespace

void add_site_report_options(Command& command, SiteReportOptions& options) {
  command
      .add_option(
          "--site", options.files,
          "Log to sum up, as the key log of plugstack.conf has it written, or the output of "
          "journalctl; - is standard input")
      ->check(kNotEmpty)
      ->take_all()
      ->type_name("FILE...");
  command.add_flag("--json", options.json, "The sums of --site as JSON");
}

void print_site_report(const SiteReportOptions& options) {
  const SiteSummary summary = read_site_log(options);
  write_output("", options.json ? as_json(summary) : as_text(summary));
}

}  // namespace tofa::cli
