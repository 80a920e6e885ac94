// SPDX-License-Identifier: BSD-3-Clause
// Reads past outages: see tofa/outage_log.hpp. A header says which column is which; without one,
// the separator does.
#include "tofa/outage_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "tofa/error.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::size_t kMostOutages = 10'000'000;
constexpr double kLatestTime = 1e11;  // the year 5138, so that milliseconds are no seconds
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Divided at `separator`; what stands in double quotes is one field, and loses them.
std::vector<std::string> split_fields(std::string_view line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"' && separator == ',') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  for (std::string& field : fields) field = std::string(trim(field));
  return fields;
}

// The commas of a host list are within brackets only: n[1,3-4],2026-...
std::vector<std::string> split_line(std::string_view line, char separator) {
  if (separator != ',') return split_fields(line, separator);
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open ||
      line.find(',') < open) {
    return split_fields(line, separator);
  }
  const std::size_t end = std::min(line.size(), line.find(',', close));
  auto fields = split_fields(line.substr(end), separator);
  fields.front() = std::string(trim(line.substr(0, end)));
  return fields;
}

struct Columns {
  std::size_t host = 0;
  std::size_t start = 1;
  std::size_t end = 2;
  std::size_t cause = 3;
  std::size_t state = kAbsent;  // Slurm's
};

// Of `sacctmgr -P show event`, which leads with the cluster.
constexpr Columns kEventColumns{1, 2, 3, 5, 4};

std::size_t column_of(const std::vector<std::string>& header,
                      std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (std::find(names.begin(), names.end(), lower_case(header[i])) != names.end()) return i;
  }
  return kAbsent;
}

std::optional<Columns> read_header(const std::vector<std::string>& fields) {
  const Columns columns{column_of(fields, {"host", "node", "nodename", "hostname"}),
                        column_of(fields, {"start", "timestart", "begin"}),
                        column_of(fields, {"end", "timeend"}),
                        column_of(fields, {"cause", "reason"}), column_of(fields, {"state"})};
  if (columns.host == kAbsent || columns.start == kAbsent || columns.end == kAbsent) {
    return std::nullopt;
  }
  return columns;
}

// Without a header: where the first two times are.
Columns guess_columns(const std::vector<std::string>& fields, char separator) {
  if (separator == ',') return {};
  if (fields.size() > 2 && !parse_time(fields[1]) && parse_time(fields[2])) return kEventColumns;
  return {0, 1, 2, 4, fields.size() > 3 ? 3 : kAbsent};
}

bool is_failure(std::string_view state) {
  constexpr std::array failures{"down", "fail", "error"};
  constexpr std::array planned{"drain", "maint", "power", "reboot", "planned", "future", "resv"};
  // Slurm's marks: $ reserved for maintenance, ~ # % ! power saving, @ ^ reboots that were asked
  // for.
  if (state.find_first_of("$~#%!@^") != std::string_view::npos) return false;
  const std::string text = lower_case(state);
  const auto contained = [&text](const char* word) { return text.find(word) != text.npos; };
  // POWERED_DOWN and DOWN+DRAIN name both.
  return std::any_of(failures.begin(), failures.end(), contained) &&
         std::none_of(planned.begin(), planned.end(), contained);
}

bool is_open_end(std::string_view text) {
  const std::string lower = lower_case(text);
  return lower.empty() || lower == "0" || lower == "unknown" || lower == "none" || lower == "null";
}

class LogReader {
 public:
  explicit LogReader(const std::string& name) : name_(name) {}

  void read(std::string_view line, std::size_t number) {
    number_ = number;
    if (!columns_) {
      separator_ = line.find('|') != std::string_view::npos ? '|' : ',';
      const auto fields = split_line(line, separator_);
      columns_ = read_header(fields);
      if (columns_) return;
      columns_ = guess_columns(fields, separator_);
    }
    add(split_line(line, separator_));
  }

  OutageLog finish() {
    if (log_.outages.empty()) {
      throw Error(
          ErrorKind::bad_input,
          log_.planned > 0
              ? fmt::format("{}: no outage in it, its {} lines are of planned work or of other "
                            "states that are no failures",
                            name_, log_.planned)
              : fmt::format("{}: no outage in it; lines host,start,end are expected", name_));
    }
    merge();
    log_.span = {log_.outages.front().start, latest_};
    log_.classes.resize(log_.hosts.size());
    return std::move(log_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, number_, message);
  }

  void add(const std::vector<std::string>& fields) {
    const auto field = [&fields](std::size_t column) {
      return column < fields.size() ? std::string_view(fields[column]) : std::string_view();
    };
    if (fields.size() <= std::max(columns_->host, columns_->start)) {
      fail(fmt::format("{} fields; host, start and end are expected", fields.size()));
    }
    // Slurm's events of a whole cluster name no node.
    const bool planned = columns_->state != kAbsent && !is_failure(field(columns_->state));
    if (planned || (columns_->state != kAbsent && field(columns_->host).empty())) {
      ++log_.planned;
      return;
    }
    const auto start = parse_time(field(columns_->start));
    if (!start) fail(fmt::format("{} is no time: {}", excerpt(field(columns_->start)), kForms));
    LoggedOutage outage;
    outage.start = *start;
    latest_ = std::max(latest_, outage.start);
    if (!is_open_end(field(columns_->end))) {
      const auto end = parse_time(field(columns_->end));
      if (!end) fail(fmt::format("{} is no time: {}", excerpt(field(columns_->end)), kForms));
      if (*end < *start) fail("the outage ends before it starts");
      outage.end = *end;
      latest_ = std::max(latest_, *end);
    }
    outage.cause = std::string(field(columns_->cause));
    add_hosts(field(columns_->host), outage);
  }

