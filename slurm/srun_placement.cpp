// SPDX-License-Identifier: BSD-3-Clause
// Placing an srun: see srun_placement.hpp.
#include "srun_placement.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller.hpp"
#include "own_options.hpp"
#include "placement.hpp"
#include "session.hpp"
#include "step.hpp"
#include "tofa/error.hpp"
#include "tofa/node_claims.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

NodeCounts ranks_of(const std::vector<std::string>& mapping) {
  NodeCounts ranks;
  for (const std::string& node : mapping) ++ranks[node];
  return ranks;
}

unsigned fullest_of(const NodeCounts& ranks) {
  unsigned most = 1;
  for (const auto& [node, count] : ranks) most = std::max(most, count);
  return most;
}

// The processors that the fullest node of a new job has to give, in whole cores.
unsigned cpus_of_fullest(const Job& job, const NodeCounts& ranks) {
  if (job.slots) return 1;  // more ranks than processors
  std::vector<std::string> nodes;
  nodes.reserve(ranks.size());
  for (const auto& [name, count] : ranks) nodes.push_back(name);
  // Where each rank has cores of its own, Slurm counts one thread of each.
  const unsigned threads = job.needs.threads_per_core == 1 ? 1 : threads_per_core(nodes);
  return (fullest_of(ranks) * job.needs.cpus + threads - 1) / threads * threads;
}

// All nodes of a job on named ones are asked for as many processors as the fullest, so ranks are
// spread over them as evenly as they can be.
Placed place_evenly(const std::string& graph, Job job) {
  Placed placed = place_job(session().settings, graph, job);
  const NodeCounts ranks = ranks_of(placed.mapping);
  const auto nodes = static_cast<unsigned>(std::max<std::size_t>(1, ranks.size()));
  const unsigned even = (job.ranks - 1) / nodes + 1;
  if (job.slots || fullest_of(ranks) <= even) return placed;
  job.needs.ranks_per_node = even;
  job.use = nodes;
  try {
    return place_job(session().settings, graph, job);
  } catch (const Error&) {
    return placed;  // nodes that are not alike
  }
}

// Slurm allocates the nodes that the hostfile names, at once or not at all.
Placed place_new_job(const std::string& graph, const Environment& environment) {
  const Job job = describe_job(session().command, environment);
  if (!own_options_are_known()) {
    throw Error(ErrorKind::unavailable,
                "this srun has no way to ask for an immediate start (slurm_option_set)");
  }
  Placed placed = place_evenly(graph, job);
  offer_hostfile(placed.mapping);
  session().attempted_cpus = cpus_of_fullest(job, ranks_of(placed.mapping));
  return placed;
}

// What other launchers of the job have taken. Where that cannot be known, Slurm's steps are.
std::optional<NodeClaims> read_claims(const Environment& environment) {
  try {
    return NodeClaims(environment.at("SLURM_JOB_ID"));
  } catch (const Error& error) {
    slurm_debug("tofa: %s; steps that start at the same time may choose the same nodes",
                error.what());
    return std::nullopt;
  }
}

// Several launchers that start at once choose anew when another was faster.
Placed place_in_allocation(const std::string& graph, const Environment& environment) {
  constexpr int attempts = 5;
  auto claims = read_claims(environment);
  const auto job = parse_number<std::uint32_t>(environment.at("SLURM_JOB_ID"));
  for (int i = 1;; ++i) {
    const JobState state = job ? ask_controller(*job) : JobState{};
    const Step step = describe_step(session().command, environment, state,
                                    claims ? claims->others() : std::vector<NodeClaim>{});
    Placed placed = place_step(session().settings, graph, step);
    if (i < attempts && claims && !claims->take(claim_of(step, placed.mapping))) continue;
    offer_hostfile(placed.mapping);
    return placed;
  }
}

// Returns by an exception only: the srun that goes on has a session of its own.
void leave_nodes_to_hostfile(std::size_t nodes) {
  const auto ranks = session().ranks_set ? variable(kRanks) : std::nullopt;
  restore_ranks();
  try {
    start_without_nodes(session().command,
                        {.hostfile = session().hostfile.get(),
                         .hostfile_before = session().hostfile_before,
                         .nodes = std::to_string(nodes),
                         .option = *session().command.find("nodes"),
                         .attempted_cpus = session().attempted_cpus,
                         .report = fmt::format("{}", fmt::join(session().report, "\n")),
                         .figures = session().entry ? session().entry->figures : ""},
                        ranks);
  } catch (...) {
    if (ranks) ::setenv(kRanks, ranks->c_str(), 1);
    withdraw_hostfile();
    session().attempted_cpus = 0;
    session().report.clear();
    throw;
  }
}

