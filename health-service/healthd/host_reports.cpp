// SPDX-License-Identifier: BSD-3-Clause
// A line is words: a host, unless the file is named like one, a state, and the reason as it stands.
#include "healthd/host_reports.hpp"

#include <fmt/format.h>

#include <optional>

#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kLongestFileName = 40;  // in a cause

std::optional<Verdict> verdict_of(std::string_view state) {
  if (state == "up") return Verdict::up;
  if (state == "down") return Verdict::down;
  if (state == "planned") return Verdict::planned;
  return std::nullopt;
}

int severity(Verdict verdict) {
  if (verdict == Verdict::down) return 2;
  return verdict == Verdict::planned ? 1 : 0;
}

void add_line(std::string_view line, std::size_t number, std::string_view file,
              const HostIndex& hosts, ReportFile& read) {
  std::string_view rest = line;
  std::string_view host = next_word(rest);
  if (host.empty() || host.front() == '#') return;
  auto verdict = verdict_of(host);
  if (verdict) {
    host = file;
  } else {
    verdict = verdict_of(next_word(rest));
  }
  if (!verdict || !is_host_name(host)) {
    if (read.malformed_lines++ == 0) read.malformed_line = number;
    return;
  }
  if (const auto known = hosts.find(host)) {
    read.reports[*known] = {*verdict, as_cause(rest)};
  } else if (read.unknown_hosts++ == 0) {
    read.unknown_host = std::string(host);
  }
}

}  // namespace

ReportFile parse_reports(std::string_view text, std::string_view name, const HostIndex& hosts,
                         bool settled) {
  ReportFile read;
  read.finished = text.ends_with('\n');
  // npos + 1 is 0: not a single line is whole.
  if (!read.finished && !settled) text = text.substr(0, text.rfind('\n') + 1);
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    add_line(line, lines.number(), name, hosts, read);
  }
  return read;
}

Opinions judge_reports(const std::map<std::string, ReportFile>& files, std::size_t hosts) {
  Opinions opinions{.verdicts = std::vector<Verdict>(hosts, Verdict::unknown)};
  std::size_t unknown = 0;
  std::size_t malformed = 0;
  std::string first_unknown;
  std::string first_malformed;
  for (const auto& [name, file] : files) {
    for (const auto& [host, report] : file.reports) {
      Verdict& verdict = opinions.verdicts[host];
      if (verdict != Verdict::unknown && severity(report.verdict) <= severity(verdict)) continue;
      verdict = report.verdict;
      if (verdict == Verdict::down) {
        opinions.causes[host] = as_cause(
            fmt::format("folder {}{}{}", std::string_view(name).substr(0, kLongestFileName),
                        report.reason.empty() ? "" : ": ", report.reason));
      }
    }
    if (unknown == 0) first_unknown = file.unknown_host;
    unknown += file.unknown_hosts;
    if (malformed == 0) first_malformed = fmt::format("{}:{}", name, file.malformed_line);
    malformed += file.malformed_lines;
  }
  if (unknown > 0) {
    opinions.remark = fmt::format("{} reports are of hosts that are not configured, such as {}",
                                  unknown, first_unknown);
  }
  if (malformed > 0) {
    opinions.remark += fmt::format(
        "{}{} lines are no reports, the first is {}; they read HOST up|down|planned REASON",
        opinions.remark.empty() ? "" : "; ", malformed, excerpt(first_malformed));
  }
  return opinions;
}

}  // namespace tofa::health
