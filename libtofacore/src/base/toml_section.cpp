// SPDX-License-Identifier: BSD-3-Clause
// Each reader notes the key it is asked for; refuse_other_keys() then knows which keys nobody
// wanted.
#include "base/toml_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tofa/error.hpp"

namespace tofa {

toml::table parse_toml(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::bad_input, file, error.source().begin.line,
                std::string(error.description()));
  }
}

void fail_at(const toml::node& node, const std::string& file, const std::string& message) {
  throw Error(ErrorKind::bad_input, file, node.source().begin.line, message);
}

const toml::node* TomlSection::find(std::string_view key) {
  known_.emplace_back(key);
  return table_.get(key);
}

std::size_t TomlSection::line(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return (node != nullptr ? node->source() : table_.source()).begin.line;
}

void TomlSection::fail(std::string_view key, const std::string& message) const {
  throw Error(ErrorKind::bad_input, file_, line(key),
              fmt::format("{} {}{}{}", title_, key, key.empty() ? "" : ": ", message));
}

void TomlSection::number(std::string_view key, double min, double max, double& value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  const auto given = node->value<double>();
  if (!given) fail(key, "a number is expected");
  if (!(*given >= min && *given <= max)) {
    fail(key, fmt::format("{} is outside {} to {}", *given, min, max));
  }
  value = *given;
}

void TomlSection::integer(std::string_view key, unsigned min, unsigned max, unsigned& value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_integer()) fail(key, "a whole number is expected");
  const std::int64_t given = node->as_integer()->get();
  if (given < min || given > max) {
    fail(key, fmt::format("{} is outside {} to {}", given, min, max));
  }
  value = static_cast<unsigned>(given);
}

void TomlSection::text(std::string_view key, std::string& value, bool may_be_empty) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_string()) fail(key, "a string is expected, in quotes");
  value = node->as_string()->get();
  if (value.empty() && !may_be_empty) fail(key, "must not be empty");
}

void TomlSection::flag(std::string_view key, bool& value) {
  const toml::node* node = find(key);
  if (node == nullptr) return;
  if (!node->is_boolean()) fail(key, "true or false is expected");
  value = node->as_boolean()->get();
}

void TomlSection::refuse_other_keys() const {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    fail(key.str(), fmt::format("unknown key; known are: {}", fmt::join(known_, ", ")));
  }
}

}  // namespace tofa
