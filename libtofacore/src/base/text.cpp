// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 after table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above
// U+10FFFF.
#include "tofa/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tofa/error.hpp"

namespace tofa {

namespace {

// Length of the valid sequence at the front of `text`, 0 when it is invalid.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char low = 0x80;  // bounds of the second byte
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<std::size_t>(std::count(text.begin(), text.begin() + offset, '\n'));
}

}  // namespace

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Nearly everything is ASCII: eight bytes at once.
    std::uint64_t block = 0;
    while (i + sizeof block <= text.size()) {
      std::memcpy(&block, text.data() + i, sizeof block);
      if ((block & 0x8080808080808080ULL) != 0) break;
      i += sizeof block;
    }
    if (i >= text.size()) break;
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string_view require_text(std::string_view text, const std::string& name) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  const std::size_t bad = std::min(find_invalid_utf8(text), text.find('\0'));
  if (bad == std::string_view::npos) return text;
  throw Error(ErrorKind::bad_input, name, line_of(text, bad),
              fmt::format("not text: {}; is the file binary or compressed?",
                          text[bad] == '\0' ? std::string("a NUL byte")
                                            : fmt::format("byte 0x{:02x} is not UTF-8",
                                                          static_cast<unsigned char>(text[bad]))));
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  // A cut may have split a character.
  while (find_invalid_utf8(result) != std::string::npos) result.pop_back();
  return result + (text.size() > longest ? "...\"" : "\"");
}

std::string escape_xml(std::string_view text) {
  constexpr std::string_view replacement = "\uFFFD";
  std::string result;
  std::size_t invalid = find_invalid_utf8(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == invalid) {
      result += replacement;
      const std::size_t next = find_invalid_utf8(text.substr(i + 1));
      invalid = next == std::string_view::npos ? next : i + 1 + next;
      continue;
    }
    const char c = text[i];
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace tofa
