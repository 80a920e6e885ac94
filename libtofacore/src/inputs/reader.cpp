// SPDX-License-Identifier: BSD-3-Clause
// Which source each input has: see inputs.hpp. How it is read is in the files beside this one.
#include <filesystem>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/inputs.hpp"

namespace tofa {

InputReader::InputReader(InputRequest request, InputNotes& notes)
    : request_(std::move(request)), notes_(notes) {}

// Read once, and only where something was not asked for: else a site file that is of no use is
// worth no warning.
const SiteDefaults& InputReader::defaults() {
  if (defaults_) return *defaults_;
  const SiteDefaults environment = load_environment_defaults();
  SiteDefaults site;
  try {
    site = load_site_defaults();
  } catch (const std::exception& error) {
    notes_.degraded(error.what(), "the site's defaults are ignored");
  }
  defaults_ = merge_defaults(environment, merge_defaults(request_.launcher, site));
  return *defaults_;
}

InputReader::Source InputReader::usual(const std::string& key, std::string SiteDefaults::*value) {
  const std::string& text = defaults().*value;
  return text.empty() ? Source{} : Source{text, defaults().named_by.at(key)};
}

InputReader::Source InputReader::topology_source() {
  if (request_.topology) return {*request_.topology, ""};
  return usual("topology", &SiteDefaults::topology);
}

InputReader::Source InputReader::health_source() {
  return request_.health ? Source{*request_.health, ""} : usual("health", &SiteDefaults::health);
}

// A source that was asked for replaces both of the defaults.
std::vector<InputReader::Source> InputReader::outage_sources() {
  if (request_.outages || request_.health)
    return {{request_.outages.value_or(""), ""}, {request_.health.value_or(""), ""}};
  return {usual("outages", &SiteDefaults::outages), health_source()};
}

// Whether outages() will tell what is wrong with it.
bool InputReader::outages_ask(const Source& service) {
  return outage_sources()[1].value == service.value;
}

MachineInput InputReader::machine() {
  const Source source =
      request_.machine ? Source{*request_.machine, ""} : usual("machine", &SiteDefaults::machine);
  return {source.value, source.named_by};
}

// Who starts a job does not wait for somebody to write into a pipe.
void InputReader::refuse_pipe(const std::string& path) const {
  if (notes_.leniency() == Leniency::command) return;
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
      type == std::filesystem::file_type::character) {
    throw Error(ErrorKind::bad_input, path, 0, "is not a regular file; name one");
  }
}

}  // namespace tofa
