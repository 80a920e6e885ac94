// SPDX-License-Identifier: BSD-3-Clause
// `tofa select`: which of the idle nodes a job should ask for, and where its ranks go on them. What
// is chosen from is found here; the choice is select_nodes().
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "common_options.hpp"
#include "progress_line.hpp"
#include "report.hpp"
#include "slurm_client.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostfile.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/placement_cache.hpp"
#include "tofa/placement_report.hpp"
#include "tofa/select_nodes.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

struct SelectOptions {
  PlacementRequest request;
  bool slots_given = false;
  Rank ranks = 0;
  std::string partition;
  std::string excluded;
  slurm::RankNeeds needs;
  std::string mem_per_cpu;
  std::string gres_per_task;
  std::string gres;
  unsigned node_count = 0;  // as many as are good
  bool cached = false;
  std::string format = "nodes";
  bool json = false;
};

enum class Ready { now, soon, late };  // as it is; behind its last job; once it is powered up

// A node to choose from, by the name that who asks knows it by; the topology may add a domain.
struct Host {
  std::string name;
  unsigned slots = 0;
  Ready ready = Ready::now;
};

struct Candidates {
  Allocation nodes;
  std::map<Node, std::string> name_of;
};

// A host that is named twice has twice the slots.
std::vector<Host> named_hosts(const SelectOptions& options) {
  std::vector<Host> hosts;
  std::map<std::string, std::size_t> place;
  for (const std::string& name : expand_hostlist(options.request.nodes)) {
    const auto [entry, is_new] = place.emplace(name, hosts.size());
    if (is_new) hosts.push_back({name, 0});
    hosts[entry->second].slots += options.request.slots;
  }
  return hosts;
}

// Whether one of the names means this host: its short name does as well as its qualified one, see
// same_host().
bool is_among(const std::set<std::string>& names, const std::string& host) {
  if (names.contains(host)) return true;
  const auto longer = names.lower_bound(host + ".");
  if (longer != names.end() && same_host(*longer, host)) return true;
  for (std::size_t dot = host.find('.'); dot != std::string::npos; dot = host.find('.', dot + 1))
    if (names.contains(host.substr(0, dot))) return true;
  return false;
}

std::set<std::string> excluded_hosts(const SelectOptions& options) {
  const auto list = expand_hostlist(options.excluded);
  return {list.begin(), list.end()};
}

std::vector<Host> without_excluded(const SelectOptions& options, std::vector<Host> hosts) {
  const std::set<std::string> excluded = excluded_hosts(options);
  if (const unsigned most = options.needs.ranks_per_node; most > 0) {
    for (Host& host : hosts) host.slots = std::min(host.slots, most);
  }
  std::erase_if(hosts, [&excluded](const Host& host) {
    return host.slots == 0 || is_among(excluded, host.name);
  });
  return hosts;
}

// A node takes as many ranks as its processors allow, unless the number of slots is given.
std::vector<Host> hosts_of_partition(const SelectOptions& options, const slurm::FreeNodes& nodes) {
  std::vector<Host> hosts;
  const auto add = [&](const std::vector<slurm::NodeResources>& some, Ready ready) {
    for (const slurm::NodeResources& node : some) {
      const unsigned slots =
          options.slots_given ? options.request.slots : slurm::ranks_on(node, options.needs);
      hosts.push_back({node.name, slots, ready});
    }
  };
  add(nodes.idle, Ready::now);
  add(nodes.completing, Ready::soon);
  add(nodes.asleep, Ready::late);
  return without_excluded(options, std::move(hosts));
}

std::vector<slurm::FreeNodes> ask_slurm(const SelectOptions& options, double patience_seconds) {
  try {
    return slurm::find_free_nodes(options.partition, patience_seconds);
  } catch (const Error& error) {
    if (options.request.inputs.best_effort) throw;
    throw Error(error.kind(),
                fmt::format("{}; name the nodes to choose from (--nodes)", error.what()));
  }
}

std::uint64_t places_on(const std::vector<Host>& hosts) {
  std::uint64_t places = 0;
  for (const Host& host : hosts) places += host.slots;
  return places;
}

bool fits_now(const SelectOptions& options, std::vector<Host> hosts) {
  std::erase_if(hosts, [](const Host& host) { return host.ready != Ready::now; });
  return places_on(hosts) >= options.ranks && hosts.size() >= options.node_count;
}

