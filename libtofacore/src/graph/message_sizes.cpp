// SPDX-License-Identifier: BSD-3-Clause
// NAME.sizes.txt: a first line that names the format, comments of which one carries metadata, and
// lines as in a Matrix Market file: `ranks ranks lines`, then one per pair and size, with ranks
// from 1.
#include "tofa/message_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "graph/data_lines.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kBanner = "%%tofa message sizes", kMetadata = "%tofa ";

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : lines_(text, name) {}

  MessageSizes parse() {
    const std::size_t declared = read_size();
    std::string_view line;
    while (lines_.next_data(line)) read_count(line);
    if (sizes_.counts.size() != declared) {
      lines_.fail(fmt::format("has {} lines of the {} that it declares; was the file cut short?",
                              sizes_.counts.size(), declared));
    }
    sizes_.metadata = lines_.metadata();
    return std::move(sizes_);
  }

 private:
  std::size_t read_size() {
    std::string_view line;
    if (!lines_.next_data(line)) lines_.fail("ends before the line `ranks ranks lines`");
    std::string_view rest = line;
    const auto ranks = parse_number<Rank>(next_word(rest));
    const auto again = parse_number<Rank>(next_word(rest));
    const auto count = parse_number<std::size_t>(next_word(rest));
    if (!ranks || !count || ranks != again || !trim(rest).empty() || *ranks > kMaxRanks) {
      lines_.fail(fmt::format("line {} is not `ranks ranks lines`", excerpt(line)));
    }
    sizes_.ranks = *ranks;
    return *count;
  }

  void read_count(std::string_view line) {
    std::string_view rest = line;
    const auto sender = parse_number<Rank>(next_word(rest));
    const auto receiver = parse_number<Rank>(next_word(rest));
    const auto least = parse_number<Bytes>(next_word(rest));
    const auto messages = parse_number<std::uint64_t>(next_word(rest));
    if (!sender || !receiver || !least || !messages || !trim(rest).empty()) {
      lines_.fail(fmt::format("line {} is not `sender receiver bytes messages`", excerpt(line)));
    }
    for (const Rank rank : {*sender, *receiver}) {
      if (rank < 1 || rank > sizes_.ranks) {
        lines_.fail(fmt::format("rank {} is outside 1 to {}", rank, sizes_.ranks));
      }
    }
    if (*least != 0 && !std::has_single_bit(*least)) {
      lines_.fail(fmt::format("{} bytes is neither 0 nor a power of two", *least));
    }
    sizes_.counts.push_back({*sender - 1, *receiver - 1, *least, *messages});
  }

  DataLines lines_;
  MessageSizes sizes_;
};

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) {
    throw Error(ErrorKind::bad_input, "numbers of messages add up to more than 64 bits hold");
  }
  return a + b;
}

}  // namespace

void MessageSizes::normalise() {
  const auto key = [](const SizeCount& count) {
    return std::tie(count.sender, count.receiver, count.least);
  };
  std::sort(counts.begin(), counts.end(),
            [&](const SizeCount& a, const SizeCount& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const SizeCount& count : counts) {
    if (kept > 0 && key(counts[kept - 1]) == key(count)) {
      counts[kept - 1].messages = sum_of(counts[kept - 1].messages, count.messages);
    } else {
      counts[kept++] = count;
    }
  }
  counts.resize(kept);
}

std::string message_sizes_path(const std::string& stem) {
  return stem + ".sizes.txt";
}

bool is_message_sizes(std::string_view text) {
  return text.starts_with(kBanner);
}

MessageSizes parse_message_sizes(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  if (!is_message_sizes(text)) {
    throw Error(ErrorKind::bad_input, name, 1,
                fmt::format("holds no sizes of messages: the first line is not {}", kBanner));
  }
  MessageSizes sizes = Parser(text, name).parse();
  try {
    sizes.normalise();
  } catch (const Error& error) {
    throw Error(error.kind(), name, 0, error.what());
  }
  return sizes;
}

std::string format_message_sizes(const MessageSizes& sizes) {
  std::string text = fmt::format("{}\n", kBanner);
  text += "% sender, receiver, fewest bytes (0, 1, 2, 4, 8, ... to below the next), messages\n";
  if (!sizes.metadata.empty()) text += fmt::format("{}{}\n", kMetadata, sizes.metadata);
  text += fmt::format("{0} {0} {1}\n", sizes.ranks, sizes.counts.size());
  for (const SizeCount& count : sizes.counts) {
    fmt::format_to(std::back_inserter(text), "{} {} {} {}\n", count.sender + 1, count.receiver + 1,
                   count.least, count.messages);
  }
  return text;
}

std::vector<SizeTotal> total_sizes(const MessageSizes& sizes) {
  std::map<Bytes, std::uint64_t> sums;
  for (const SizeCount& count : sizes.counts) {
    sums[count.least] = sum_of(sums[count.least], count.messages);
  }
  std::vector<SizeTotal> totals;
  for (const auto& [least, messages] : sums) {
    const Bytes most = least == 0 ? 0 : least - 1 + least;
    totals.push_back({least, most, messages});
  }
  return totals;
}

}  // namespace tofa
