// SPDX-License-Identifier: BSD-3-Clause
// The network: a topology that has the nodes of the job, else one in which all nodes are equally
// far from each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/fingerprint.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/health_query.hpp"
#include "tofa/inputs.hpp"
#include "tofa/topology_query.hpp"

namespace tofa {
namespace {

constexpr const char* kFlat = "all nodes are taken to be equally far from each other";

Error lacks_nodes(const std::string& file, std::vector<std::string> missing,
                  const std::string& remedy) {
  constexpr std::size_t shown = 5;
  const bool several = missing.size() > 1;
  const std::size_t more = missing.size() > shown ? missing.size() - shown : 0;
  missing.resize(missing.size() - more);
  return {ErrorKind::unmet,
          fmt::format("{}: lacks node{} \"{}\"{} of the allocation; add {} to the file (in "
                      "`nodes` or as [[node]]){}",
                      file, several ? "s" : "", fmt::join(missing, "\", \""),
                      more > 0 ? fmt::format(" and {} more", more) : "", several ? "them" : "it",
                      remedy)};
}

}  // namespace

// Throws Error (unmet) when the topology lacks nodes of the job.
std::vector<Node> InputReader::locate(const Topology& topology, const Source& source) const {
  std::vector<Node> found;
  std::vector<std::string> missing;
  std::vector<bool> taken(topology.nodes());
  for (const std::string& name : request_.nodes) {
    const auto node = topology.find(name);
    if (!node) {
      missing.push_back(name);
    } else if (taken[*node]) {
      throw Error(ErrorKind::unmet,
                  fmt::format("{}: two nodes of the allocation, one of them \"{}\", are the same "
                              "node \"{}\" there; name each node once",
                              source.value, name, topology.name(*node)));
    }
    if (node) taken[*node] = true;
    found.push_back(node.value_or(kNoNode));
  }
  const bool enough = request_.some_nodes_will_do && missing.size() < request_.nodes.size();
  if (!missing.empty() && !enough) {
    throw lacks_nodes(
        source.value, missing,
        source.asked() ? ", or name the right file with --map-by tofa:topology=FILE" : "");
  }
  return found;
}

NetworkInput InputReader::read_network(const Source& source) const {
  refuse_pipe(source.value);
  NetworkInput input = make_network(read_file(source.value), source);
  input.file = source.value;
  return input;
}

NetworkInput InputReader::make_network(const std::string& text, const Source& source) const {
  NetworkInput input;
  input.topology = parse_topology(text, source.value);
  input.fingerprint = fingerprint_of(text);
  input.named_by = source.named_by;
  input.origin = fmt::format("{} ({}){}", input.topology->describe(), source.value,
                             source.asked() ? "" : " from " + source.named_by);
  return input;
}

NetworkInput InputReader::assume_flat(const std::string& why) const {
  NetworkInput input;
  input.topology = make_flat_topology(request_.nodes);
  input.fingerprint = fingerprint_of(fmt::format("flat {}", fmt::join(request_.nodes, " ")));
  for (Node node = 0; node < request_.nodes.size(); ++node) input.node_of.push_back(node);
  input.assumed = true;
  input.origin = fmt::format("{}; {}", why, kFlat);
  return input;
}

// Nothing where the service has none, and where it does not answer.
std::optional<std::string> InputReader::ask_topology(const Source& service, std::string& trust) {
  try {
    const HealthQuery query = health_query(service.value);
    trust = trust_in(query);
    return query_topology(query, UserFolder(user_cache_folder()));
  } catch (const std::exception& error) {
    no_answer_ = error.what();
  }
  if (!outages_ask(service)) {
    notes_.degraded(no_answer_ + (service.asked() ? "" : " (named by " + service.named_by + ")"),
                    "its topology is not used");
  }
  return {};
}

// Nobody has asked for it by name, so that another will do.
std::optional<NetworkInput> InputReader::service_network() {
  const Source service = health_source();
  if (service.value.empty()) return {};
  std::string trust;
  const auto text = ask_topology(service, trust);
  if (!text) return {};
  const Source source = {"topology of the health service at " + service.value,
                         service.asked() ? "the health service" : service.named_by};
  try {
    NetworkInput input = make_network(*text, source);
    input.node_of = locate(*input.topology, source);
    input.service = service.value;
    input.origin += trust;
    return input;
  } catch (const std::exception& error) {
    notes_.degraded(error.what(), "it is not used");
    return {};
  }
}

NetworkInput InputReader::network() {
  Source source = topology_source();
  if (source.value.empty() && !request_.topology) {
    if (auto network = service_network()) return *std::move(network);
    if (request_.manager.topology) source = {request_.manager.topology(), request_.manager.name};
  }
  if (source.value.empty()) {
    if (!request_.nodes.empty()) return assume_flat("none given");
    throw Error(ErrorKind::bad_input, "no topology; name its file, or set TOFA_TOPOLOGY" +
                                          (no_answer_.empty() ? "" : " (" + no_answer_ + ")"));
  }
  NetworkInput input;
  try {
    input = read_network(source);
    if (!source.asked()) input.node_of = locate(*input.topology, source);
  } catch (const std::exception& error) {
    std::string problem = error.what();
    if (!source.asked()) problem += fmt::format(" (named by {})", source.named_by);
    if (request_.nodes.empty()) throw Error(ErrorKind::bad_input, problem);  // nothing to assume
    notes_.failed(source.asked(), problem, kFlat);
    return assume_flat(source.asked() ? "not readable" : "the usual one does not do");
  }
  // The command says in its own words what of its options does not fit.
  if (source.asked() && notes_.leniency() != Leniency::command)
    input.node_of = locate(*input.topology, source);
  return input;
}

}  // namespace tofa