// A job runs in one partition: the first of those named in which it fits now, else the one that has
// most. Where only a graph says how many ranks there are, that is not known here.
std::vector<Host> free_hosts(const SelectOptions& options, double patience_seconds) {
  std::vector<Host> most;
  for (const slurm::FreeNodes& nodes : ask_slurm(options, patience_seconds)) {
    auto hosts = hosts_of_partition(options, nodes);
    if (options.ranks > 0 && fits_now(options, hosts)) return hosts;
    if (places_on(hosts) > places_on(most)) most = std::move(hosts);
  }
  return most;
}

bool waits_for_completing(const SelectOptions& options, const std::vector<Host>& hosts) {
  const bool any = std::any_of(hosts.begin(), hosts.end(),
                               [](const Host& host) { return host.ready == Ready::soon; });
  return any && !fits_now(options, hosts);
}

// Behind a job of the same user most nodes are completing, as a rule for less than three seconds,
// and without us the job would wait for them in Slurm's queue. A launcher waits for so long, so
// that such a job is placed, too; if they take longer, it leaves to Slurm what to do.
std::vector<Host> free_hosts_for_launcher(const SelectOptions& options) {
  using Clock = std::chrono::steady_clock;
  // Less than the launcher has, so that it is told who did not answer.
  constexpr double patience = 2;
  constexpr double for_completing = 3;
  constexpr std::chrono::milliseconds pause(200);
  const auto start = Clock::now();
  const auto waited = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  auto hosts = free_hosts(options, patience);
  while (waits_for_completing(options, hosts) && waited() < for_completing) {
    std::this_thread::sleep_for(pause);
    hosts = free_hosts(options, patience);
  }
  std::erase_if(hosts, [](const Host& host) { return host.ready == Ready::soon; });
  return hosts;
}

std::vector<Host> find_hosts(const SelectOptions& options) {
  constexpr double patience = 10;  // seconds
  std::vector<Host> hosts;
  if (!options.request.nodes.empty()) {
    hosts = without_excluded(options, named_hosts(options));
  } else if (options.request.inputs.best_effort) {
    hosts = free_hosts_for_launcher(options);
  } else {
    hosts = free_hosts(options, patience);
  }
  if (hosts.empty()) {
    throw Error(ErrorKind::unmet, options.request.nodes.empty()
                                      ? "Slurm says of no node that it is idle and takes a rank"
                                      : "no node is left to choose from; name others (--nodes)");
  }
  return hosts;
}

PlacementInputs inputs_for(const SelectOptions& options, const std::vector<Host>& hosts) {
  std::vector<std::string> names;
  names.reserve(hosts.size());
  for (const Host& host : hosts) names.push_back(host.name);
  return load_inputs(options.request.inputs, std::move(names), options.ranks,
                     options.request.nodes.empty());
}

// Slurm's nodes that the topology lacks are left out; named ones must be there. Those that are not
// ready are candidates where the job does not fit on the others: just behind a job of the same user
// most nodes may be completing, and to power nodes up takes minutes.
Candidates make_candidates(const SelectOptions& options, const std::vector<Host>& hosts,
                           const PlacementInputs& inputs) {
  const Topology& topology = *inputs.topology;
  const auto fits = [&](const Allocation& nodes) {
    return total_slots(nodes) >= inputs.graph.ranks() && nodes.size() >= options.node_count;
  };
  Candidates candidates;
  for (const Host& host : hosts) {
    if (host.ready != Ready::now && fits(candidates.nodes)) continue;
    const auto node = topology.find(host.name);
    if (!node && !options.request.nodes.empty()) {
      throw Error(ErrorKind::unmet,
                  fmt::format("node \"{}\" of --nodes is not in the topology ({}); add it there or "
                              "leave it out",
                              host.name, topology.describe()));
    }
    if (node && candidates.name_of.emplace(*node, host.name).second) {
      candidates.nodes.push_back({*node, host.slots});
    }
  }
  if (candidates.nodes.empty()) {
    throw Error(ErrorKind::unmet,
                "none of Slurm's idle nodes is in the topology; name the nodes to choose from "
                "(--nodes)");
  }
  if (const std::uint64_t slots = total_slots(candidates.nodes);
      options.request.nodes.empty() && slots < inputs.graph.ranks()) {
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks need as many slots, but Slurm's {} idle nodes have {}; name "
                            "the nodes to choose from (--nodes), and the job waits for them",
                            inputs.graph.ranks(), candidates.nodes.size(), slots));
  }
  return candidates;
}

