// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market coordinate files, the native format: one line `sender+1 receiver+1 bytes` per
// directed pair. See https://math.nist.gov/MatrixMarket/formats.html. The size line is only
// believed as far as the file goes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstring>

#include "base/lanes.hpp"
#include "base/large_pages.hpp"
#include "graph/data_lines.hpp"
#include "graph/formats.hpp"
#include "graph/matrix_market.hpp"
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

void read_banner(DataLines& lines, MatrixHead& head) {
  std::string_view line;
  lines.next(line);
  std::string_view rest = line;
  next_word(rest);
  const std::string_view object = next_word(rest);
  const std::string_view layout = next_word(rest);
  const std::string_view field = next_word(rest);
  const std::string_view symmetry = next_word(rest);
  head.reals = same_word(field, "real");
  head.symmetric = same_word(symmetry, "symmetric");
  if (!same_word(object, "matrix") || !same_word(layout, "coordinate") ||
      !(head.reals || same_word(field, "integer")) ||
      !(head.symmetric || same_word(symmetry, "general")) || !trim(rest).empty()) {
    lines.fail(
        fmt::format("header {} is not supported; expected "
                    "%%MatrixMarket matrix coordinate integer|real general|symmetric",
                    excerpt(line)));
  }
}

void read_size(DataLines& lines, MatrixHead& head) {
  std::string_view line;
  if (!lines.next_data(line)) lines.fail("ends before the size line `ranks ranks entries`");
  std::string_view rest = line;
  const auto rows = parse_number<Rank>(next_word(rest));
  const auto columns = parse_number<Rank>(next_word(rest));
  const auto entries = parse_number<std::size_t>(next_word(rest));
  if (!rows || !columns || !entries || !trim(rest).empty()) {
    lines.fail(fmt::format("size line {} is not `ranks ranks entries`", excerpt(line)));
  }
  if (*rows != *columns) {
    lines.fail(
        fmt::format("matrix of {} x {}; a graph has as many rows as columns", *rows, *columns));
  }
  if (*rows > kMaxRanks)
    lines.fail(fmt::format("{} ranks; at most {} are supported", *rows, kMaxRanks));
  head.ranks = *rows;
  head.entries = *entries;
}

Rank read_index(std::string_view word, std::string_view what, Rank ranks, const DataLines& lines) {
  const auto index = parse_number<std::int64_t>(word);
  if (!index) lines.fail(fmt::format("{} {} is not a whole number", what, excerpt(word)));
  if (*index < 1 || *index > ranks)
    lines.fail(fmt::format("{} {} is outside 1 to {}", what, *index, ranks));
  return static_cast<Rank>(*index - 1);
}

// Digits at the front of eight characters, and what they stand for, all at once: pairs of digits
// are put together, then pairs of these. The first character is in the lowest bits.
[[gnu::always_inline]] inline std::size_t leading_digits(std::uint64_t characters,
                                                         std::uint64_t& number) {
  constexpr std::uint64_t each = 0x0101010101010101;
  const std::uint64_t values = characters ^ (each * '0');
  // The highest bit of what is none: values of 10 and more come to 128 and more.
  const std::uint64_t others = ((values + each * (128 - 10)) | values) & (each * 128);
  const auto digits = static_cast<std::size_t>(std::countr_zero(others)) / 8;
  if (digits == 0) return 0;
  number = values << (64 - 8 * digits);  // as if there were noughts in front
  number = (number * 10 + (number >> 8)) & 0x00ff00ff00ff00ff;
  number = (number * 100 + (number >> 16)) & 0x0000ffff0000ffff;
  number = (number * 10000 + (number >> 32)) & 0x00000000ffffffff;
  return digits;
}

// A whole number of so few digits that it fits, and the one character that must follow it; takes
// both off the front of `rest`. False where anything else stands there.
[[gnu::always_inline]] inline bool take_plain(std::string_view& rest, char after,
                                              std::uint64_t& number) {
  constexpr std::size_t most_digits = 18;
  std::size_t i = 0;
  number = 0;
  if (std::uint64_t characters = 0;
      rest.size() > sizeof characters && std::endian::native == std::endian::little) {
    std::memcpy(&characters, rest.data(), sizeof characters);
    i = leading_digits(characters, number);
  }
  for (; i < rest.size() && rest[i] >= '0' && rest[i] <= '9'; ++i)
    number = 10 * number + static_cast<unsigned>(rest[i] - '0');
  if (i == 0 || i > most_digits || i == rest.size() || rest[i] != after) return false;
  rest.remove_prefix(i + 1);
  return true;
}

// Nearly all lines are three whole numbers with a blank between them. Takes those that `text`
// begins with off its front, so many at most, and calls `put` with each; what is not like that, or
// is wrong, is left for read_matrix_entry().
template <typename Put>
void take_plain_lines(std::string_view& text, Rank ranks, std::size_t most, const Put& put) {
  const auto is_rank = [ranks](std::uint64_t index) { return index >= 1 && index <= ranks; };
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  std::uint64_t bytes = 0;
  std::string_view left = text;
  for (std::size_t taken = 0; taken < most; ++taken, text = left) {
    const bool is_plain = take_plain(left, ' ', row) && take_plain(left, ' ', column) &&
                          take_plain(left, '\n', bytes);
    if (!is_plain || !is_rank(row) || !is_rank(column)) return;
    put(TrafficEntry{static_cast<Rank>(row - 1), static_cast<Rank>(column - 1), bytes});
  }
}

