// SPDX-License-Identifier: BSD-3-Clause
// One table of a TOML file, read key by key: types and ranges are checked, and a key that nobody
// asked for is an error, so that a misspelt one does not pass unnoticed. Every message has file and
// line.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "tofa/error.hpp"

namespace tofa::health {

class ConfigSection {
 public:
  // `title` as in messages, e.g. "[poll]".
  ConfigSection(const toml::table& table, std::string file, std::string title)
      : table_(table), file_(std::move(file)), title_(std::move(title)) {}

  // Each leaves `value` alone when the key is absent.
  void number(std::string_view key, double min, double max, double& value);
  void integer(std::string_view key, unsigned min, unsigned max, unsigned& value);
  void text(std::string_view key, std::string& value);
  void flag(std::string_view key, bool& value);

  // To be called last.
  void refuse_other_keys() const;

  // Line of a key, or of the section where the key is absent.
  std::size_t line(std::string_view key = {}) const;
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

 private:
  const toml::node* find(std::string_view key);

  const toml::table& table_;
  std::string file_;
  std::string title_;
  std::vector<std::string> known_;
};

}  // namespace tofa::health