Placement choose_with_progress(const SelectOptions& options, const PlacementInputs& inputs,
                               const Candidates& candidates) {
  ProgressLine line(options.request.quiet);
  PlaceOptions place = options.request.place;
  place.progress = line.callback();
  const Selection selection{.graph = inputs.graph,
                            .topology = *inputs.topology,
                            .network = inputs.network,
                            .outages = inputs.outages,
                            .candidates = candidates.nodes,
                            .node_count = options.node_count,
                            .options = place};
  return select_nodes(selection, PlacementCache(options.cached ? user_cache_folder() : ""));
}

// The hostfile, and behind it, as comments, what a launcher tells the user and the site of it.
void print_for_launcher(const SelectOptions& options, const PlacementInputs& inputs,
                        const Placement& placement, const Candidates& candidates,
                        const std::vector<std::string>& mapping) {
  PlacementStory story{.placement = placement,
                       .outages = inputs.outages,
                       .nodes = {},
                       .graph = inputs.origins.graph,
                       .topology = inputs.origins.topology,
                       .outages_origin = inputs.origins.outages,
                       .objective = options.request.place.objective,
                       .mapper = options.request.place.mapper};
  for (const AllocationEntry& entry : candidates.nodes)
    story.nodes.push_back({candidates.name_of.at(entry.node), entry.node, entry.slots});
  std::string text = format_hostfile(mapping);
  const std::string report = format_report(story);
  LineReader lines(report);
  for (std::string_view line; lines.next(line);) text += fmt::format("#report {}\n", line);
  write_output("", text + fmt::format("#figures {}\n", format_figures(story)));
}

void print(const SelectOptions& options, const PlacementInputs& inputs, const Placement& placement,
           const Candidates& candidates) {
  const std::set<Node> used(placement.mapping.begin(), placement.mapping.end());
  std::vector<std::string> hosts;  // in the order of the candidates
  for (const AllocationEntry& entry : candidates.nodes) {
    if (used.contains(entry.node)) hosts.push_back(candidates.name_of.at(entry.node));
  }
  std::vector<std::string> mapping;
  for (const Node node : placement.mapping) mapping.push_back(candidates.name_of.at(node));
  if (options.format == "hostfile") {
    write_output("", format_hostfile(mapping));
    return;
  }
  if (options.format == "launcher") {
    print_for_launcher(options, inputs, placement, candidates, mapping);
    return;
  }
  if (options.format == "nodes" && !options.json) {
    write_output("", slurm_hostlist(hosts) + "\n");
    return;
  }
  const nlohmann::ordered_json json{{"nodes", slurm_hostlist(hosts)},
                                    {"node_count", hosts.size()},
                                    {"candidates", candidates.nodes.size()},
                                    {"chosen", metrics_json(placement.chosen)},
                                    {"default", metrics_json(placement.linear)},
                                    {"inputs", origins_json(inputs.origins)},
                                    {"mapping", mapping}};
  write_output("", json_text(json));
}

// A name that nobody knows is misspelt. Launchers pass on what is about the whole cluster, and
// without a topology the nodes that Slurm does not call idle are not known.
void warn_of_strangers(const SelectOptions& options, const PlacementInputs& inputs) {
  const bool all_known = !inputs.assumed_network || !options.request.nodes.empty();
  if (options.request.inputs.best_effort || !all_known) return;
  const Topology& topology = *inputs.topology;
  std::set<std::string> names = excluded_hosts(options);
  std::erase_if(names, [&](const auto& name) { return topology.find(name).has_value(); });
  if (names.empty()) return;
  const auto named = unique_hosts(options.request.nodes);
  std::set<std::string> known(named.begin(), named.end());
  for (Node node = 0; node < topology.nodes(); ++node) known.insert(topology.name(node));
  std::erase_if(names, [&](const auto& name) { return is_among(known, name); });
  if (names.empty()) return;
  fmt::print(stderr,
             "tofa: warning: --exclude names {}, which are no nodes to choose from and not in the "
             "topology ({}); are they misspelt?\n",
             slurm_hostlist({names.begin(), names.end()}), topology.describe());
}

