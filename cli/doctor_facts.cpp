// SPDX-License-Identifier: BSD-3-Clause
// Looking at the machine: see doctor_facts.hpp.
#include "doctor_facts.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <utility>

#include "slurm_client.hpp"
#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/health_query.hpp"
#include "tofa/inputs.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kDeadline = 10;      // seconds
constexpr double kSlurmDeadline = 3;  // without a slurm.conf, srun looks for a controller for long
constexpr double kStale = 600;        // as launchers see it

std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                      double deadline = kDeadline) {
  return run_and_check(program, arguments, {.deadline_seconds = deadline}, program);
}

std::vector<fs::path> components_in(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const char* name :
       {"mca_rmaps_tofa.so", "mca_pml_tofa.so", "mca_topo_tofa.so", "mca_op_tofa.so"})
    if (path_exists(folder / name)) found.push_back(folder / name);
  return found;
}

// Where this installation, or build, keeps what others load.
fs::path own_folder() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path().parent_path() / "lib/tofa").lexically_normal();
}

// `libscotch-7.0.so => not found`
void add_missing_libraries(const fs::path& file, std::vector<std::string>& missing) {
  const std::string text = output_of("ldd", {file});
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string name(next_word(rest));
    if (rest.find("not found") == std::string_view::npos) continue;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  }
}

std::vector<ComponentFolder> component_folders(const std::string& path) {
  std::vector<ComponentFolder> folders;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    if (!folder.empty())
      folders.push_back({folder, path_exists(folder), !components_in(folder).empty()});
    begin = end + 1;
  }
  return folders;
}

// --- inputs ---

void find_site_file(InputFacts& facts) {
  facts.site_file.value = site_file_path();
  if (!path_exists(facts.site_file.value)) {
    facts.site_file.value.clear();
    return;
  }
  try {
    load_site_defaults();
    facts.site_file.found = facts.site_file.value;
  } catch (const std::exception& error) {
    facts.site_file.problem = error.what();
  }
}

SiteDefaults defaults_that_count() {
  try {
    return load_site_defaults();
  } catch (const std::exception&) {
    return load_environment_defaults();
  }
}

std::string named_by(const SiteDefaults& defaults, const std::string& key) {
  const auto entry = defaults.named_by.find(key);
  return entry == defaults.named_by.end() ? "" : entry->second;
}

// By the rules that jobs go by; what they warn of does not work.
NetworkInput find_topology(SourceFacts& facts, const SiteDefaults& defaults,
                           const std::vector<std::string>& nodes) {
  facts.value = defaults.topology.empty() ? slurm::find_topology_file() : defaults.topology;
  const bool nothing_named = facts.value.empty() && nodes.empty();
  if (nothing_named && defaults.health.empty()) return {};
  InputNotes notes(Leniency::launcher);
  InputRequest request;
  request.nodes = nodes;
  request.manager = slurm::resource_manager();
  try {
    InputReader reader(std::move(request), notes);
    NetworkInput network = reader.network();
    for (const std::string& warning : notes.warnings()) {
      if (warning.find("the site's defaults are ignored") == std::string::npos)
        facts.problem = warning;
    }
    if (network.assumed) return network;
    if (!network.service.empty()) facts.value = network.service;
    facts.found = fmt::format(
        "{}{}", network.origin,
        nodes.empty() ? fmt::format(", {} nodes", network.topology->nodes())
                      : fmt::format(", with all of the {} nodes of the job", nodes.size()));
    return network;
  } catch (const std::exception& error) {
    if (!nothing_named) facts.problem = error.what();  // else the service hands out none
    return {};
  }
}

std::string suspects_in(const OutageList& outages) {
  const auto count = std::count_if(outages.begin(), outages.end(),
                                   [](const HostOutage& outage) { return outage.probability > 0; });
  return fmt::format("{} hosts, {} of them suspect", outages.size(), count);
}

std::vector<std::string> unknown_hosts(const OutageList& outages, const NetworkInput& network) {
  std::vector<std::string> unknown;
  if (!network.topology || network.assumed) return unknown;
  for (const HostOutage& outage : outages)
    if (!network.topology->find(outage.host)) unknown.push_back(outage.host);
  return unknown;
}

