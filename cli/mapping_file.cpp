// SPDX-License-Identifier: BSD-3-Clause
// Reading a mapping back in any of the forms that `tofa map` writes.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

Node find_node(const Topology& topology, const std::string& host, const std::string& path,
               std::size_t line) {
  if (const auto node = topology.find(host)) return *node;
  throw Error(
      ErrorKind::bad_input, path, line,
      fmt::format("node {} is not in the topology ({})", excerpt(host), topology.describe()));
}

Mapping from_json(std::string_view text, const std::string& path, const Topology& topology) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("mapping") ||
      !json["mapping"].is_array()) {
    throw Error(ErrorKind::bad_input, path, 0,
                "is JSON without a \"mapping\" list; use the output of tofa map --format json");
  }
  Mapping mapping;
  for (const auto& host : json["mapping"]) {
    if (!host.is_string()) {
      throw Error(ErrorKind::bad_input, path, 0,
                  "\"mapping\" has an entry that is not a host name");
    }
    mapping.push_back(find_node(topology, host.get<std::string>(), path, 0));
  }
  return mapping;
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

Mapping from_lines(std::string_view text, const std::string& path, const Topology& topology) {
  Mapping mapping;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto [rank, host] =
        parse_line(line, static_cast<Rank>(mapping.size()), path, lines.number());
    const Node node = find_node(topology, host, path, lines.number());
    if (rank >= mapping.size()) mapping.resize(std::size_t{rank} + 1, kNoNode);
    if (mapping[rank] != kNoNode) {
      throw Error(ErrorKind::bad_input, path, lines.number(),
                  fmt::format("rank {} has a second line", rank));
    }
    mapping[rank] = node;
  }
  const auto missing = std::find(mapping.begin(), mapping.end(), kNoNode);
  if (missing != mapping.end()) {
    throw Error(ErrorKind::bad_input, path, 0,
                fmt::format("has no line for rank {}", missing - mapping.begin()));
  }
  return mapping;
}

}  // namespace

Mapping read_mapping(const std::string& path, const Topology& topology) {
  const std::string contents = read_file(path);
  const std::string_view text = require_text(contents, path);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  Mapping mapping = json ? from_json(text, path, topology) : from_lines(text, path, topology);
  if (mapping.empty()) throw Error(ErrorKind::bad_input, path, 0, "is empty; it names no node");
  return mapping;
}

Mapping read_mapping_for(const std::string& path, const Topology& topology,
                         const CommGraph& graph) {
  Mapping mapping = read_mapping(path, topology);
  if (mapping.size() != graph.ranks()) {
    throw Error(
        ErrorKind::bad_input, path, 0,
        fmt::format("places {} ranks, but the graph has {}", mapping.size(), graph.ranks()));
  }
  return mapping;
}

}  // namespace tofa::cli
