// SPDX-License-Identifier: BSD-3-Clause
// An explanation as JSON: see explain_report.hpp.
#include "explain_report.hpp"
#include "report.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

Json places_json(const PairPlaces& places, const Topology& topology) {
  return {{"nodes", {topology.name(places.low), topology.name(places.high)}},
          {"hops", places.hops}};
}

Json links_json(const std::vector<BusyLink>& links, const Topology& topology) {
  Json list = Json::array();
  for (const BusyLink& link : links) {
    list.push_back({{"from", topology.vertex_name(link.source)},
                    {"to", topology.vertex_name(link.target)},
                    {"bytes", link.bytes}});
  }
  return list;
}

const char* use_json(NodeUse use) {
  switch (use) {
    case NodeUse::holds_ranks:
      return "ranks";
    case NodeUse::forwards_traffic:
      return "traffic";
    case NodeUse::none:
      break;
  }
  return "none";
}

void add_search(Json& json, const PlaceOptions& options, const Placement& placement) {
  json["mapper"] = options.mapper;
  json["origin"] = placement.origin;
  json["seed"] = options.seed;
  json["elapsed_seconds"] = placement.elapsed_seconds;
  json["out_of_time"] = placement.out_of_time;
  json["candidates"] = Json::array();
  for (const CandidateReport& candidate : placement.candidates) {
    json["candidates"].push_back({{"mapper", candidate.mapper},
                                  {"cost", candidate.cost},
                                  {"seconds", candidate.seconds},
                                  {"chosen", candidate.mapper == placement.origin}});
  }
  json["improvements"] = Json::array();
  for (const Improvement& improvement : placement.improvements) {
    json["improvements"].push_back({{"seconds", improvement.seconds},
                                    {"cost", improvement.cost},
                                    {"source", improvement.source}});
  }
}

}  // namespace

Json explain_json(const ExplainReport& report) {
  const Explanation& explanation = report.explanation;
  Json json{{"topology", report.topology.describe()},
            {"objective", objective_name(report.options.objective)}};
  for (const Objective objective : all_objectives()) {
    json["objectives"][std::string(objective_name(objective))] = {
        {"default", objective_value(objective, explanation.before, report.options.abort_cost)},
        {"chosen", objective_value(objective, explanation.after, report.options.abort_cost)}};
  }
  json["default"] = metrics_json(explanation.before);
  json["chosen"] = metrics_json(explanation.after);
  if (report.placement != nullptr) add_search(json, report.options, *report.placement);
  json["heaviest_pairs"] = Json::array();
  for (const PairChange& change : explanation.heaviest_pairs) {
    json["heaviest_pairs"].push_back({{"ranks", {change.pair.low, change.pair.high}},
                                      {"bytes", change.pair.bytes},
                                      {"default", places_json(change.before, report.topology)},
                                      {"chosen", places_json(change.after, report.topology)}});
  }
  json["busiest_links"] = {{"default", links_json(explanation.busiest_before, report.topology)},
                           {"chosen", links_json(explanation.busiest_after, report.topology)}};
  json["suspects"] = Json::array();
  for (const SuspectNode& suspect : explanation.suspects) {
    json["suspects"].push_back({{"node", report.topology.name(suspect.node)},
                                {"probability", suspect.probability},
                                {"default", use_json(suspect.before)},
                                {"chosen", use_json(suspect.after)}});
  }
  return json;
}

}  // namespace tofa::cli