void find_outages(SourceFacts& facts, const SiteDefaults& defaults, const NetworkInput& network) {
  facts.value = defaults.outages;
  facts.named_by = named_by(defaults, "outages");
  if (facts.value.empty()) return;
  try {
    const OutageList outages = read_outages(facts.value);
    facts.found = fmt::format("{}: {}", facts.value, suspects_in(outages));
    std::vector<std::string> unknown = unknown_hosts(outages, network);
    if (unknown.empty()) return;
    const std::size_t count = unknown.size();
    unknown.resize(std::min<std::size_t>(count, 3));
    facts.remark = fmt::format("{} of them are not in the topology: {}{}", count,
                               fmt::join(unknown, ", "), count > unknown.size() ? ", ..." : "");
  } catch (const std::exception& error) {
    facts.problem = error.what();
  }
}

void find_health(SourceFacts& facts, const SiteDefaults& defaults, const NetworkInput& network) {
  facts.value = defaults.health;
  facts.named_by = named_by(defaults, "health");
  if (facts.value.empty()) return;
  try {
    HealthQuery query = trusted_by(defaults, {.uri = facts.value});
    query.max_age_seconds = std::numeric_limits<double>::infinity();
    const OutageList outages = query_health(query);
    double newest = std::numeric_limits<double>::infinity();
    for (const HostOutage& outage : outages) newest = std::min(newest, outage.age_seconds);
    facts.found = fmt::format("{} answers: {}", facts.value, suspects_in(outages));
    if (outages.empty()) {
      facts.problem = facts.value + " answers, but knows no hosts; see man tofa-healthd";
    } else if (newest > kStale) {
      facts.problem = fmt::format(
          "{} answers, but its newest estimate is {:.0f} s old, which is stale; is tofa-healthd "
          "running?",
          facts.value, newest);
    } else if (unknown_hosts(outages, network).size() == outages.size()) {
      facts.problem = fmt::format(
          "{} answers about other hosts ({} of them, e.g. {}); check the "
          "address",
          facts.value, outages.size(), outages.front().host);
    } else {
      facts.found += fmt::format(
          ", the newest estimate is {:.0f} s old, {}", newest,
          query.key.empty() ? "unchecked (no health_key)" : fmt::format("signed ({})", query.key));
    }
  } catch (const std::exception& error) {
    facts.problem = error.what();
  }
}

// --- Slurm ---

// With the files that it includes in their places, one level deep, as far as they can be read.
std::string read_plugstack(const fs::path& file) {
  const std::string text = read_file(file);
  std::string all;
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line.substr(0, line.find('#'));
    all += fmt::format("{}\n", line);
    if (next_word(rest) != "include") continue;
    const fs::path pattern = file.parent_path() / std::string(trim(rest));
    glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) all += read_file(found.gl_pathv[i]) + "\n";
    }
    ::globfree(&found);
  }
  return all;
}

// The release that the plugin was built for. Loading it is what srun does, too.
void load_plugin(SlurmFacts& facts) {
  if (!path_exists(facts.plugin)) {
    facts.plugin_problem = "there is no such file";
    return;
  }
  void* plugin = ::dlopen(facts.plugin.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (plugin == nullptr) {
    facts.plugin_problem = fmt::format("it cannot be loaded: {}", ::dlerror());
    return;
  }
  const void* version = ::dlsym(plugin, "plugin_version");
  if (version == nullptr) {
    facts.plugin_problem = "it is no plugin of Slurm's";
  } else {
    facts.built_for = *static_cast<const unsigned*>(version);
  }
  ::dlclose(plugin);
}

// "slurm 22.05.8", "slurm-wlm 24.11.5"
std::string slurm_version() {
  try {
    const std::string text = output_of("srun", {"--version"}, kSlurmDeadline);
    std::string_view line = trim(std::string_view(text).substr(0, text.find('\n')));
    line.remove_prefix(std::min(line.size(), line.rfind(' ') + 1));
    return std::string(line);
  } catch (const Error&) {
    return "";
  }
}

// Of `scontrol show config`: "SchedulerParameters     = defer,bf_interval=30"
std::string scheduler_parameters() {
  try {
    const std::string text = output_of("scontrol", {"show", "config"}, kSlurmDeadline);
    const std::string setting = value_behind(text, "SchedulerParameters");
    return std::string(trim(std::string_view(setting).substr(setting.find('=') + 1)));
  } catch (const Error&) {
    return "";
  }
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const ComponentFolder& folder : component_folders(path == nullptr ? "" : path))
    if (path_exists(fs::path(folder.path) / program)) return true;
  return false;
}

}  // namespace

