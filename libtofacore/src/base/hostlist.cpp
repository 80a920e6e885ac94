// SPDX-License-Identifier: BSD-3-Clause
// Slurm host lists. A pattern such as `r[0-1]n[00-15]-ib` is literals with number sets between
// them; the last set varies fastest. Numbers keep the width of the lower bound: [08-11] is 08 09 10
// 11, [8-11] is 8 9 10 11.
#include "tofa/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

constexpr std::size_t kLongestName = 255;   // as in DNS
constexpr std::size_t kLongestNumber = 18;  // digits that always fit 64 bits

struct NumberRange {
  std::uint64_t low;
  std::uint64_t high;
  std::size_t width;  // digits of `low` as written
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};
using NumberSet = std::vector<NumberRange>;

// literals[0] sets[0] literals[1] sets[1] ... literals[n]
struct Pattern {
  std::vector<std::string> literals;
  std::vector<NumberSet> sets;
};

[[noreturn]] void fail(std::string_view list, const std::string& message) {
  throw Error(ErrorKind::bad_input, fmt::format("host list {}: {}", excerpt(list), message));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '_' ||
         c == '.' || c == ':';
}

bool is_separator(char c) {
  return c == ',' || c == '\n' || is_blank(c);
}

std::uint64_t parse_bound(std::string_view text, std::string_view list) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) {
    fail(list, fmt::format("{} is not a number; brackets hold numbers and ranges, as in n[0-3,7]",
                           excerpt(text)));
  }
  if (text.size() > kLongestNumber) {
    fail(list, fmt::format("number {} has more than {} digits", excerpt(text), kLongestNumber));
  }
  return *parse_number<std::uint64_t>(text);
}

NumberSet parse_set(std::string_view text, std::string_view list) {
  NumberSet set;
  for (;;) {
    const std::size_t comma = text.find(',');
    const std::string_view range = trim(text.substr(0, comma));
    const std::size_t dash = range.find('-');
    const std::string_view low_text = range.substr(0, dash);
    const std::uint64_t low = parse_bound(low_text, list);
    const std::uint64_t high =
        dash == std::string_view::npos ? low : parse_bound(range.substr(dash + 1), list);
    if (high < low) {
      fail(list,
           fmt::format("range {} runs backwards; write the smaller number first", excerpt(range)));
    }
    set.push_back({low, high, low_text.size()});
    if (comma == std::string_view::npos) return set;
    text.remove_prefix(comma + 1);
  }
}

// Takes one comma-separated item off the front of `rest`, which does not start with a separator.
Pattern parse_pattern(std::string_view& rest, std::string_view list) {
  Pattern pattern;
  pattern.literals.emplace_back();
  while (!rest.empty() && !is_separator(rest.front())) {
    const char c = rest.front();
    if (c == '[') {
      const std::size_t close = rest.find(']');
      if (close == std::string_view::npos) fail(list, "bracket [ is never closed");
      pattern.sets.push_back(parse_set(rest.substr(1, close - 1), list));
      pattern.literals.emplace_back();
      rest.remove_prefix(close + 1);
    } else if (is_name_character(c)) {
      pattern.literals.back() += c;
      rest.remove_prefix(1);
    } else {
      fail(list, c == ']' ? "bracket ] was never opened"
                          : fmt::format("character {} cannot be part of a host name",
                                        excerpt(rest.substr(0, 1))));
    }
  }
  return pattern;
}

// Hosts the pattern stands for; stops counting beyond `limit`.
std::size_t count_hosts(const Pattern& pattern, std::size_t limit) {
  std::size_t product = 1;
  for (const NumberSet& set : pattern.sets) {
    std::size_t members = 0;
    for (const NumberRange& range : set) {
      const std::uint64_t size = range.high - range.low + 1;
      if (size > limit || members > limit - size) return limit + 1;
      members += size;
    }
    if (members > limit / product) return limit + 1;
    product *= members;
  }
  return product;
}

std::size_t longest_name(const Pattern& pattern) {
  std::size_t length = 0;
  for (const std::string& literal : pattern.literals) length += literal.size();
  for (const NumberSet& set : pattern.sets) {
    std::size_t digits = 0;
    for (const NumberRange& range : set) {
      digits = std::max({digits, range.width, fmt::formatted_size("{}", range.high)});
    }
    length += digits;
  }
  return length;
}

void expand_pattern(const Pattern& pattern, std::size_t position, std::string& name,
                    std::vector<std::string>& hosts) {
  const std::size_t start = name.size();
  name += pattern.literals[position];
  if (position == pattern.sets.size()) {
    hosts.push_back(name);
  } else {
    const std::size_t number_start = name.size();
    for (const NumberRange& range : pattern.sets[position]) {
      for (std::uint64_t number = range.low; number <= range.high; ++number) {
        fmt::format_to(std::back_inserter(name), "{:0{}}", number, range.width);
        expand_pattern(pattern, position + 1, name, hosts);
        name.resize(number_start);
      }
    }
  }
  name.resize(start);
}