  void add_hosts(std::string_view list, LoggedOutage outage) {
    std::vector<std::string> hosts;
    try {
      hosts = expand_hostlist(list, kMostOutages);
    } catch (const Error& error) {
      fail(error.what());
    }
    if (hosts.empty()) fail("no host");
    for (const std::string& host : hosts) {
      if (!is_host_name(host)) fail(fmt::format("{} is no host name", excerpt(host)));
      const auto [found, added] =
          known_.emplace(host, static_cast<std::uint32_t>(log_.hosts.size()));
      if (added) log_.hosts.push_back(host);
      outage.host = found->second;
      log_.outages.push_back(outage);
    }
    if (log_.outages.size() > kMostOutages) fail("too many outages");
  }

  // Sorts them, and makes one of those of a host that overlap.
  void merge() {
    std::stable_sort(
        log_.outages.begin(), log_.outages.end(),
        [](const LoggedOutage& a, const LoggedOutage& b) { return a.start < b.start; });
    std::vector<std::size_t> last(log_.hosts.size(), kAbsent);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < log_.outages.size(); ++i) {
      LoggedOutage& outage = log_.outages[i];
      std::size_t& before = last[outage.host];
      if (before != kAbsent && outage.start <= log_.outages[before].end) {
        log_.outages[before].end = std::max(log_.outages[before].end, outage.end);
        continue;
      }
      before = kept;
      if (kept != i) log_.outages[kept] = std::move(outage);
      ++kept;
    }
    log_.outages.resize(kept);
  }

  static constexpr const char* kForms =
      "seconds since 1970 or 2026-01-31T12:00:00 are expected; is the separator , or |?";

  const std::string& name_;
  std::size_t number_ = 0;
  char separator_ = ',';
  std::optional<Columns> columns_;
  OutageLog log_;
  double latest_ = 0;
  std::unordered_map<std::string, std::uint32_t> known_;
};

// Takes `digits` digits off the front.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const std::string_view front = text.substr(0, digits);
  if (front.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(digits);
  return parse_number<int>(front);
}

bool take_char(std::string_view& text, std::string_view choice) {
  if (text.empty() || choice.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Howard Hinnant's days_from_civil, of the calendar of today.
std::optional<double> parse_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_char(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || *month < 1 || *month > 12 || !take_char(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || *day < 1 || *day > 31 || *year < 1970) return std::nullopt;
  const int y = *year - (*month <= 2 ? 1 : 0);
  const int era = y / 400;
  const int year_of_era = y - era * 400;
  const int day_of_year = (153 * (*month + (*month > 2 ? -3 : 9)) + 2) / 5 + *day - 1;
  const int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return 86'400.0 * (era * 146'097.0 + day_of_era - 719'468);
}

// HH:MM[:SS[.fraction]]
std::optional<double> parse_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 24 || !take_char(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (!take_char(text, ":")) return seconds;
  const auto second = take_digits(text, 2);
  if (!second || *second > 60) return std::nullopt;
  seconds += *second;
  if (!take_char(text, ".,")) return seconds;
  double digit = 0.1;
  for (bool any = false;; any = true, digit /= 10) {
    const auto next = take_digits(text, 1);
    if (!next) return any ? std::optional(seconds) : std::nullopt;
    seconds += *next * digit;
  }
}

// Z, +01:00, +0100, or nothing.
std::optional<double> parse_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const double sign = text.front() == '-' ? -1 : 1;
  if (!take_char(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take_char(text, ":");
  const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600.0 + *minutes * 60.0);
}

}  // namespace

std::optional<double> parse_time(std::string_view text) {
  if (const auto seconds = parse_number<double>(text)) {
    if (*seconds > 0 && *seconds < kLatestTime) return seconds;
    return std::nullopt;
  }
  const auto date = parse_date(text);
  if (!date || text.empty()) return date;
  if (!take_char(text, "T ")) return std::nullopt;
  const auto clock = parse_clock(text);
  if (!clock) return std::nullopt;
  const auto offset = parse_offset(text);
  if (!offset) return std::nullopt;
  return *date + *clock - *offset;
}

OutageLog parse_outage_log(std::string_view text, const std::string& name) {
  LogReader reader(name);
  LineReader lines(require_text(text, name));
  for (std::string_view line; lines.next(line);) {
    const std::string_view content = trim(line);
    if (content.empty() || content.front() == '#') continue;
    reader.read(content, lines.number());
  }
  return reader.finish();
}

OutageLog log_of_hosts(const OutageLog& log, const std::vector<std::string>& hosts) {
  const HostIndex index(hosts);
  OutageLog chosen;
  chosen.hosts = hosts;
  chosen.classes.resize(hosts.size());
  chosen.span = log.span;
  chosen.pauses = log.pauses;
  chosen.planned = log.planned;
  for (const LoggedOutage& outage : log.outages) {
    if (const auto host = index.find(log.hosts[outage.host])) {
      chosen.outages.push_back(outage);
      chosen.outages.back().host = *host;
    }
  }
  return chosen;
}

}  // namespace tofa
