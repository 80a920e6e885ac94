// SPDX-License-Identifier: BSD-3-Clause
// Outage probabilities by host, as lines `host probability [age [rate]]` or as JSON. A probability
// that makes no sense is an error, never a healthy node.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/outage.hpp"
#include "tofa/text.hpp"

namespace tofa {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;

void check_probability(double probability, std::string_view host, const std::string& name,
                       std::size_t line) {
  if (probability >= 0 && probability <= 1) return;  // false for NaN
  throw Error(ErrorKind::bad_input, name, line,
              fmt::format("outage probability {} of host {} is outside 0 to 1", probability,
                          excerpt(host)));
}

OutageList parse_lines(std::string_view text, const std::string& name) {
  OutageList outages;
  std::unordered_map<std::string_view, std::size_t> line_of_host;
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
    if (const auto [it, added] = line_of_host.try_emplace(host, lines.number()); !added) {
      fail(fmt::format("host {} was already listed on line {}", excerpt(host), it->second));
    }
    outages.push_back({std::string(host), *probability, *age, *rate});
  }
  return outages;
}

class JsonParser {
 public:
  explicit JsonParser(const std::string& name) : name_(name) {}

  OutageList parse(std::string_view text) {
    const Json document = parse_document(text);
    const auto version = document.find("version");
    if (version == document.end() || !version->is_number_integer() || *version != 1) {
      fail("\"version\" must be 1");
    }
    const auto nodes = document.find("nodes");
    if (nodes == document.end() || !nodes->is_array()) fail("\"nodes\" must be an array");
    for (const Json& node : *nodes) add(node);
    return std::move(outages_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorKind::bad_input, name_, 0, message);
  }

  Json parse_document(std::string_view text) const {
    try {
      return Json::parse(text);
    } catch (const Json::parse_error& error) {
      const auto end = text.begin() + std::min(error.byte, text.size());
      const auto line = 1 + std::count(text.begin(), end, '\n');
      throw Error(ErrorKind::bad_input, name_, static_cast<std::size_t>(line),
                  "malformed JSON; was the file cut short?");
    } catch (const Json::out_of_range&) {
      fail("malformed JSON: a number is too large");
    }
  }

  void add(const Json& node) {
    const std::string where = fmt::format("entry {} of \"nodes\"", outages_.size() + 1);
    if (!node.is_object()) fail(where + " is not an object");
    const auto host = node.find("host");
    if (host == node.end() || !host->is_string() || host->get_ref<const std::string&>().empty()) {
      fail(where + " has no \"host\"");
    }
    const auto probability = node.find("probability");
    if (probability == node.end() || !probability->is_number()) {
      fail(where + " has no number \"probability\"");
    }
    HostOutage outage{host->get<std::string>(), probability->get<double>()};
    check_probability(outage.probability, outage.host, name_, 0);
    if (const auto age = number_from_0(node, "age", where, "a time in seconds")) {
      outage.age_seconds = *age;
    }
    if (const auto rate = number_from_0(node, "rate", where, "a number of outages per hour")) {
      outage.rate = *rate;
    }
    if (!seen_.try_emplace(outage.host, outages_.size() + 1).second) {
      fail(fmt::format("host {} is listed twice, in entries {} and {} of \"nodes\"",
                       excerpt(outage.host), seen_[outage.host], outages_.size() + 1));
    }
    outages_.push_back(std::move(outage));
  }

  // Nothing when there is no such key.
  std::optional<double> number_from_0(const Json& node, const char* key, const std::string& where,
                                      const char* what) const {
    const auto value = node.find(key);
    if (value == node.end() || value->is_null()) return std::nullopt;
    if (!value->is_number() || !(value->get<double>() >= 0)) {
      fail(fmt::format("{} has a \"{}\" that is not {} from 0", where, key, what));
    }
    return value->get<double>();
  }

  const std::string& name_;
  OutageList outages_;
  std::unordered_map<std::string, std::size_t> seen_;
};

}  // namespace

OutageList parse_outages(std::string_view text, const std::string& name) {
  text = require_text(text, name);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  return json ? JsonParser(name).parse(text) : parse_lines(text, name);
}

OutageList read_outages(const std::string& path) {
  return parse_outages(
      read_file(path, {.max_bytes = kLargestFile, .max_stream_bytes = kLargestFile}), path);
}

std::string format_outages_json(const OutageList& outages) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const HostOutage& outage : outages) {
    nlohmann::ordered_json node{{"host", outage.host}, {"probability", outage.probability}};
    if (outage.age_seconds >= 0) node["age"] = outage.age_seconds;
    if (outage.rate >= 0) node["rate"] = outage.rate;
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
