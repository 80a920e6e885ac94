// SPDX-License-Identifier: BSD-3-Clause
// Rules that say what jobs exchange: tables [[rule]] of a TOML file, of which the first counts that
// suits a job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/toml_section.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/grid_traffic.hpp"
#include "tofa/job_traffic.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

std::vector<std::string> classes_of_rules() {
  std::vector<std::string> names = traffic_classes();
  names.emplace_back("random");
  names.emplace_back("none");
  return names;
}

TrafficRule parse_rule(const toml::table& table, const std::string& file) {
  TomlSection section(table, file, "[[rule]]");
  TrafficRule rule;
  section.text("name", rule.name);
  section.text("graph", rule.profile);
  section.text("class", rule.traffic_class);
  double communication = -1;
  section.number("communication", 0, 1, communication);
  rule.communication = communication;
  section.refuse_other_keys();
  if (rule.profile.empty() == rule.traffic_class.empty()) {
    section.fail("name",
                 "a rule has either a graph or a class; write one of them, as in class = "
                 "\"random\"");
  }
  const auto known = classes_of_rules();
  if (!rule.traffic_class.empty() &&
      std::find(known.begin(), known.end(), rule.traffic_class) == known.end()) {
    section.fail("class",
                 fmt::format("unknown class {}; known are {}{}", excerpt(rule.traffic_class),
                             fmt::join(known, ", "), did_you_mean(rule.traffic_class, known)));
  }
  return rule;
}

}  // namespace

std::vector<TrafficRule> parse_traffic_rules(std::string_view text, const std::string& name) {
  const toml::table table = parse_toml(require_text(text, name), name);
  std::vector<TrafficRule> rules;
  for (const auto& [key, node] : table) {
    const toml::array* array = node.as_array();
    if (key.str() != "rule" || array == nullptr || !array->is_array_of_tables()) {
      fail_at(node, name,
              fmt::format("{} is not expected here; a file of rules has tables [[rule]] only",
                          excerpt(key.str())));
    }
    for (const toml::node& entry : *array) rules.push_back(parse_rule(*entry.as_table(), name));
  }
  if (rules.empty()) throw Error(ErrorKind::bad_input, name, 0, "no [[rule]] in this file");
  return rules;
}

std::vector<TrafficRule> read_traffic_rules(const std::string& path) {
  std::vector<TrafficRule> rules = parse_traffic_rules(read_file(path), path);
  const std::size_t slash = path.rfind('/');
  for (TrafficRule& rule : rules) {
    // Beside the rules.
    const bool is_path = !rule.profile.empty() && !names_grid(rule.profile);
    if (is_path && rule.profile.front() != '/' && slash != std::string::npos)
      rule.profile = path.substr(0, slash + 1) + rule.profile;
  }
  return rules;
}

}  // namespace tofa
