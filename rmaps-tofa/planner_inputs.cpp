// SPDX-License-Identifier: BSD-3-Clause
// Reading what a placement is based on; see planner_inputs.hpp.
#include "planner_inputs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "slurm_client.hpp"
#include "tofa/error.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/health_query.hpp"
#include "tofa/site.hpp"

namespace tofa::planner {
namespace {

std::vector<std::string> node_names(const tofa_job& job) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < job.node_count; ++i) names.emplace_back(job.nodes[i].name);
  return names;
}

SiteDefaults site_defaults(Notes& notes) {
  try {
    return load_site_defaults();
  } catch (const std::exception& e) {
    notes.degraded(e.what(), "the site's defaults are ignored");
    return {};
  }
}

// A launcher does not wait for somebody to write into a pipe.
void refuse_pipe(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
      type == std::filesystem::file_type::character) {
    throw Error(ErrorKind::bad_input, path, 0, "is not a regular file; name one");
  }
}

// --- traffic ---

void assume_neighbours(Inputs& inputs, unsigned ranks, const std::string& why) {
  inputs.traffic = {};
  inputs.neighbours = true;
  inputs.graph = CommGraph::neighbours_in_rank_order(ranks);
  inputs.graph_origin = why + "; ranks are taken to talk to their neighbours in rank order";
}

struct Mismatch {
  std::string problem, instead;
};

// Makes a profile of another number of ranks fit this job.
Mismatch fit(Traffic& traffic, unsigned ranks, const std::string& name) {
  const unsigned profiled = traffic.ranks;
  if (profiled == ranks) return {};
  traffic.ranks = ranks;
  const std::string problem =
      fmt::format("graph {} describes {} ranks, the job has {}; profile a run with {} ranks", name,
                  profiled, ranks, ranks);
  if (profiled < ranks)
    return {problem, fmt::format("ranks {} to {} are placed as if they talked to no one", profiled,
                                 ranks - 1)};
  std::erase_if(traffic.entries, [ranks](const TrafficEntry& e) {
    return e.sender >= ranks || e.receiver >= ranks;
  });
  return {problem, fmt::format("what it says about ranks {} and above is ignored", ranks)};
}

void read_graph(Inputs& inputs, const Settings& settings, unsigned ranks, Notes& notes) {
  if (!settings.graph || settings.graph->empty())
    return assume_neighbours(inputs, ranks, "none given");
  Mismatch mismatch;
  try {
    refuse_pipe(*settings.graph);
    inputs.traffic = read_traffic(*settings.graph);
    mismatch = fit(inputs.traffic, ranks, *settings.graph);
    inputs.graph = CommGraph(inputs.traffic);
  } catch (const std::exception& e) {
    notes.degraded(e.what(), "ranks are taken to talk to their neighbours in rank order");
    return assume_neighbours(inputs, ranks, "not readable");
  }
  inputs.neighbours = false;
  inputs.graph_origin = fmt::format("{} ({} pairs, {} bytes)", *settings.graph,
                                    inputs.graph.pairs(), inputs.graph.total_bytes());
  if (!mismatch.problem.empty()) notes.degraded(mismatch.problem, mismatch.instead);
}

// --- network ---

// Finds the nodes of the allocation in the topology. Throws Error (unmet) when it lacks one.
std::vector<Node> locate(const tofa_job& job, const Topology& topology, const std::string& file) {
  constexpr std::size_t kShown = 5;
  std::vector<Node> found;
  std::vector<std::string> missing;
  for (const std::string& name : node_names(job)) {
    const auto node = topology.find(name);
    if (!node)
      missing.push_back(name);
    else if (std::find(found.begin(), found.end(), *node) != found.end())
      throw Error(ErrorKind::unmet, fmt::format("{}: two nodes of the allocation, one of them "
                                                "\"{}\", are the same node \"{}\" there; "
                                                "name each node once",
                                                file, name, topology.name(*node)));
    else
      found.push_back(*node);
  }
  if (missing.empty()) return found;
  const std::size_t more = missing.size() > kShown ? missing.size() - kShown : 0;
  missing.resize(missing.size() - more);
  throw Error(ErrorKind::unmet,
              fmt::format("{}: lacks node{} \"{}\"{} of the allocation; add {} to the file (in "
                          "`nodes` or as [[node]]), "
                          "or name the right file with --map-by tofa:topology=FILE",
                          file, missing.size() > 1 ? "s" : "", fmt::join(missing, "\", \""),
                          more > 0 ? fmt::format(" and {} more", more) : "",
                          missing.size() > 1 ? "them" : "it"));
}

void use_topology(Inputs& inputs, const tofa_job& job, const std::string& file) {
  refuse_pipe(file);
  auto topology = read_topology(file);
  inputs.node_of = locate(job, *topology, file);
  inputs.topology_origin = fmt::format("{} ({})", topology->describe(), file);
  inputs.topology = std::move(topology);
}

