// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market coordinate files, the native format: one line `sender+1 receiver+1 bytes` per
// directed pair. See https://math.nist.gov/MatrixMarket/formats.html. The size line is only
// believed as far as the file goes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "graph/data_lines.hpp"
#include "graph/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";
constexpr std::string_view kMetadata = "%tofa";
constexpr std::size_t kShortestEntry = 6;  // "1 1 1\n"

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

bool recognise(std::string_view text) {
  return same_word(text.substr(0, kBanner.size()), kBanner);
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : lines_(text, name), name_(name) {}

  Traffic parse() {
    read_banner();
    const std::size_t declared = read_size();
    traffic_.entries.reserve(std::min(declared, lines_.rest().size() / kShortestEntry + 1) *
                             (symmetric_ ? 2 : 1));
    std::size_t read = 0;
    std::string_view line;
    while (lines_.next_data(line)) {
      if (++read > declared) {
        fail(fmt::format("more entries than the {} the size line declares", declared));
      }
      read_entry(line);
    }
    if (read < declared) {
      fail(fmt::format("ends after {} of {} entries; was the file cut short?", read, declared));
    }
    traffic_.metadata = lines_.metadata();
    return std::move(traffic_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { lines_.fail(message); }

  void read_banner() {
    std::string_view line;
    lines_.next(line);
    std::string_view rest = line;
    next_word(rest);
    const std::string_view object = next_word(rest);
    const std::string_view layout = next_word(rest);
    const std::string_view field = next_word(rest);
    const std::string_view symmetry = next_word(rest);
    reals_ = same_word(field, "real");
    symmetric_ = same_word(symmetry, "symmetric");
    if (!same_word(object, "matrix") || !same_word(layout, "coordinate") ||
        !(reals_ || same_word(field, "integer")) ||
        !(symmetric_ || same_word(symmetry, "general")) || !trim(rest).empty()) {
      fail(
          fmt::format("header {} is not supported; expected "
                      "%%MatrixMarket matrix coordinate integer|real general|symmetric",
                      excerpt(line)));
    }
  }

  std::size_t read_size() {
    std::string_view line;
    if (!lines_.next_data(line)) fail("ends before the size line `ranks ranks entries`");
    std::string_view rest = line;
    const auto rows = parse_number<Rank>(next_word(rest));
    const auto columns = parse_number<Rank>(next_word(rest));
    const auto entries = parse_number<std::size_t>(next_word(rest));
    if (!rows || !columns || !entries || !trim(rest).empty()) {
      fail(fmt::format("size line {} is not `ranks ranks entries`", excerpt(line)));
    }
    if (*rows != *columns) {
      fail(fmt::format("matrix of {} x {}; a graph has as many rows as columns", *rows, *columns));
    }
    if (*rows > kMaxRanks)
      fail(fmt::format("{} ranks; at most {} are supported", *rows, kMaxRanks));
    traffic_.ranks = *rows;
    return *entries;
  }

  void read_entry(std::string_view line) {
    std::string_view rest = line;
    const Rank row = read_index(next_word(rest), "row");
    const Rank column = read_index(next_word(rest), "column");
    const std::string_view value = next_word(rest);
    if (value.empty() || !trim(rest).empty()) {
      fail(fmt::format("entry {} is not `row column bytes`", excerpt(line)));
    }
    const Bytes bytes = parse_bytes(value, reals_, name_, lines_.number());
    traffic_.entries.push_back({row, column, bytes});
    if (!symmetric_ || row == column) return;
    if (row < column) {
      fail(
          fmt::format("entry {} {} above the diagonal of a symmetric matrix, which lists only the "
                      "lower triangle",
                      row + 1, column + 1));
    }
    traffic_.entries.push_back({column, row, bytes});
  }

  Rank read_index(std::string_view word, std::string_view what) const {
    const auto index = parse_number<std::int64_t>(word);
    if (!index) fail(fmt::format("{} {} is not a whole number", what, excerpt(word)));
    if (*index < 1 || *index > traffic_.ranks) {
      fail(fmt::format("{} {} is outside 1 to {}", what, *index, traffic_.ranks));
    }
    return static_cast<Rank>(*index - 1);
  }

  DataLines lines_;
  const std::string& name_;
  Traffic traffic_;
  bool reals_ = false;
  bool symmetric_ = false;
};

Traffic parse(std::string_view text, const std::string& name) {
  return Parser(text, name).parse();
}

std::string format(const Traffic& traffic) {
  if (traffic.metadata.find('\n') != std::string::npos) {
    throw Error(ErrorKind::bad_input, "the metadata of a graph must be one line of JSON");
  }
  fmt::memory_buffer out;
  const auto at = std::back_inserter(out);
  fmt::format_to(at, "{} matrix coordinate integer general\n", kBanner);
  if (!traffic.metadata.empty()) fmt::format_to(at, "{} {}\n", kMetadata, traffic.metadata);
  fmt::format_to(at, "{0} {0} {1}\n", traffic.ranks, traffic.entries.size());
  for (const TrafficEntry& entry : traffic.entries) {
    fmt::format_to(at, "{} {} {}\n", entry.sender + 1, entry.receiver + 1, entry.value);
  }
  return fmt::to_string(out);
}

}  // namespace

extern constexpr TrafficFormat kMatrixMarketFormat{
    "mtx", ".mtx", "Matrix Market (%%MatrixMarket ...)", recognise, parse, format, nullptr};

}  // namespace tofa
