// SPDX-License-Identifier: BSD-3-Clause
// One question mark stands for each character that is not ASCII, however many bytes it has.
#include "tofa/outage_cause.hpp"

#include <algorithm>

#include "tofa/text.hpp"

namespace tofa {
namespace {

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

// Bytes of a character after its first, in UTF-8.
bool goes_on(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

bool is_cause(std::string_view text) {
  return !text.empty() && text.size() <= kLongestCause && text.front() != ' ' &&
         text.back() != ' ' && std::all_of(text.begin(), text.end(), is_printable);
}

std::string as_cause(std::string_view text, std::size_t longest) {
  std::string cause;
  for (const char c : text.substr(0, text.find_first_of("\r\n"))) {
    if (goes_on(c)) continue;
    const bool ascii = static_cast<unsigned char>(c) < 0x80U;
    cause += is_printable(c) ? c : (ascii ? ' ' : '?');
    if (cause == " ") cause.clear();
    if (cause.size() == longest) break;
  }
  return std::string(trim(cause));
}

}  // namespace tofa