void run(SelectOptions& options) {
  start(options.request);
  if (!options.mem_per_cpu.empty())
    options.needs.memory_per_cpu = slurm::parse_memory(options.mem_per_cpu);
  options.needs.gres = slurm::parse_gres(options.gres_per_task);
  options.needs.gres_of_node = slurm::parse_gres(options.gres);
  if (!options.request.inputs.settings.graph && options.ranks == 0)
    throw Error(ErrorKind::bad_input, "how many ranks? Name their number (-n) or a graph");
  const auto hosts = find_hosts(options);
  const PlacementInputs inputs = inputs_for(options, hosts);
  warn_of_strangers(options, inputs);
  const Candidates candidates = make_candidates(options, hosts, inputs);
  start_after_reading(options.request);
  const Placement placement = choose_with_progress(options, inputs, candidates);
  print(options, inputs, placement, candidates);
}

void add_slurm_options(Command& command, SelectOptions& options) {
  command.add_option("-n,--ntasks", options.ranks, "Ranks of the job (default: the graph's)")
      ->check(range(1U, kMaxRanks));
  command
      .add_option("-N,--node-count", options.node_count,
                  "Choose exactly so many nodes (default: as many as are good)")
      ->check(range(1U, kMaxRanks));
  command
      .add_option("--ntasks-per-node", options.needs.ranks_per_node,
                  "Ranks that a node takes at most")
      ->check(range(1U, kMaxRanks));
  command
      .add_option("-p,--partition", options.partition,
                  "Idle nodes of this partition (default: of Slurm's default partition)")
      ->check(kNotEmpty)
      ->excludes("--nodes");
  command.add_option("-x,--exclude", options.excluded, "Nodes not to choose")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
}

// What a rank needs of the idle nodes that Slurm names, by the names of Slurm's options.
void add_needs_options(Command& command, SelectOptions& options) {
  const auto add_number = [&](const char* name, unsigned& value, const char* description) {
    command.add_option(name, value, description)
        ->check(range(1U, kMaxRanks))
        ->excludes("--nodes")
        ->excludes("--slots");
  };
  const auto add_text = [&](const char* name, std::string& value, const char* description,
                            const char* type) {
    command.add_option(name, value, description)
        ->check(kNotEmpty)
        ->type_name(type)
        ->excludes("--nodes")
        ->excludes("--slots");
  };
  slurm::RankNeeds& needs = options.needs;
  add_number("-c,--cpus-per-task", needs.cpus, "Processors a rank takes (default: 1)");
  add_number("--ntasks-per-core", needs.ranks_per_core, "Ranks that a core takes at most");
  add_number("--ntasks-per-socket", needs.ranks_per_socket, "Ranks that a socket takes at most");
  add_number("--ntasks-per-gpu", needs.ranks_per_gpu, "Ranks that a GPU takes at most");
  add_number("--threads-per-core", needs.threads_per_core, "Hyper-threads used of a core at most");
  add_text("--mem-per-cpu", options.mem_per_cpu, "Memory of each processor, in MiB (or 2G)",
           "SIZE");
  add_text("--gres-per-task", options.gres_per_task,
           "What each rank needs: gpu:1, gpu:a100:2,nic:1", "LIST");
  add_text("--gres", options.gres, "What each node must have", "LIST");
}

void add_select(Command& command) {
  auto options = std::make_shared<SelectOptions>();
  add_placement_options(command, options->request);
  command.get_option("--graph")->required(false);
  command.get_option("--nodes")->description(
      "Nodes to choose from, in order (default: those that Slurm says are idle)");
  command.get_option("--slots")->description(
      "Ranks a node takes (default: as many as its processors allow, 1 with --nodes)");
  add_slurm_options(command, *options);
  add_needs_options(command, *options);
  command
      .add_option(
          "--format", options->format,
          "nodes; hostfile, with the node of every rank; launcher, a hostfile with a report "
          "in lines with #; or json")
      ->capture_default_str()
      ->check(one_of({"nodes", "hostfile", "launcher", "json"}));
  command.add_flag("--cached", options->cached,
                   "Remember placements in the user's cache folder, and search only for new ones");
  command.add_flag("--json", options->json, "Short for --format json: with all costs")
      ->excludes("--format");
  command.footer(
      "Examples:\n"
      "  sbatch -n 64 -w \"$(tofa select --graph app)\" job.sh\n"
      "  tofa select -n 64 --topology torus.toml --nodes 'n[000-511]' --outages outages.txt "
      "--json");
  command.callback([options, &command] {
    options->slots_given = command.count("--slots") > 0;
    run(*options);
  });
}

}  // namespace

extern constexpr Subcommand kSelectCommand{"select", "Choose nodes for a job among the idle ones",
                                           add_select};

}  // namespace tofa::cli