void assume_flat(Inputs& inputs, const tofa_job& job, const std::string& why) {
  inputs.topology = make_flat_topology(node_names(job));
  inputs.node_of.clear();
  for (Node node = 0; node < job.node_count; ++node) inputs.node_of.push_back(node);
  inputs.topology_origin = why + "; all nodes are taken to be equally far from each other";
}

// What the site has named; else, within a job of Slurm, what Slurm itself knows.
std::string usual_topology(const SiteDefaults& site) {
  if (!site.topology.empty() || std::getenv("SLURM_JOB_ID") == nullptr) return site.topology;
  return slurm::find_topology_file();
}

// A file that was asked for must do; a default that does not is worth a warning.
void read_network(Inputs& inputs, const tofa_job& job, const Settings& settings,
                  const SiteDefaults& site, Notes& notes) {
  if (settings.topology && !settings.topology->empty())
    return use_topology(inputs, job, *settings.topology);
  const std::string usual = settings.topology ? "" : usual_topology(site);
  if (usual.empty()) return assume_flat(inputs, job, "none given");
  try {
    use_topology(inputs, job, usual);
  } catch (const std::exception& e) {
    notes.degraded(e.what(), "all nodes are taken to be equally far from each other");
    assume_flat(inputs, job, "the usual one does not do");
  }
}

// --- suspect nodes ---

std::string query_program(const tofa_job& job, const Settings& settings) {
  if (!settings.query_program.empty()) return settings.query_program;
  const std::string beside = job.component_dir ? std::string(job.component_dir) + "/../../bin" : "";
  return find_query_program(beside);
}

// Asks the health service. Throws Error (unavailable) also when it knows none of the nodes of this
// job.
OutageList ask_health(const tofa_job& job, const Settings& settings, const std::string& uri) {
  HealthQuery query;
  query.uri = uri;
  query.program = query_program(job, settings);
  OutageList list = query_health(query);
  const auto allocation = make_flat_topology(node_names(job));
  const bool knows_one =
      std::any_of(list.begin(), list.end(), [&allocation](const HostOutage& outage) {
        return allocation->find(outage.host).has_value();
      });
  if (!knows_one)
    throw Error(ErrorKind::unavailable,
                fmt::format("the answer of the health service at {} is about other hosts ({} of "
                            "them{}), none of this "
                            "allocation; check the address",
                            uri, list.size(),
                            list.empty() ? "" : fmt::format(", e.g. {}", list.front().host)));
  return list;
}

struct OutageSources {
  std::string file, uri;
};

// A source that was asked for replaces the defaults of the site.
OutageSources outage_sources(const Settings& settings, const SiteDefaults& site) {
  if (settings.outages || settings.health)
    return {settings.outages.value_or(""), settings.health.value_or("")};
  return {site.outages, site.health};
}

void read_suspects(Inputs& inputs, const tofa_job& job, const Settings& settings,
                   const SiteDefaults& site, Notes& notes) {
  const OutageSources sources = outage_sources(settings, site);
  OutageList all;
  std::vector<std::string> origins;
  const auto add = [&](const std::string& origin, auto&& read) {
    try {
      const OutageList list = read();
      all.insert(all.end(), list.begin(), list.end());
      origins.push_back(fmt::format("{} ({} hosts)", origin, list.size()));
    } catch (const std::exception& e) {
      notes.degraded(e.what(), origins.empty() ? "no node is taken to be suspect"
                                               : "only the other source is used");
    }
  };
  if (!sources.file.empty())
    add(sources.file, [&] {
      refuse_pipe(sources.file);
      return read_outages(sources.file);
    });
  if (!sources.uri.empty())
    add("health service at " + sources.uri, [&] { return ask_health(job, settings, sources.uri); });
  const double horizon = settings.horizon ? *settings.horizon : slurm::horizon_of_this_job(all);
  inputs.outages = OutageMap(worst_of(over_horizon(all, horizon)), *inputs.topology);
  if (horizon > 0 && !origins.empty())
    origins.push_back(fmt::format("for a job of up to {:.0f} s", horizon));
  const bool asked = !sources.file.empty() || !sources.uri.empty();
  inputs.outages_origin = !origins.empty() ? fmt::format("{}", fmt::join(origins, ", "))
                          : asked          ? "not available; no node is taken to be suspect"
                                           : "none given; no node is taken to be suspect";
}

}  // namespace

void Notes::degraded(const std::string& problem, const std::string& instead) {
  if (strict_)
    throw Error(ErrorKind::unmet,
                problem + " (with `strict`, a job that cannot be placed as asked does not start)");
  warnings_.push_back(problem + "; " + instead);
}

Inputs read_inputs(const tofa_job& job, const Settings& settings, unsigned ranks, Notes& notes) {
  Inputs inputs;
  const SiteDefaults site = site_defaults(notes);
  read_network(inputs, job, settings, site, notes);
  read_graph(inputs, settings, ranks, notes);
  read_suspects(inputs, job, settings, site, notes);
  return inputs;
}

}  // namespace tofa::planner
