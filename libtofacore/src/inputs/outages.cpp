// SPDX-License-Identifier: BSD-3-Clause
// The suspect nodes: a file and the health service, each of which may fail alone; of two estimates
// for a host the worse counts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/health_query.hpp"
#include "tofa/inputs.hpp"

namespace tofa {
namespace {

constexpr const char* kNone = "no node is taken to be suspect";

// What of the topology the job is about.
std::vector<bool> nodes_of_job(const NetworkInput& network) {
  std::vector<bool> mine(network.topology->nodes(), network.node_of.empty());
  for (const Node node : network.node_of)
    if (node != kNoNode) mine[node] = true;
  return mine;
}

}  // namespace

HealthQuery InputReader::health_query(const std::string& uri) {
  HealthQuery query = trusted_by(defaults(), {.uri = uri});
  query.program = request_.query_program.empty() ? find_query_program(request_.query_directory)
                                                 : request_.query_program;
  return query;
}

// For reports: whether what it says was checked.
std::string InputReader::trust_in(const HealthQuery& query) {
  return query.key.empty() ? ", unchecked (no health_key)"
                           : fmt::format(", signed ({})", query.key);
}

// Throws Error (unavailable) also when the service knows none of the nodes of this job.
OutageList InputReader::ask_health(const HealthQuery& query, const NetworkInput& network) const {
  OutageList list = query_health(query);
  const std::vector<bool> mine = nodes_of_job(network);
  const bool knows_one = std::any_of(list.begin(), list.end(), [&](const HostOutage& outage) {
    const auto node = network.topology->find(outage.host);
    return node && mine[*node];
  });
  if (knows_one) return list;
  throw Error(ErrorKind::unavailable,
              fmt::format("the answer of the health service at {} is about other hosts ({} of "
                          "them{}), none of this allocation; check the address",
                          query.uri, list.size(),
                          list.empty() ? "" : fmt::format(", e.g. {}", list.front().host)));
}

// A host that is misspelt is not avoided. Where the topology is assumed it has the nodes of this
// job only, so that what is said of others proves nothing, unless it is said of nobody else. The
// service of a site knows nodes that are none of a job's business.
void InputReader::name_unknown_hosts(const OutageList& list, const Source& source,
                                     const NetworkInput& network) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> unknown;
  for (const HostOutage& outage : list)
    if (!network.topology->find(outage.host)) unknown.push_back(outage.host);
  if (unknown.empty()) return;
  if (network.assumed && (!source.asked() || unknown.size() < list.size())) return;
  const std::size_t count = unknown.size();
  unknown.resize(std::min(count, shown));
  notes_.warn(fmt::format(
      "{} of the {} hosts with an outage probability are not in the topology: {}{} ({})", count,
      list.size(), fmt::join(unknown, ", "), count > shown ? ", ..." : "", source.value));
}

OutageInput InputReader::outages(const NetworkInput& network) {
  const std::vector<Source> sources = outage_sources();
  const Source& file = sources[0];
  const Source& service = sources[1];
  OutageList all;
  std::vector<std::string> origins;
  std::string trust;  // of the service's answer
  const auto add = [&](const Source& source, const std::string& what, auto&& read) {
    if (source.value.empty()) return;
    try {
      const OutageList list = read();
      if (&source == &file || notes_.leniency() == Leniency::command)
        name_unknown_hosts(list, source, network);
      all.insert(all.end(), list.begin(), list.end());
      origins.push_back(fmt::format("{} ({} hosts){}", what, list.size(),
                                    source.asked() ? "" : " from " + source.named_by));
      if (&source == &service) origins.back() += trust;
    } catch (const std::exception& error) {
      std::string problem = error.what();
      if (!source.asked()) problem += fmt::format(" (named by {})", source.named_by);
      notes_.failed(source.asked(), problem,
                    origins.empty() ? kNone : "only the other source is used");
    }
  };
  add(file, file.value, [&] {
    refuse_pipe(file.value);
    return read_outages(file.value);
  });
  add(service, "health service at " + service.value, [&] {
    if (!no_answer_.empty()) throw Error(ErrorKind::unavailable, no_answer_);  // one wait will do
    const HealthQuery query = health_query(service.value);
    trust = trust_in(query);
    return ask_health(query, network);
  });

  double horizon = request_.horizon.value_or(0);
  if (!request_.horizon && request_.manager.time_left) horizon = request_.manager.time_left(all);
  if (!request_.horizon && horizon <= 0) all = over_assumed_horizon(std::move(all));
  OutageInput input;
  input.map = OutageMap(worst_of(over_horizon(all, horizon)), *network.topology);
  if (horizon > 0 && !origins.empty())
    origins.push_back(fmt::format("for a job of up to {:.0f} s", horizon));
  const bool named = !file.value.empty() || !service.value.empty();
  input.origin = origins.empty()
                     ? fmt::format("{}; {}", named ? "not available" : "none given", kNone)
                     : fmt::format("{}", fmt::join(origins, ", "));
  return input;
}

}  // namespace tofa
