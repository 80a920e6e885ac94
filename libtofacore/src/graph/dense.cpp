// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices as plain text: N lines of N byte counts, row = sender, column = receiver. What
// many published traces and mapping tools use. Lines that start with # are comments. Some print
// what a pair exchanged in both of its places, so a symmetric matrix may mean two things: see
// graph_io.hpp. One that is written here says in a comment that it is directed.
#include <fmt/format.h>

#include "graph/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

constexpr std::string_view kDirected = "# directed: row = sender, column = receiver";
constexpr Rank kMostRanksWritten = 16384;  // half a GiB of zeros

bool recognise(std::string_view text) {
  std::string_view line = first_line_of_data(text, '#');
  return parse_number<double>(next_word(line)).has_value();
}

bool is_directed(std::string_view text) {
  LineReader lines(text);
  std::string_view line;
  return lines.next(line) && trim(line) == kDirected;
}

Traffic parse(std::string_view text, const std::string& name) {
  Traffic traffic;
  LineReader lines(text);
  std::string_view line;
  Rank sender = 0;
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_input, name, lines.number(), message);
  };
  while (lines.next(line)) {
    if (trim(line).empty() || trim(line).front() == '#') continue;
    Rank receiver = 0;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const Bytes bytes = parse_bytes(word, true, name, lines.number());
      if (bytes > 0) traffic.entries.push_back({sender, receiver, bytes});
      if (++receiver > kMaxRanks) fail(fmt::format("more than {} columns", kMaxRanks));
    }
    if (sender == 0) traffic.ranks = receiver;
    if (receiver != traffic.ranks) {
      fail(fmt::format("row of {} values; the first row has {}", receiver, traffic.ranks));
    }
    if (++sender > traffic.ranks) {
      fail(fmt::format("more rows than the {} columns of a row", traffic.ranks));
    }
  }
  if (sender < traffic.ranks) {
    fail(fmt::format("ends after {} of {} rows; was the file cut short?", sender, traffic.ranks));
  }
  return traffic;
}

std::string format(const Traffic& traffic) {
  if (traffic.ranks > kMostRanksWritten) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{} ranks are too many for a dense matrix (at most {}); write mtx",
                            traffic.ranks, kMostRanksWritten));
  }
  fmt::memory_buffer out;
  const auto at = std::back_inserter(out);
  if (is_symmetric(traffic)) fmt::format_to(at, "{}\n", kDirected);
  auto entry = traffic.entries.begin();
  for (Rank sender = 0; sender < traffic.ranks; ++sender) {
    for (Rank receiver = 0; receiver < traffic.ranks; ++receiver) {
      const bool here =
          entry != traffic.entries.end() && entry->sender == sender && entry->receiver == receiver;
      fmt::format_to(at, "{}{}", receiver == 0 ? "" : " ", here ? (entry++)->value : 0);
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace

extern constexpr TrafficFormat kDenseFormat{
    "dense", ".dense", "dense N x N text matrix", recognise, parse, format, is_directed};

}  // namespace tofa
