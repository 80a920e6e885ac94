// SPDX-License-Identifier: BSD-3-Clause
// What settings mean to those who place: names become what they stand for. See tofa/settings.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/settings.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

std::string parse_mapper(const std::string& name) {
  const auto known = mapper_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  throw Error(ErrorKind::bad_input, fmt::format("unknown mapper \"{}\"; known are {}{}", name,
                                                fmt::join(known, ", "), did_you_mean(name, known)));
}

}  // namespace

std::vector<std::string> known_words(const Setting& setting) {
  const std::string_view name = setting.name;
  if (name == "mapper") return mapper_names();
  std::vector<std::string> words;
  if (name == "objective") {
    for (const Objective objective : all_objectives())
      words.emplace_back(objective_name(objective));
  } else if (name == "effort") {
    for (const Effort effort : {Effort::fast, Effort::normal, Effort::thorough})
      words.emplace_back(effort_name(effort));
  } else if (name == "pair_cost") {
    for (const auto measure : {LinkMeasure::hops, LinkMeasure::bandwidth, LinkMeasure::stalls})
      words.emplace_back(measure_name(measure));
  } else if (name == "over_route") {
    for (const auto rule : {RouteReduction::sum, RouteReduction::min, RouteReduction::max})
      words.emplace_back(reduction_name(rule));
  }
  return words;
}

PlaceOptions place_options(const PlacementSettings& settings) {
  PlaceOptions options;
  options.objective = parse_objective(settings.objective);
  options.mapper = parse_mapper(settings.mapper);
  options.abort_cost = settings.abort_cost;
  options.seed = settings.seed;
  options.effort = settings.effort;
  options.time_limit_seconds = settings.time_limit.value_or(kTimeLimit);
  options.limit_was_given = settings.time_limit.has_value();
  for (const std::string& text : settings.needs) {
    const auto needs = parse_resource_needs(text);
    options.needs.insert(options.needs.end(), needs.begin(), needs.end());
  }
  return options;
}

InputRequest input_request(const PlacementSettings& settings) {
  InputRequest request;
  request.graph = settings.graph;
  request.topology = settings.topology;
  request.outages = settings.outages;
  request.health = settings.health;
  request.machine = settings.machine;
  request.link_load = settings.link_load;
  request.pair_cost = settings.pair_cost;
  request.horizon = settings.horizon;
  request.query_program = settings.query_program;
  return request;
}

}  // namespace tofa
