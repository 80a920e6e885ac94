// SPDX-License-Identifier: BSD-3-Clause
// [link_load] of a site file, read strictly: see link_load.hpp.
#include <fmt/core.h>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/link_load.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

WindowValue parse_take(const TomlSection& section, const std::string& word) {
  if (word == "mean") return WindowValue::mean;
  if (word == "max") return WindowValue::max;
  if (word == "latest") return WindowValue::latest;
  section.fail("take", fmt::format("{} is none of mean, max, latest", excerpt(word)));
}

}  // namespace

LinkLoadRules parse_link_load_rules(std::string_view site_file, const std::string& name) {
  constexpr double day = 86'400;
  LinkLoadRules rules;
  const toml::table root = parse_toml(require_text(site_file, name), name);
  const toml::node* node = root.get("link_load");
  const toml::table* table = node == nullptr ? nullptr : node->as_table();
  if (table == nullptr) return rules;  // none, or the name of a file
  TomlSection section(*table, name, "[link_load]");
  std::string source;  // whoever reads defaults takes it
  section.text("source", source);
  section.number("window", 0.001, day, rules.window);
  std::string take = "mean";
  section.text("take", take);
  rules.take = parse_take(section, take);
  if (table->contains("max_age"))
    section.number("max_age", 0.001, 365 * day, rules.max_age.emplace());
  if (table->contains("incoming")) section.flag("incoming", rules.incoming.emplace());
  section.number("scale", 1e-9, 1e9, rules.scale);
  section.text("host_column", rules.host_column);
  section.text("used_column", rules.used_column, true);
  section.text("stalled_column", rules.stalled_column, true);
  section.flag("counters", rules.counters);
  section.text("query", rules.query);
  section.text("stalls_query", rules.stalls_query, true);
  section.text("from_label", rules.from_label);
  section.text("to_label", rules.to_label);
  section.number("timeout", 0.05, 60, rules.timeout);
  section.refuse_other_keys();
  return rules;
}

}  // namespace tofa
