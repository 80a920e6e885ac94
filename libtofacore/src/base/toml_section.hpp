// SPDX-License-Identifier: BSD-3-Clause
// TOML read strictly. parse_toml() and fail_at() are what every reader of TOML needs; a TomlSection
// is one table, read key by key: types and ranges are checked, and a key that nobody asked for is
// an error, so that a misspelt one does not pass unnoticed. Every message has file and line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace tofa {

// Throws Error (bad_input) with file and line.
toml::table parse_toml(std::string_view text, const std::string& file);

// An Error about `file` at the line of `node`.
[[noreturn]] void fail_at(const toml::node& node, const std::string& file,
                          const std::string& message);

class TomlSection {
 public:
  // `title` as in messages, e.g. "[poll]".
  TomlSection(const toml::table& table, std::string file, std::string title)
      : table_(table), file_(std::move(file)), title_(std::move(title)) {}

  // Each leaves `value` alone when the key is absent.
  void number(std::string_view key, double min, double max, double& value);
  void integer(std::string_view key, unsigned min, unsigned max, unsigned& value);
  void text(std::string_view key, std::string& value, bool may_be_empty = false);
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

}  // namespace tofa
