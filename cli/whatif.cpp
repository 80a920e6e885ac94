// SPDX-License-Identifier: BSD-3-Clause
// `tofa whatif`: what a site's jobs would have gained, had their nodes been chosen otherwise. What
// is replayed and how is in tofa/replay.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "common_options.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"
#include "whatif_plots.hpp"
#include "whatif_report.hpp"

namespace tofa::cli {
namespace {

struct WhatifOptions {
  std::string jobs;
  Inputs inputs;
  std::string outages;
  std::string traffic;
  std::string policies;
  std::string communications = "0.3";
  std::string hours;
  std::string warm_up = "0s";
  std::string interval = "30s";
  std::string window = "1d";
  unsigned depth = 500;
  unsigned cores = 0;
  std::uint64_t seed = 1;
  std::string schedule;
  std::string plots;
  std::string output;
  bool json = false;
  bool choice_times = false;
  unsigned generate = 0;
};

// Of a processor, so that other work on this machine counts little.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const char* option, const std::string& text) {
  if (const auto seconds = parse_duration(text)) return *seconds;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} {}: a time like 30s, 1h or 2d is expected", option, excerpt(text)));
}

// Numbers with commas between them.
std::vector<double> numbers_of(const char* option, std::string_view text, double least,
                               double most) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const auto word = trim(text.substr(0, comma));
    const auto value = parse_number<double>(word);
    if (!value || !(*value >= least && *value <= most)) {
      throw Error(ErrorKind::bad_input, fmt::format("{} {}: a number from {:g} to {:g} is expected",
                                                    option, excerpt(word), least, most));
    }
    numbers.push_back(*value);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Slurm's own first: what all others are measured by.
std::vector<const ReplayPolicy*> policies_of(const WhatifOptions& options) {
  std::vector<const ReplayPolicy*> policies{&find_policy(policy_names().front())};
  if (options.policies.empty()) {
    for (const std::string& name : policy_names()) {
      const ReplayPolicy& policy = find_policy(name);
      if (&policy == policies.front() || policy_for_comparison(policy)) continue;
      if (!policy_needs_outages(policy) || !options.outages.empty()) policies.push_back(&policy);
    }
    return policies;
  }
  std::string_view rest = options.policies;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const ReplayPolicy& policy = find_policy(trim(rest.substr(0, comma)));
    if (&policy != policies.front()) policies.push_back(&policy);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return policies;
}

unsigned cores_per_node(const WhatifOptions& options, const Workload& workload) {
  if (options.cores > 0) return options.cores;
  if (workload.cores_per_node > 0) return workload.cores_per_node;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{} does not tell how many cores a node has; add --cores NUMBER", options.jobs));
}

ReplayOptions replay_options(const WhatifOptions& options, unsigned cores) {
  ReplayOptions replay;
  replay.cores_per_node = cores;
  replay.limits.interval_seconds = seconds_of("--interval", options.interval);
  replay.limits.window_seconds = seconds_of("--window", options.window);
  replay.limits.depth = options.depth;
  replay.warm_up_seconds = seconds_of("--warm-up", options.warm_up);
  replay.seed = options.seed;
  if (options.choice_times) replay.clock = processor_seconds;
  return replay;
}

Workload jobs_that_fit(const WhatifOptions& options, const Workload& log, const Topology& topology,
                       const OutageMap& outages, unsigned cores) {
  Workload fitting = fitting_workload(log, topology, outages, cores);
  if (!fitting.jobs.empty()) return fitting;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: all {} jobs need more than the machine has, which is {} nodes of {} "
                          "cores, less those that are certain to fail; check --topology, --cores "
                          "and --outages",
                          options.jobs, log.jobs.size(), machine_nodes(topology), cores));
}

void add_run(WhatifResult& result, const ReplayPolicy& policy, double communication,
             const std::shared_ptr<const Replay>& replayed) {
  WhatifRun run{.communication = communication,
                .title = std::string(policy_title(policy)),
                .replay = replayed,
                .all = {},
                .by_hours = {},
                .choice_times = choice_times(result.workload, *replayed)};
  run.all = measure(result.workload, *result.topology, *run.replay, result.cores_per_node);
  for (const double hours : result.hours) {
    run.by_hours.push_back(
        measure(result.workload, *result.topology, *run.replay, result.cores_per_node, hours));
  }
  result.runs.push_back(std::move(run));
}

WhatifResult replay_all(const WhatifOptions& options) {
  if (options.jobs.empty()) {
    throw Error(ErrorKind::bad_input,
                "no log of jobs; add --jobs FILE, in the Standard Workload Format or what this "
                "prints:\nsacct -aXP --starttime 2026-01-01 --endtime now "
                "--format JobID,JobName,Submit,Eligible,Start,End,ElapsedRaw,TimelimitRaw,NNodes,"
                "AllocCPUS,State");
  }
  const auto policies = policies_of(options);
  WhatifResult result;
  result.communications = numbers_of("--communication", options.communications, 0, 1);
  result.hours = numbers_of("--hours", options.hours, 0, 1e6);
  result.topology = load_topology(options.inputs);
  const Workload log = read_workload(options.jobs);
  result.cores_per_node = cores_per_node(options, log);
  const ReplayOptions replay_with = replay_options(options, result.cores_per_node);
  result.warm_up_seconds = replay_with.warm_up_seconds;
  const OutageMap outages =
      options.outages.empty()
          ? OutageMap()
          : OutageMap(over_assumed_horizon(read_outages(options.outages)), *result.topology);
  result.workload = jobs_that_fit(options, log, *result.topology, outages, result.cores_per_node);
  JobTraffic traffic(
      options.traffic.empty() ? std::vector<TrafficRule>() : read_traffic_rules(options.traffic),
      result.communications.front(), options.seed);
  traffic.set_clock(replay_with.clock);
  std::shared_ptr<const Replay> slurm;  // whatever is communicated
  for (const double communication : result.communications) {
    traffic.set_communication(communication);
    for (const ReplayPolicy* policy : policies) {
      const bool again = policy == policies.front() && slurm;
      auto replayed =
          again ? slurm
                : std::make_shared<const Replay>(replay(result.workload, *result.topology, outages,
                                                        traffic, *policy, replay_with));
      if (policy == policies.front()) slurm = replayed;
      add_run(result, *policy, communication, replayed);
    }
  }
  return result;
}