// A host name as a pattern in which every number is a set of one.
Pattern split_name(const std::string& host) {
  Pattern pattern;
  pattern.literals.emplace_back();
  for (std::size_t i = 0; i < host.size();) {
    std::size_t end = i;
    while (end < host.size() && is_digit(host[end])) ++end;
    if (end == i) {
      pattern.literals.back() += host[i++];
      continue;
    }
    const std::string_view digits = std::string_view(host).substr(i, end - i);
    if (digits.size() > kLongestNumber) {
      pattern.literals.back() += digits;
    } else {
      const auto number = *parse_number<std::uint64_t>(digits);
      pattern.sets.push_back({{number, number, digits.size()}});
      pattern.literals.emplace_back();
    }
    i = end;
  }
  return pattern;
}

bool is_single(const NumberSet& set) {
  return set.size() == 1 && set[0].low == set[0].high;
}

// Appends `second` to `first` where the expansion keeps its order: they differ in one set, and
// every set before it has a single member.
bool merge_pattern(Pattern& first, const Pattern& second) {
  if (first.sets.size() != second.sets.size() || first.literals != second.literals) return false;
  std::size_t differing = 0;
  while (differing < first.sets.size() && first.sets[differing] == second.sets[differing]) {
    if (!is_single(first.sets[differing])) return false;
    ++differing;
  }
  if (differing == first.sets.size()) return false;
  for (std::size_t i = differing + 1; i < first.sets.size(); ++i) {
    if (first.sets[i] != second.sets[i]) return false;
  }
  NumberSet& set = first.sets[differing];
  for (const NumberRange& range : second.sets[differing]) {
    NumberRange& last = set.back();
    // Going on from `last` would write this number with the width of `last.low`.
    const std::size_t width = std::max(last.width, fmt::formatted_size("{}", range.low));
    if (range.low == last.high + 1 && width == range.width) {
      last.high = range.high;
    } else {
      set.push_back(range);
    }
  }
  return true;
}

std::string format_pattern(const Pattern& pattern) {
  std::string text = pattern.literals[0];
  for (std::size_t i = 0; i < pattern.sets.size(); ++i) {
    const NumberSet& set = pattern.sets[i];
    const bool brackets = !is_single(set);
    if (brackets) text += '[';
    for (const NumberRange& range : set) {
      if (&range != &set.front()) text += ',';
      text += fmt::format("{:0{}}", range.low, range.width);
      if (range.high > range.low) text += fmt::format("-{:0{}}", range.high, range.width);
    }
    if (brackets) text += ']';
    text += pattern.literals[i + 1];
  }
  return text;
}

// Neighbours in the list that one pattern stands for are one.
std::vector<Pattern> merge_names(const std::vector<std::string>& hosts) {
  std::vector<Pattern> patterns;
  for (const std::string& host : hosts) {
    patterns.push_back(split_name(host));
    while (patterns.size() > 1 && merge_pattern(patterns[patterns.size() - 2], patterns.back())) {
      patterns.pop_back();
    }
  }
  return patterns;
}

// Slurm refuses text behind the last bracket.
bool slurm_reads(const Pattern& pattern) {
  if (std::all_of(pattern.sets.begin(), pattern.sets.end(), is_single)) return true;
  return pattern.literals.back().empty() && !is_single(pattern.sets.back());
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view text, std::size_t limit) {
  std::vector<std::string> hosts;
  std::string_view rest = text;
  for (;;) {
    while (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
    if (rest.empty()) return hosts;
    const Pattern pattern = parse_pattern(rest, text);
    const std::size_t count = count_hosts(pattern, limit);
    if (count > limit - hosts.size()) {
      fail(text, fmt::format("stands for more than {} hosts", limit));
    }
    if (longest_name(pattern) > kLongestName) {
      fail(text, fmt::format("a host name is longer than {} characters", kLongestName));
    }
    hosts.reserve(hosts.size() + count);
    std::string name;
    expand_pattern(pattern, 0, name, hosts);
  }
}

std::string compress_hostlist(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const Pattern& pattern : merge_names(hosts)) names.push_back(format_pattern(pattern));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string slurm_hostlist(const std::vector<std::string>& hosts) {
  std::vector<std::string> names;
  for (const Pattern& pattern : merge_names(hosts)) {
    if (slurm_reads(pattern)) {
      names.push_back(format_pattern(pattern));
    } else {
      std::string name;
      expand_pattern(pattern, 0, name, names);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace tofa
