// SPDX-License-Identifier: BSD-3-Clause
// Reading a mapping back in any of the forms that `tofa map` writes: see mapping_file.hpp.
#include "mapping_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

std::vector<RankPlace> from_json(std::string_view text, const std::string& path) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("mapping") ||
      !json["mapping"].is_array()) {
    throw Error(ErrorKind::bad_input, path, 0,
                "is JSON without a \"mapping\" list; use the output of tofa map --format json");
  }
  std::vector<RankPlace> places;
  for (const auto& host : json["mapping"]) {
    if (!host.is_string()) {
      throw Error(ErrorKind::bad_input, path, 0,
                  "\"mapping\" has an entry that is not a host name");
    }
    places.push_back({host.get<std::string>(), 0});
  }
  return places;
}

struct RankLine {
  Rank rank;
  std::string host;
};

// `rank 3=n007 slot=0`
RankLine parse_rank_line(std::string_view rest, const std::string& path, std::size_t line) {
  const std::size_t equals = rest.find('=');
  const auto rank = parse_number<Rank>(trim(rest.substr(0, equals)));
  std::string_view place = equals == std::string_view::npos ? "" : rest.substr(equals + 1);
  const std::string_view host = next_word(place);
  if (!rank || host.empty()) {
    throw Error(ErrorKind::bad_input, path, line,
                fmt::format("{} is no line of a rankfile; they read `rank 3=n007 slot=0`",
                            excerpt("rank " + std::string(rest))));
  }
  if (*rank >= kMaxRanks) {
    throw Error(ErrorKind::bad_input, path, line,
                fmt::format("rank {}; at most {} ranks are supported", *rank, kMaxRanks));
  }
  return {*rank, std::string(host)};
}

// A line of a hostfile names the node of the next rank.
RankLine parse_line(std::string_view line, Rank next, const std::string& path, std::size_t number) {
  std::string_view rest = line;
  if (next_word(rest) == "rank" && !trim(rest).empty())
    return parse_rank_line(trim(rest), path, number);
  return {next, std::string(line)};
}

std::vector<RankPlace> from_lines(std::string_view text, const std::string& path) {
  std::map<Rank, RankPlace> place_of;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const Rank next = place_of.empty() ? 0 : place_of.rbegin()->first + 1;
    const auto [rank, host] = parse_line(line, next, path, lines.number());
    if (!place_of.emplace(rank, RankPlace{host, lines.number()}).second) {
      throw Error(ErrorKind::bad_input, path, lines.number(),
                  fmt::format("rank {} has a second line", rank));
    }
  }
  std::vector<RankPlace> places;
  for (auto& [rank, place] : place_of) {
    if (rank != places.size()) {
      throw Error(ErrorKind::bad_input, path, 0,
                  fmt::format("has no line for rank {}", places.size()));
    }
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<RankPlace> read_places(const std::string& path) {
  const std::string contents = read_file(path);
  const std::string_view text = require_text(contents, path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  auto places = json ? from_json(text, path) : from_lines(text, path);
  if (places.empty()) throw Error(ErrorKind::bad_input, path, 0, "is empty; it names no node");
  return places;
}

}  // namespace

MappingFile::MappingFile(const std::string& path) : path_(path), places_(read_places(path)) {}

std::vector<std::string> MappingFile::rank_hosts() const {
  std::vector<std::string> hosts;
  hosts.reserve(places_.size());
  for (const RankPlace& place : places_) hosts.push_back(place.host);
  return hosts;
}

std::vector<std::string> MappingFile::hosts() const {
  return all_hosts({rank_hosts()});
}

Mapping MappingFile::mapping(const Topology& topology, const CommGraph& graph) const {
  Mapping mapping;
  for (const RankPlace& place : places_) {
    const auto node = topology.find(place.host);
    if (!node) {
      throw Error(ErrorKind::bad_input, path_, place.line,
                  fmt::format("node {} is not in the topology ({})", excerpt(place.host),
                              topology.describe()));
    }
    mapping.push_back(*node);
  }
  if (mapping.size() != graph.ranks()) {
    throw Error(
        ErrorKind::bad_input, path_, 0,
        fmt::format("places {} ranks, but the graph has {}", mapping.size(), graph.ranks()));
  }
  return mapping;
}

std::vector<std::string> all_hosts(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> hosts;
  std::unordered_set<std::string> known;
  for (const std::vector<std::string>& list : lists) {
    for (const std::string& host : list)
      if (known.insert(host).second) hosts.push_back(host);
  }
  return hosts;
}

unsigned most_ranks_on_a_node(const Mapping& mapping, const Topology& topology) {
  std::vector<unsigned> ranks(topology.nodes());
  for (const Node node : mapping) ++ranks[node];
  return *std::max_element(ranks.begin(), ranks.end());
}

std::vector<std::string> hosts_of(const Mapping& mapping, const Topology& topology) {
  std::vector<std::string> hosts;
  hosts.reserve(mapping.size());
  for (const Node node : mapping) hosts.push_back(topology.name(node));
  return hosts;
}

}  // namespace tofa::cli
