// SPDX-License-Identifier: BSD-3-Clause
// See other_jobs.hpp. Lines that start with `%` are comments; in all others there are six words.
#include "tofa/other_jobs.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kColumns = "%rank job peer class messages bytes";

// Where in the file, for messages.
struct Place {
  const std::string& name;
  std::size_t line;
};

[[noreturn]] void fail(const Place& place, const std::string& reason) {
  throw Error(ErrorKind::bad_input, place.name, place.line, reason);
}

template <typename Number>
Number take_number(std::string_view& rest, const char* column, const Place& place) {
  const std::string_view word = next_word(rest);
  const auto number = parse_number<Number>(word);
  if (!number) {
    fail(place, fmt::format("{} is {}, not a number from 0 up that fits", column, excerpt(word)));
  }
  return *number;
}

std::string take_word(std::string_view& rest, const char* column, const Place& place) {
  const std::string_view word = next_word(rest);
  if (word.empty()) fail(place, fmt::format("has no {}", column));
  return std::string(word);
}

OtherJobTraffic parse_row(std::string_view line, const Place& place) {
  OtherJobTraffic row;
  row.rank = take_number<Rank>(line, "the rank", place);
  row.job = take_word(line, "job", place);
  row.peer = take_number<std::uint32_t>(line, "the rank in the other job", place);
  row.traffic_class = take_word(line, "class", place);
  row.messages = take_number<std::uint64_t>(line, "the number of messages", place);
  row.bytes = take_number<std::uint64_t>(line, "the number of bytes", place);
  if (!trim(line).empty()) fail(place, fmt::format("has {} behind the bytes", excerpt(line)));
  return row;
}

}  // namespace

std::vector<OtherJobTraffic> parse_other_jobs(std::string_view text, const std::string& name) {
  LineReader lines(require_text(text, name));
  std::vector<OtherJobTraffic> rows;
  std::string_view line;
  bool told = false;
  while (lines.next(line)) {
    if (line == kColumns) told = true;
    if (trim(line).empty() || line.front() == '%') continue;
    if (!told) fail({name, lines.number()}, fmt::format("comes before the line \"{}\"", kColumns));
    rows.push_back(parse_row(line, {name, lines.number()}));
  }
  if (!told) fail({name, 0}, fmt::format("has no line \"{}\"", kColumns));
  return rows;
}

std::string format_other_jobs(const std::vector<OtherJobTraffic>& rows,
                              const std::string& metadata) {
  std::string text = fmt::format("%tofa {}\n{}\n", metadata, kColumns);
  for (const OtherJobTraffic& row : rows) {
    text += fmt::format("{} {} {} {} {} {}\n", row.rank, row.job, row.peer, row.traffic_class,
                        row.messages, row.bytes);
  }
  return text;
}

std::vector<OtherJobSum> sum_other_jobs(const std::vector<OtherJobTraffic>& rows) {
  struct Ends {
    OtherJobSum sum;
    std::set<Rank> ranks;
    std::set<std::uint32_t> peers;
  };
  std::map<std::pair<std::string, bool>, Ends> jobs;
  for (const OtherJobTraffic& row : rows) {
    const bool fetched = row.traffic_class == kFetchedClass;
    Ends& ends = jobs[{row.job, fetched}];
    ends.sum.job = row.job;
    ends.sum.fetched = fetched;
    ends.sum.messages += row.messages;  // may wrap if damaged
    ends.sum.bytes += row.bytes;
    ends.ranks.insert(row.rank);
    ends.peers.insert(row.peer);
  }
  std::vector<OtherJobSum> sums;
  for (auto& [key, ends] : jobs) {
    ends.sum.ranks = ends.ranks.size();
    ends.sum.peers = ends.peers.size();
    sums.push_back(std::move(ends.sum));
  }
  return sums;
}

}  // namespace tofa
