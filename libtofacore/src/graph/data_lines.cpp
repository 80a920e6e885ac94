// SPDX-License-Identifier: BSD-3-Clause
// See data_lines.hpp.
#include "graph/data_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tofa/error.hpp"

namespace tofa {
namespace {

// Metadata is copied and printed by functions that call themselves for each level.
constexpr std::size_t kDeepest = 64;

// How many objects and arrays of valid JSON are inside each other at most.
std::size_t depth_of(std::string_view json) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

void DataLines::fail(const std::string& message) const {
  throw Error(ErrorKind::bad_input, name_, number(), message);
}

bool DataLines::next_data(std::string_view& line) {
  while (lines_.next(line)) {
    if (!line.empty() && line.front() == '%') {
      read_comment(line);
    } else if (!trim(line).empty()) {
      return true;
    }
  }
  return false;
}

void DataLines::read_comment(std::string_view line) {
  std::string_view rest = line;
  if (next_word(rest) != "%tofa") return;
  rest = trim(rest);
  if (!metadata_.empty()) fail("a second %tofa comment; there may be one");
  if (rest.empty() || rest.front() != '{' || !nlohmann::json::accept(rest)) {
    fail(fmt::format("%tofa comment {} is not a JSON object", excerpt(rest)));
  }
  if (const std::size_t depth = depth_of(rest); depth > kDeepest) {
    fail(fmt::format("%tofa comment {} is {} levels deep; at most {} are read", excerpt(rest),
                     depth, kDeepest));
  }
  metadata_ = rest;
}

}  // namespace tofa
