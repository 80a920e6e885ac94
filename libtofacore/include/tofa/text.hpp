// SPDX-License-Identifier: BSD-3-Clause
// What every parser of text files needs: lines with their numbers, words, strict numbers, and a
// check that the file is text at all. Nothing here copies or allocates, except to build a message.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tofa {

// Returns `text` without a leading byte order mark. Throws Error (bad_input), naming `name` and the
// line, when it is not UTF-8 or has NUL bytes.
std::string_view require_text(std::string_view text, const std::string& name);

// Offset of the first byte that is not part of valid UTF-8, npos when there is none.
std::size_t find_invalid_utf8(std::string_view text);

// `"text"` for a message: shortened, with control characters escaped.
std::string excerpt(std::string_view text);

// The one of `known` that `word` was probably meant to be: it begins like it, or a letter or two
// differ. Empty when there is none.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);
// The same as the end of a message: `; did you mean graph?`, or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

std::string_view trim(std::string_view text);

// The text as it may stand in an XML element or attribute. Control characters become blanks, what
// is no UTF-8 becomes U+FFFD.
std::string escape_xml(std::string_view text);

// Takes the next word, separated by blanks, off the front of `rest`; empty when there is none left.
inline std::string_view next_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

// The number that is all of `text`; nothing when it is empty, malformed, or does not fit. No sign
// `+`, no hex.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

// Goes through a text line by line; LF and CRLF both end a line.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t newline = rest_.find('\n');
    line = rest_.substr(0, newline);
    rest_.remove_prefix(newline == std::string_view::npos ? rest_.size() : newline + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }

  // Goes on with `rest`, which is what comes after so many lines of rest().
  void pass_lines(std::string_view rest, std::size_t lines) {
    rest_ = rest;
    number_ += lines;
  }

  std::size_t number() const { return number_; }  // of the line read last, from 1
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace tofa
