// SPDX-License-Identifier: BSD-3-Clause
// Outage probabilities by host, as lines `host probability [age [rate]]`, where `host` may be a
// host list, or as JSON. A probability that makes no sense is an error, never a healthy node.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "outage/health_document.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/outage.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;
constexpr std::size_t kMostHosts = 1'000'000;

void check_probability(double probability, std::string_view host, const std::string& name,
                       std::size_t line) {
  if (probability >= 0 && probability <= 1) return;  // false for NaN
  throw Error(ErrorKind::bad_input, name, line,
              fmt::format("outage probability {} of host {} is outside 0 to 1", probability,
                          excerpt(host)));
}

// A line may be about several hosts, in Slurm's notation.
template <typename Fail>
std::vector<std::string> expand(std::string_view hosts, const Fail& fail) {
  if (hosts.find_first_of("[,") == std::string_view::npos) return {std::string(hosts)};
  std::vector<std::string> names;
  try {
    names = expand_hostlist(hosts, kMostHosts);
  } catch (const Error& error) {
    fail(error.what());
  }
  return names;
}

OutageList parse_lines(std::string_view text, const std::string& name) {
  OutageList outages;
  std::unordered_map<std::string, std::size_t> line_of_host;
  LineReader lines(text);
  std::string_view line;
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_input, name, lines.number(), message);
  };
  while (lines.next(line)) {
    std::string_view rest = line.substr(0, line.find('#'));
    const std::string_view host = next_word(rest);
    if (host.empty()) continue;
    const auto probability = parse_number<double>(next_word(rest));
    const std::string_view age_word = next_word(rest);
    const auto age = age_word.empty() ? -1.0 : parse_number<double>(age_word);
    const std::string_view rate_word = next_word(rest);
    const auto rate = rate_word.empty() ? -1.0 : parse_number<double>(rate_word);
    if (!probability || !age || !rate || !trim(rest).empty()) {
      fail(fmt::format("line {} is not `host probability [age in seconds [outages per hour]]`",
                       excerpt(trim(line))));
    }
    check_probability(*probability, host, name, lines.number());
    if (!age_word.empty() && !(*age >= 0 && std::isfinite(*age))) {
      fail(fmt::format("age {} of host {} is not a time in seconds from 0", excerpt(age_word),
                       excerpt(host)));
    }
    if (!rate_word.empty() && !(*rate >= 0 && std::isfinite(*rate))) {
      fail(fmt::format("rate {} of host {} is not a number of outages per hour from 0",
                       excerpt(rate_word), excerpt(host)));
    }
    for (std::string& name_of_one : expand(host, fail)) {
      if (const auto [it, added] = line_of_host.try_emplace(name_of_one, lines.number()); !added) {
        fail(
            fmt::format("host {} was already listed on line {}", excerpt(name_of_one), it->second));
      }
      outages.push_back({std::move(name_of_one), *probability, *age, *rate});
      if (outages.size() > kMostHosts) fail(fmt::format("more than {} hosts", kMostHosts));
    }
  }
  return outages;
}

OutageList parse_json_list(std::string_view text, const std::string& name) {
  HealthDocument document = parse_health_document(text, name);
  OutageList outages;
  for (HealthDocument::Host& host : document.hosts) {
    if (!host.age && host.polled && document.time) {
      host.age = age_at(*document.time, *host.polled);
    }
    outages.push_back({std::move(host.host), host.probability, host.age.value_or(-1),
                       host.rate.value_or(-1), std::move(host.state).value_or(""), host.within,
                       std::move(host.excluded)});
  }
  return outages;
}

}  // namespace

OutageList parse_outages(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  return json ? parse_json_list(text, name) : parse_lines(text, name);
}

OutageList read_outages(const std::string& path) {
  return parse_outages(
      read_file(path, {.max_bytes = kLargestFile, .max_stream_bytes = kLargestFile}), path);
}

namespace {

nlohmann::ordered_json exclusion_json(const HostExclusion& exclusion) {
  nlohmann::ordered_json json{
      {"reason", exclusion.reason}, {"by", exclusion.by}, {"since", exclusion.since}};
  if (exclusion.until > 0) json["until"] = exclusion.until;
  return json;
}

}  // namespace

std::string format_outages_json(const OutageList& outages) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const HostOutage& outage : outages) {
    nlohmann::ordered_json node{{"host", outage.host}, {"probability", outage.probability}};
    if (outage.age_seconds >= 0) node["age"] = outage.age_seconds;
    if (outage.rate >= 0) node["rate"] = outage.rate;
    if (!outage.state.empty()) node["state"] = outage.state;
    if (outage.within) node["within"] = *outage.within;
    if (outage.excluded) node["excluded"] = exclusion_json(*outage.excluded);
    nodes.push_back(std::move(node));
  }
  return nlohmann::ordered_json{{"version", 1}, {"nodes", std::move(nodes)}}.dump(2) + "\n";
}

OutageList worst_of(const OutageList& outages) {
  std::map<std::string, HostOutage> worst;
  for (const HostOutage& outage : outages) {
    const auto [it, added] = worst.emplace(outage.host, outage);
    if (!added && outage.probability > it->second.probability) it->second = outage;
  }
  OutageList result;
  for (const auto& [host, outage] : worst) result.push_back(outage);
  return result;
}

}  // namespace tofa
