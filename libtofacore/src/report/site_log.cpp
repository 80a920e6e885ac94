// SPDX-License-Identifier: BSD-3-Clause
// Lines of the site's log and their sums: see site_log.hpp. Compiled by itself and without what
// places, since the plugin in srun writes such lines.
#include "tofa/site_log.hpp"

#include <algorithm>
#include <cmath>

#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::size_t kLongestValue = 400;
constexpr std::string_view kFirstKey = "time=";

bool is_plain(char c) {
  constexpr std::string_view others = "-_.:,/@%+[]";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         others.find(c) != std::string_view::npos;
}

std::string quoted(std::string_view value) {
  if (value.size() > kLongestValue) value = value.substr(0, kLongestValue);
  if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain))
    return std::string(value);
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return text + '"';
}

// Takes the value at the front of `rest` off it; nothing where a quotation mark is missing.
std::optional<std::string> take_value(std::string_view& rest) {
  if (rest.empty() || rest.front() != '"') return std::string(next_word(rest));
  std::string value;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    value += rest[i];
  }
  return std::nullopt;
}

// Where our fields begin; npos where there are none.
std::size_t find_fields(std::string_view line) {
  for (std::size_t at = line.find(kFirstKey); at != std::string_view::npos;
       at = line.find(kFirstKey, at + 1)) {
    if (at == 0 || is_blank(line[at - 1])) return at;
  }
  return std::string_view::npos;
}

// So that steps which were declined for the same reason count as such.
std::string without_numbers(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) kept += c;
    if (digit && (kept.empty() || kept.back() != '#')) kept += '#';
  }
  return kept;
}

class Reader {
 public:
  explicit Reader(const std::map<std::string, std::string>& fields) : fields_(fields) {}

  std::string text(const std::string& key) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? "" : found->second;
  }
  // Between 0 and `most`; anything else makes the line a bad one.
  double number(const std::string& key, double most) {
    const auto value = parse_number<double>(text(key));
    if (value && *value >= 0 && *value <= most) return *value;
    good_ = false;
    return 0;
  }
  std::uint64_t count(const std::string& key) {
    constexpr double most = 1 << 24;
    return static_cast<std::uint64_t>(number(key, most));
  }
  bool good() const { return good_; }

 private:
  const std::map<std::string, std::string>& fields_;
  bool good_ = true;
};

// Leaves the summary as it is, and says so, where the line says what cannot be.
bool add_placed(SiteSummary& summary, const std::map<std::string, std::string>& fields) {
  constexpr double most_hops = 1e6;
  Reader reader(fields);
  const std::uint64_t ranks = reader.count("ranks");
  const std::uint64_t warnings = reader.count("warnings");
  const std::uint64_t avoided = reader.count("avoided");
  const double hops_default = reader.number("hops_default", most_hops);
  const double hops_chosen = reader.number("hops_chosen", most_hops);
  const double abort_default = reader.number("abort_default", 1);
  const double abort_chosen = reader.number("abort_chosen", 1);
  if (!reader.good()) return false;
  ++summary.placed;
  summary.ranks += ranks;
  summary.warned += warnings > 0 ? 1 : 0;
  summary.avoided += avoided;
  summary.hops_default += hops_default;
  summary.hops_chosen += hops_chosen;
  summary.aborts_default += abort_default;
  summary.aborts_chosen += abort_chosen;
  return true;
}

}  // namespace

std::string format_log_line(const LogFields& fields) {
  std::string line;
  for (const auto& [key, value] : fields)
    line += (line.empty() ? "" : " ") + key + "=" + quoted(value);
  return line;
}

std::optional<std::map<std::string, std::string>> parse_log_line(std::string_view line) {
  const std::size_t begin = find_fields(line);
  if (begin == std::string_view::npos) return std::nullopt;
  std::map<std::string, std::string> fields;
  std::string_view rest = line.substr(begin);
  while (!(rest = trim(rest)).empty()) {
    const std::size_t sign = rest.find('=');
    if (sign == std::string_view::npos || sign == 0) return std::nullopt;
    const std::string key(rest.substr(0, sign));
    rest.remove_prefix(sign + 1);
    auto value = take_value(rest);
    if (!value) return std::nullopt;
    fields[key] = std::move(*value);
  }
  return fields;
}

void add_log_line(SiteSummary& summary, std::string_view line) {
  const auto fields = parse_log_line(line).value_or(std::map<std::string, std::string>());
  const Reader reader(fields);
  const std::string outcome = reader.text("outcome");
  if (outcome == "declined") {
    ++summary.declined;
    ++summary.reasons[without_numbers(reader.text("reason"))];
  } else if (outcome != "placed" || !add_placed(summary, fields)) {
    ++summary.others;
    return;
  }
  ++summary.users[reader.text("user")];
  const std::string time = reader.text("time");
  if (summary.first.empty() || time < summary.first) summary.first = time;
  summary.last = std::max(summary.last, time);
}

}  // namespace tofa