std::string value_behind(const std::string& text, const std::string& key) {
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    if (!line.starts_with(key)) continue;
    line = trim(line.substr(key.size()));
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"')
      line = line.substr(1, line.size() - 2);
    return std::string(line);
  }
  return "";
}

std::string plugin_named_by(const std::string& plugstack) {
  LineReader lines(plugstack);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line.substr(0, line.find('#'));
    const std::string_view word = next_word(rest);
    if (word != "optional" && word != "required") continue;
    const std::string_view plugin = next_word(rest);
    if (plugin.ends_with("spank_tofa.so")) return std::string(plugin);
  }
  return "";
}

OpenMpiFacts find_open_mpi() {
  OpenMpiFacts facts;
  facts.own_folder = components_in(own_folder()).empty() ? "" : own_folder().string();
  std::string text;
  try {
    text = output_of("ompi_info", {"--parsable", "--all", "--level", "9"});
  } catch (const Error& error) {
    facts.problem = error.what();
    return facts;
  }
  const auto parameter = [&text](const std::string& where, const std::string& what) {
    return value_behind(text, fmt::format("mca:{}:base:param:{}:", where, what));
  };
  facts.version = value_behind(text, "ompi:version:full:");
  facts.stock = value_behind(text, "path:pkglibdir:");
  facts.path = component_folders(parameter("mca", "mca_base_component_path:value"));
  facts.path_source = parameter("mca", "mca_base_component_path:source");
  facts.has_mapper = text.find("\nmca:rmaps:tofa:version:") != std::string::npos;
  facts.has_monitor = text.find("\nmca:pml:tofa:version:") != std::string::npos;
  facts.has_topologies = text.find("\nmca:topo:tofa:version:") != std::string::npos &&
                         text.find("\nmca:op:tofa:version:") != std::string::npos;
  facts.merged = find_merged_parameters(parameter("mca", "mca_base_param_files:value"));
  facts.mapping_policy = parameter("rmaps", "rmaps_base_mapping_policy:value");
  facts.pml = parameter("pml", "pml:value");
  if (facts.has_mapper && facts.has_monitor && facts.has_topologies) return facts;
  for (const ComponentFolder& folder : facts.path) {
    for (const fs::path& component : components_in(folder.path))
      add_missing_libraries(component, facts.missing);
  }
  return facts;
}

InputFacts find_inputs(const std::vector<std::string>& nodes) {
  InputFacts facts;
  find_site_file(facts);
  const SiteDefaults defaults = defaults_that_count();
  const NetworkInput network = find_topology(facts.topology, defaults, nodes);
  find_outages(facts.outages, defaults, network);
  try {
    facts.query_program = find_query_program();
    find_health(facts.health, defaults, network);
  } catch (const Error& error) {
    facts.query_problem = error.what();
    facts.health.value = defaults.health;
    facts.health.problem = defaults.health.empty() ? "" : "cannot be asked without tofa-query";
  }
  return facts;
}

SlurmFacts find_slurm() {
  SlurmFacts facts;
  facts.installed = in_path("srun");
  if (!facts.installed) return facts;
  facts.version = slurm_version();
  const fs::path own = own_folder() / "spank_tofa.so";
  if (path_exists(own)) facts.own_plugin = own;
  for (const fs::path& folder : slurm::configuration_folders()) {
    if (!path_exists(folder / "plugstack.conf")) continue;
    facts.plugstack = folder / "plugstack.conf";
    break;
  }
  if (facts.plugstack.empty()) return facts;
  try {
    facts.plugin = plugin_named_by(read_plugstack(facts.plugstack));
  } catch (const Error&) {
    return facts;  // only root may read it
  }
  if (facts.plugin.empty()) return facts;
  load_plugin(facts);
  if (!facts.version.empty()) facts.scheduler = scheduler_parameters();
  return facts;
}

}  // namespace tofa::cli
