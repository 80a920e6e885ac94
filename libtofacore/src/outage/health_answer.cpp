// SPDX-License-Identifier: BSD-3-Clause
// What tofa-query prints: lines of words, then END. The text came over a network, so everything
// about it is checked, and one bad line spoils the whole.
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "tofa/error.hpp"
#include "tofa/health_query.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::size_t kLongestHost = 255;  // as in DNS

[[noreturn]] void fail(std::size_t line, const std::string& message) {
  throw Error(ErrorKind::unavailable, fmt::format("line {}: {}", line, message));
}

bool valid_host(std::string_view host) {
  for (const char c : host) {
    if (c <= ' ' || c > '~') return false;
  }
  return !host.empty() && host.size() <= kLongestHost;
}

HostOutage parse_line(std::string_view text, std::size_t line) {
  std::string_view rest = text;
  HostOutage outage;
  const std::string_view host = next_word(rest);
  if (!valid_host(host)) fail(line, fmt::format("{} is no host name", excerpt(host)));
  outage.host = host;
  const std::string_view probability = next_word(rest);
  const auto p = parse_number<double>(probability);
  if (!p || !(*p >= 0 && *p <= 1)) {
    fail(line, fmt::format("{} is no probability in [0,1]", excerpt(probability)));
  }
  outage.probability = *p;
  const std::string_view age = next_word(rest);
  const auto seconds = parse_number<double>(age);
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) {
    fail(line, fmt::format("{} is no age in seconds", excerpt(age)));
  }
  outage.age_seconds = *seconds;
  if (const std::string_view rate = next_word(rest); !rate.empty()) {
    const auto per_hour = parse_number<double>(rate);
    if (!per_hour || !std::isfinite(*per_hour) || *per_hour < 0) {
      fail(line, fmt::format("{} is no rate in outages per hour", excerpt(rate)));
    }
    outage.rate = *per_hour;
  }
  if (!next_word(rest).empty()) fail(line, "more than host, probability, age and rate");
  return outage;
}

std::int64_t parse_time(std::string_view text, std::size_t line) {
  const auto time = parse_number<std::int64_t>(text);
  if (!time || *time < 0) fail(line, fmt::format("{} is no time", excerpt(text)));
  return *time;
}

PastOutage parse_past_outage(std::string_view text, std::size_t line) {
  std::string_view rest = text;
  PastOutage outage;
  outage.host = next_word(rest);
  if (!valid_host(outage.host)) fail(line, fmt::format("{} is no host name", excerpt(outage.host)));
  outage.start = parse_time(next_word(rest), line);
  const std::string_view end = next_word(rest);
  if (end != "-") outage.end = parse_time(end, line);
  outage.cause = next_word(rest);
  if (!valid_host(outage.cause)) fail(line, fmt::format("{} is no cause", excerpt(outage.cause)));
  if (!next_word(rest).empty()) fail(line, "more than host, start, end and cause");
  return outage;
}

// Hands every line before END to `take`, with its number.
void parse_answer(const std::string& text, const auto& take) {
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    if (line == "END") {
      if (!lines.rest().empty()) fail(lines.number() + 1, "text after END");
      if (text.back() != '\n') fail(lines.number(), "cut off in END");
      return;
    }
    take(line, lines.number());
  }
  fail(lines.number() + 1, "the answer is incomplete, its last line is not END");
}

}  // namespace

OutageList parse_health_answer(const std::string& text) {
  OutageList outages;
  std::unordered_set<std::string> seen;
  parse_answer(text, [&](std::string_view line, std::size_t number) {
    outages.push_back(parse_line(line, number));
    if (!seen.insert(outages.back().host).second) {
      fail(number, fmt::format("host {} is listed twice", outages.back().host));
    }
  });
  return outages;
}

std::vector<PastOutage> parse_history_answer(const std::string& text) {
  std::vector<PastOutage> outages;
  parse_answer(text, [&](std::string_view line, std::size_t number) {
    outages.push_back(parse_past_outage(line, number));
  });
  return outages;
}

}  // namespace tofa
