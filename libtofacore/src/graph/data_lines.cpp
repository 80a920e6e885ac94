// SPDX-License-Identifier: BSD-3-Clause
// See data_lines.hpp.
#include "graph/data_lines.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tofa/error.hpp"

namespace tofa {

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
  metadata_ = rest;
}

}  // namespace tofa