void place(const std::string& graph) {
  const Environment environment = read_environment();
  const Placed placed = inside_allocation(environment) ? place_in_allocation(graph, environment)
                                                       : place_new_job(graph, environment);
  for (const std::string& warning : placed.warnings)
    slurm_info("tofa: warning: %s", warning.c_str());
  const std::string forgotten = forgotten_distribution(session().command, environment);
  if (!forgotten.empty()) {
    slurm_info(
        "tofa: %s does not count within nodes: Slurm forgets it where the node of every rank is "
        "named; --cpu-bind says which processors ranks get",
        forgotten.c_str());
  }
  session().report = placed.report;
  session().entry = LogEntry{placed.figures, "", placed.warnings.size()};
  const std::set<std::string> nodes(placed.mapping.begin(), placed.mapping.end());
  if (kRelease >= kRefusesNodes && session().command.find("nodes"))
    leave_nodes_to_hostfile(nodes.size());
}

// Fields of the job are known once it has nodes; a step that is not started has none.
void write_entry(const std::string& job) {
  const std::string& log = session().settings.log;
  const auto entry = std::exchange(session().entry, std::nullopt);
  if (log.empty() || !entry) return;
  const std::string problem = append_to_log(log, format_entry(*entry, job));
  if (!problem.empty())
    slurm_verbose("tofa: no line in the site's log (%s): %s", log.c_str(), problem.c_str());
}

std::string job_of(spank_t spank) {
  uint32_t job = 0;
  uint32_t step = 0;
  if (spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS) return "";
  return spank_get_item(spank, S_JOB_STEPID, &step) == ESPANK_SUCCESS
             ? fmt::format("{}.{}", job, step)
             : std::to_string(job);
}

// Whether something else decides where ranks go; `result` is what to tell srun then.
bool decided_otherwise(Origin origin, int& result) {
  const std::string other = conflict(session().command);
  if (!other.empty() && (origin == Origin::command_line || session().settings.strict)) {
    slurm_error(
        "tofa: %s contradicts --tofa, which decides the node of every rank; leave one of them out "
        "(to keep nodes out, use --exclude)",
        other.c_str());
    session().entry = LogEntry{"", other + " contradicts --tofa", 0};
    write_entry("");
    result = -1;
    return true;
  }
  if (origin == Origin::inherited && (!other.empty() || session().hostfile_before)) {
    slurm_info("tofa: %s decides where this step runs, not %s",
               other.empty() ? kHostfile : other.c_str(), kRequest);
    session().entry =
        LogEntry{"", (other.empty() ? kHostfile : other) + " decides where the step runs", 0};
    result = 0;
    return true;
  }
  if (session().hostfile_before)
    slurm_info("tofa: --tofa decides where this step runs, not %s", kHostfile);
  return false;
}

int warn_or_refuse(const std::string& reason) {
  if (session().settings.strict) {
    write_entry("");
    slurm_error("tofa: %s (strict: the step is not started)", reason.c_str());
    return -1;
  }
  slurm_info("tofa: warning: %s; Slurm's default placement is used", reason.c_str());
  return 0;
}

// In the second attempt, after which there is no other.
int give_up_nodes(const std::string& why) {
  session().entry = LogEntry{"", "it could not start at once on the nodes chosen: " + why, 0};
  return warn_or_refuse("the job cannot start at once on the nodes chosen (" + why + ")");
}

}  // namespace

void write_log(spank_t spank) {
  write_entry(job_of(spank));
}

// What cannot be done at all is a warning, and an error when strictness was asked for. A source
// that cannot be read comes not here: the step is placed with what is left.
int degrade(const std::string& reason) {
  session().entry = LogEntry{"", reason, 0};
  return warn_or_refuse(reason);
}

int srun_asks(const std::string& graph) {
  if (graph.empty() || session().settings.off || starts_daemons(session().command)) return 0;
  if (session().command.program.empty()) return 0;  // srun --version, and the like
  const Origin origin = session().command.find("tofa") ? Origin::command_line : Origin::inherited;
  if (origin == Origin::inherited && is_helper(session().command, read_environment())) return 0;
  if (std::exchange(session().asked, true)) return 0;
  // The only fence in which the nodes of a small job wait for each other; see README.md.
  ::setenv("SLURM_PMIX_FENCE", "ring", 0);
  if (!session().refused.empty()) return give_up_nodes(session().refused);
  for (const std::string& problem : session().settings.problems)
    slurm_info("tofa: warning: %s", problem.c_str());
  int result = 0;
  if (decided_otherwise(origin, result)) return result;
  try {
    place(graph);
  } catch (const std::exception& error) {
    return degrade(error.what());
  }
  return 0;
}

// The srun that was started again is placed already. What the job says about the number of nodes
// must not stand in for the option that is gone.
void take_over(const Handover& handover) {
  session().hostfile = FileDescriptor(handover.hostfile);
  ::setenv(kHostfile, fmt::format("/proc/self/fd/{}", handover.hostfile).c_str(), 1);
  session().nodes_before = variable(kNodes);
  if (session().nodes_before) ::setenv(kNodes, handover.nodes.c_str(), 1);
  LineReader lines(handover.report);
  for (std::string_view line; lines.next(line);) session().report.emplace_back(line);
  session().entry = LogEntry{handover.figures, "", 0};
  session().attempted_cpus = handover.attempted_cpus;
  session().asked = true;
}

}  // namespace tofa::spank