// Until there are as many entries as the size line says.
void take_lines(std::string_view& text, const MatrixHead& head,
                std::vector<TrafficEntry>& entries) {
  take_plain_lines(text, head.ranks, head.entries - std::min(entries.size(), head.entries),
                   [&entries](const TrafficEntry& entry) { entries.push_back(entry); });
}

std::size_t most_entries(std::string_view text, const MatrixHead& head) {
  return std::min(head.entries, text.size() / kShortestEntry + 1);
}

std::size_t count_lines(std::string_view text) {
  constexpr std::size_t block = 4096;  // bytes, so that the compiler counts many at once
  std::size_t lines = 0;
  for (; text.size() >= block; text.remove_prefix(block))
    lines += static_cast<std::size_t>(std::count(text.data(), text.data() + block, '\n'));
  return lines + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The same by two lanes, of which each reads a half. Where that of the second begins is known by
// the lines before; what it finds counts only if the first came that far.
void take_halves(std::string_view& text, const MatrixHead& head,
                 std::vector<TrafficEntry>& entries) {
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;  // 0 where there is none
  std::array<std::string_view, kLanes> halves = {text.substr(0, middle), text.substr(middle)};
  const std::size_t all = most_entries(text, head);
  const std::size_t before = std::min(count_lines(halves[0]), all);
  const std::array<std::size_t, kLanes> most = {before, all - before};
  std::array<std::size_t, kLanes> found{};
  resize_large(entries, all);
  run_lanes([&](unsigned lane) {
    TrafficEntry* const first = entries.data() + (lane == 0 ? 0 : before);
    TrafficEntry* next = first;
    take_plain_lines(halves[lane], head.ranks, most[lane],
                     [&next](const TrafficEntry& entry) { *next++ = entry; });
    found[lane] = static_cast<std::size_t>(next - first);
  });
  const bool all_of_first = halves[0].empty();
  entries.resize(found[0] + (all_of_first ? found[1] : 0));
  text = all_of_first ? halves[1] : text.substr(middle - halves[0].size());
}

// Entries one after the other from where `lines` is.
void read_entries(DataLines& lines, const MatrixHead& head, std::vector<TrafficEntry>& entries) {
  constexpr std::size_t long_text = 1 << 20;
  auto* take = lines.rest().size() < long_text ? take_lines : take_halves;
  std::size_t read = 0;
  std::string_view line;
  while (true) {
    if (!head.symmetric) {
      std::string_view rest = lines.rest();
      take(rest, head, entries);
      take = take_lines;
      lines.pass_lines(rest, entries.size() - read);
      read = entries.size();
    }
    if (!lines.next_data(line)) break;
    if (++read > head.entries) {
      lines.fail(fmt::format("more entries than the {} the size line declares", head.entries));
    }
    read_matrix_entry(line, head, lines, entries);
  }
  if (read < head.entries) {
    lines.fail(
        fmt::format("ends after {} of {} entries; was the file cut short?", read, head.entries));
  }
}

Traffic parse(std::string_view text, const std::string& name) {
  DataLines lines(text, name);
  const MatrixHead head = read_matrix_head(lines);
  Traffic traffic;
  traffic.ranks = head.ranks;
  reserve_large(traffic.entries, most_entries(lines.rest(), head) * (head.symmetric ? 2 : 1));
  read_entries(lines, head, traffic.entries);
  traffic.metadata = lines.metadata();
  return traffic;
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

bool is_matrix_market(std::string_view text) {
  return same_word(text.substr(0, kBanner.size()), kBanner);
}

MatrixHead read_matrix_head(DataLines& lines) {
  MatrixHead head;
  read_banner(lines, head);
  read_size(lines, head);
  return head;
}

void read_matrix_entry(std::string_view line, const MatrixHead& head, const DataLines& lines,
                       std::vector<TrafficEntry>& entries) {
  std::string_view rest = line;
  const Rank row = read_index(next_word(rest), "row", head.ranks, lines);
  const Rank column = read_index(next_word(rest), "column", head.ranks, lines);
  const std::string_view value = next_word(rest);
  if (value.empty() || !trim(rest).empty()) {
    lines.fail(fmt::format("entry {} is not `row column bytes`", excerpt(line)));
  }
  const Bytes bytes = parse_bytes(value, head.reals, lines.name(), lines.number());
  entries.push_back({row, column, bytes});
  if (!head.symmetric || row == column) return;
  if (row < column) {
    lines.fail(
        fmt::format("entry {} {} above the diagonal of a symmetric matrix, which lists only the "
                    "lower triangle",
                    row + 1, column + 1));
  }
  entries.push_back({column, row, bytes});
}

extern constexpr TrafficFormat kMatrixMarketFormat{
    "mtx", ".mtx", "Matrix Market (%%MatrixMarket ...)", is_matrix_market, parse, format, nullptr};

}  // namespace tofa
