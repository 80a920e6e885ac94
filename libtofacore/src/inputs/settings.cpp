// SPDX-License-Identifier: BSD-3-Clause
// The table of settings: see tofa/settings.hpp. Compiled by itself and without what places, so that
// the plugin, which only hands its settings on, does not load all of that into srun.
#include "tofa/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa {
namespace {

constexpr unsigned kCommand = static_cast<unsigned>(FrontEnd::command);
constexpr unsigned kMapper = static_cast<unsigned>(FrontEnd::mapper);
constexpr unsigned kPlugin = static_cast<unsigned>(FrontEnd::plugin);
constexpr unsigned kAll = kCommand | kMapper | kPlugin;

constexpr double kShortestLimit = 0.001;  // seconds
constexpr double kLongestLimit = 1e6;
constexpr double kHighestAbortCost = 1e9;

[[noreturn]] void refuse(std::string_view value, std::string_view expected) {
  throw Error(ErrorKind::bad_input, fmt::format("{} is not {}", excerpt(value), expected));
}

void set_horizon(PlacementSettings& settings, std::string_view value) {
  const auto seconds = value.empty() ? 0 : parse_duration(value);
  if (!seconds) refuse(value, "a time, such as 90s, 1h30m or 1-12:00:00");
  settings.horizon = seconds;
}

void set_abort_cost(PlacementSettings& settings, std::string_view value) {
  const auto cost = parse_number<double>(value);
  if (!cost || !(*cost >= 0 && *cost <= kHighestAbortCost)) refuse(value, "a number from 0 to 1e9");
  settings.abort_cost = *cost;
}

void set_time_limit(PlacementSettings& settings, std::string_view value) {
  const auto seconds = parse_number<double>(value);
  if (!seconds || !(*seconds >= kShortestLimit && *seconds <= kLongestLimit))
    refuse(value, "a number of seconds from 0.001 to 1000000");
  settings.time_limit = *seconds;
}

void set_seed(PlacementSettings& settings, std::string_view value) {
  const auto seed = parse_number<std::uint64_t>(value);
  if (!seed) refuse(value, "a non-negative integer");
  settings.seed = *seed;
}

void set_log(PlacementSettings& settings, std::string_view value) {
  if (!value.empty() && value != "syslog" && value.front() != '/')
    refuse(value, "syslog or a file's whole path");
  settings.log = value;
}

// For a member that is a text, or one that may be missing.
template <auto member>
void set_text(PlacementSettings& settings, std::string_view value) {
  settings.*member = std::string(value);
}

template <bool PlacementSettings::*member>
void set_switch(PlacementSettings& settings, std::string_view value) {
  settings.*member = parse_switch(value);
}

using Values = PlacementSettings;

constexpr Setting kSettings[] = {
    {.name = "tofa",
     .offered_by = kPlugin,
     .value = "PATH",
     .help = "The program tofa, where it is not installed beside the plugin",
     .set = set_text<&Values::program>},
    {.name = "off",
     .offered_by = kPlugin,
     .value = nullptr,
     .help = "Take the option --tofa and do nothing: every step is Slurm's to place",
     .default_value = "0",
     .set = set_switch<&Values::off>},
    {.name = "graph",
     .offered_by = kCommand | kMapper,
     .value = "FILE",
     .help = "Who talks to whom: the common stem of a profile's two files, or a Matrix Market, "
             "Open MPI .prof, dense or Scotch file",
     .otherwise = "ranks are taken to talk to their neighbours in rank order",
     .set = set_text<&Values::graph>},
    {.name = "topology",
     .offered_by = kAll,
     .value = "FILE",
     .help = "Topology file of the network (default: $TOFA_TOPOLOGY, then the site file)",
     .otherwise = "all nodes are taken to be equally far from each other",
     .is_input = true,
     .set = set_text<&Values::topology>},
    {.name = "outages",
     .offered_by = kAll,
     .value = "FILE",
     .help = "Outage probabilities of nodes: lines `host probability`, or the JSON of tofa health "
             "list (default: $TOFA_OUTAGES, then the site file)",
     .otherwise = "no node is taken to be suspect",
     .level = 2,
     .is_input = true,
     .set = set_text<&Values::outages>},
    {.name = "health",
     .offered_by = kAll,
     .value = "URI",
     .help = "Ask this health service, IP:PORT (default: $TOFA_HEALTH, then the site file)",
     .otherwise = "no node is taken to be suspect",
     .level = 2,
     .is_input = true,
     .set = set_text<&Values::health>},
    {.name = "link_load",
     .offered_by = kAll,
     .value = "FILE|URL",
     .help =
         "What other jobs put on the links: lines `from to bytes_per_second [stalls]`, CSV with "
         "times as LDMS stores it, or the address of a Prometheus server (default: "
         "$TOFA_LINK_LOAD, then the site file)",
     .otherwise = "all links are taken to be free",
     .level = 2,
     .is_input = true,
     .set = set_text<&Values::link_load>},
    {.name = "machine",
     .offered_by = kCommand,
     .value = "FILE",
     .help = "What a node looks like inside, to put partners on neighbouring cores: hwloc XML, "
             "\"package:2 l3:2 core:4\", or local (default: $TOFA_MACHINE, then the site file)",
     .is_input = true,
     .set = set_text<&Values::machine>},
    {.name = "horizon",
     .offered_by = kCommand | kMapper,
     .value = "DURATION",
     .help = "How long the job may run (90, 1h30m, 2-00:00:00): also count how likely nodes fail "
             "within that time, where their rate of outages is known; 0 is now (default: when "
             "placing, what is left of the time limit of the Slurm job; else one hour where the "
             "health service publishes that; else now)",
     .level = 3,
     .set = set_horizon},
    {.name = "gres",
     .offered_by = kCommand | kMapper,
     .value = "NEED",
     .help = "Ranks that must have a unit of a resource that the topology file gives to nodes: "
             "fpga:0-3+8 names them, fpga=4 is any four; semicolons separate several",
     .option = "--bind-gres",
     .level = 2,
     .set = [](Values& settings, std::string_view value) { settings.needs.emplace_back(value); }},
    {.name = "mapper",
     .offered_by = kCommand | kMapper,
     .value = "NAME",
     .help = "Algorithm; auto is the best of all, refined",
     .default_value = "auto",
     .level = 3,
     .set = set_text<&Values::mapper>},
    {.name = "objective",
     .offered_by = kAll,
     .value = "NAME",
     .help = "What is to be low",
     .default_value = "completion-time",
     .level = 2,
     .set = set_text<&Values::objective>},
    {.name = "pair_cost",
     .offered_by = kAll,
     .value = "NAME",
     .help = "What the way between two nodes costs, where links are not alike: its hops, the "
             "bandwidth that is left, or the time that its links are stalled",
     .default_value = "bandwidth",
     .level = 3,
     .set = [](Values& settings,
               std::string_view value) { settings.pair_cost.measure = parse_measure(value); }},
    {.name = "over_route",
     .offered_by = kAll,
     .value = "NAME",
     .help = "How the costs of the links of a way become that of the way",
     .default_value = "sum",
     .level = 3,
     .set = [](Values& settings,
               std::string_view value) { settings.pair_cost.reduction = parse_reduction(value); }},
    {.name = "abort_cost",
     .offered_by = kAll,
     .value = "NUMBER",
     .help = "Objective completion-time only: what an abort costs the job, in units of its "
             "communication time; more makes longer ways around suspect nodes worth it",
     .default_value = "20",
     .level = 3,
     .set = set_abort_cost},
    {.name = "effort",
     .offered_by = kAll,
     .value = "NAME",
     .help = "How much is searched; what the machine is busy with changes nothing",
     .default_value = "normal",
     .level = 3,
     .set = [](Values& settings,
               std::string_view value) { settings.effort = parse_effort(value); }},
    {.name = "seed",
     .offered_by = kCommand | kMapper,
     .value = "NUMBER",
     .help = "Same seed and input, same mapping",
     .default_value = "1",
     .level = 5,
     .set = set_seed},
    {.name = "time_limit",
     .offered_by = kAll,
     .value = "SECONDS",
     .help = "Most seconds that placing may take, for the command with reading; a search that "
             "would run late is cut short",
     .default_value = "5",
     .level = 3,
     .set = set_time_limit},
    {.name = "strict",
     .offered_by = kMapper | kPlugin,
     .value = nullptr,
     .help = "Refuse to start the job, instead of warning, when it cannot be placed with "
             "everything that was asked for",
     .default_value = "0",
     .level = 2,
     .set = set_switch<&Values::strict>},
    {.name = "report",
     .offered_by = kMapper,
     .value = nullptr,
     .help = "Print to stderr what was read and assumed, what the placement is predicted to gain "
             "over the default, and which nodes were avoided",
     .default_value = "0",
     .set = set_switch<&Values::report>},
    {.name = "log",
     .offered_by = kMapper | kPlugin,
     .value = "syslog|FILE",
     .help = "Write a line for each job that asked, to syslog or to a file that all users may "
             "write to; tofa report --site sums them up",
     .set = set_log},
    {.name = "spawn",
     .offered_by = kMapper,
     .value = nullptr,
     .help = "The job is going to spawn others: also start daemons on healthy nodes that hold no "
             "rank, to have room for them",
     .default_value = "0",
     .level = 4,
     .set = set_switch<&Values::spawn>},
    {.name = "query_program",
     .offered_by = kMapper,
     .value = "PATH",
     .help = "Program that asks the health service (default: tofa-query beside the component's "
             "installation, then in PATH)",
     .level = 6,
     .set = set_text<&Values::query_program>},
};

}  // namespace

std::span<const Setting> all_settings() {
  return kSettings;
}

std::vector<const Setting*> settings_of(FrontEnd front_end) {
  std::vector<const Setting*> offered;
  for (const Setting& setting : kSettings)
    if (setting.offered(front_end)) offered.push_back(&setting);
  return offered;
}

std::vector<std::string> setting_names(FrontEnd front_end) {
  std::vector<std::string> names;
  for (const Setting* setting : settings_of(front_end)) names.emplace_back(setting->name);
  return names;
}

const Setting* find_setting(std::string_view name, FrontEnd front_end) {
  const auto found = std::find_if(
      std::begin(kSettings), std::end(kSettings),
      [&](const Setting& setting) { return setting.name == name && setting.offered(front_end); });
  return found == std::end(kSettings) ? nullptr : &*found;
}

std::string option_name(const Setting& setting) {
  if (setting.option != nullptr) return setting.option;
  std::string name = std::string("--") + setting.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

bool parse_switch(std::string_view text) {
  for (const char* word : {"1", "true", "yes", "on"})
    if (text == word) return true;
  for (const char* word : {"0", "false", "no", "off"})
    if (text == word) return false;
  refuse(text, "1 or 0");
}

}  // namespace tofa