void run_whatif(const WhatifOptions& options) {
  if (options.generate > 0) {
    GeneratedWorkload wanted;
    wanted.jobs = options.generate;
    wanted.seed = options.seed;
    write_output(options.output, format_swf(generate_workload(wanted)));
    return;
  }
  check_plot_name(options.plots);
  const WhatifResult result = replay_all(options);
  if (!options.plots.empty()) write_plots(options.plots, result);
  if (!options.schedule.empty()) write_output(options.schedule, whatif_schedule(result));
  write_output(options.output, options.json ? whatif_json(result) : whatif_text(result));
}

void add_log_options(Command& command, WhatifOptions& options) {
  command
      .add_option("--jobs", options.jobs,
                  "Log of jobs: what sacct --parsable2 prints, or Standard Workload Format; - is "
                  "standard input")
      ->check(kNotEmpty)
      ->type_name("FILE");
  add_topology_option(command, options.inputs);
  command.add_option("--cores", options.cores, "Cores of a node (default: as the log tells)")
      ->check(range(1U, 1U << 20U));
  command
      .add_option("--traffic", options.traffic,
                  "Rules that say what jobs exchange (default: traffic drawn at random)")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command
      .add_option("--communication", options.communications,
                  "Share of communication in the run time, several with commas")
      ->capture_default_str()
      ->check(kNotEmpty)
      ->type_name("SHARE[,SHARE...]");
  command.add_option("--outages", options.outages, "Outage probabilities of nodes; runs abort")
      ->check(kNotEmpty)
      ->type_name("FILE");
}

void add_scheduler_options(Command& command, WhatifOptions& options) {
  command
      .add_option(
          "--policies", options.policies,
          fmt::format("Of {}, with commas (default: all that differ, without whole); Slurm's "
                      "is always there",
                      fmt::join(policy_names(), ", ")))
      ->check(kNotEmpty)
      ->type_name("NAME[,NAME...]");
  command
      .add_option("--warm-up", options.warm_up,
                  "Jobs of so long only fill the machine, as Slurm places them")
      ->capture_default_str()
      ->type_name("TIME");
  command.add_option("--interval", options.interval, "From one backfill to the next: bf_interval")
      ->capture_default_str()
      ->type_name("TIME");
  command.add_option("--depth", options.depth, "Jobs that backfill looks at: bf_max_job_test")
      ->capture_default_str()
      ->check(range(1U, 10'000'000U));
  command.add_option("--window", options.window, "How far ahead backfill plans: bf_window")
      ->capture_default_str()
      ->type_name("TIME");
  command.add_option("--seed", options.seed, "Of random traffic and of aborts")
      ->capture_default_str();
}

void add_output_options(Command& command, WhatifOptions& options) {
  command
      .add_option("--hours", options.hours,
                  "In JSON and plots, also the jobs of the first so many hours")
      ->check(kNotEmpty)
      ->type_name("HOURS[,HOURS...]");
  command
      .add_option("--schedule", options.schedule, "Also write when and where each job ran, as CSV")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--plots", options.plots, "Also draw it: .html, .svg or .png")
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_flag("--choice-times", options.choice_times,
                   "Also say how long nodes take to be chosen, by the size of jobs");
  command.add_flag("--json", options.json, "Print JSON");
  command
      .add_option("--generate", options.generate,
                  "Instead, write a made-up log of so many jobs, in Standard Workload Format")
      ->check(range(1U, 10'000'000U))
      ->excludes("--jobs");
  command.add_option("-o,--output", options.output, "Output file (default: standard output)")
      ->type_name("FILE");
}

void add_whatif(Command& command) {
  auto options = std::make_shared<WhatifOptions>();
  add_log_options(command, *options);
  add_scheduler_options(command, *options);
  add_output_options(command, *options);
  command.footer(
      "Examples:\n"
      "  sacct -aXP --starttime 2026-01-01 --endtime now --format JobID,JobName,Submit,Eligible,"
      "Start,End,ElapsedRaw,TimelimitRaw,NNodes,AllocCPUS,State > jobs\n"
      "  tofa whatif --jobs jobs --topology /etc/slurm/topology.conf\n"
      "  tofa whatif --generate 10000 -o jobs.swf");
  command.callback([options] { run_whatif(*options); });
}

}  // namespace

extern constexpr Subcommand kWhatifCommand{
    "whatif", "Say what other ways to choose nodes would have brought a site", add_whatif};

}  // namespace tofa::cli
