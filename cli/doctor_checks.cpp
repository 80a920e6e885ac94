// SPDX-License-Identifier: BSD-3-Clause
// The decisions of `tofa doctor`: see doctor_checks.hpp.
#include "doctor_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

namespace tofa::cli {
namespace {

constexpr const char* kPath = "component path";

std::string right_path(const OpenMpiFacts& facts) {
  return fmt::format(
      "set mca_base_component_path = {}:{} (in openmpi-mca-params.conf or as "
      "OMPI_MCA_mca_base_component_path)",
      facts.stock, facts.own_folder.empty() ? "PREFIX/lib/tofa" : facts.own_folder);
}

// Where Open MPI's own folder is in the path; the path's size when it is not in it.
std::size_t place_of_stock(const OpenMpiFacts& facts) {
  const auto stock = std::find_if(facts.path.begin(), facts.path.end(), [&](const auto& folder) {
    return folder.path == facts.stock || folder.path == "system_default";
  });
  return static_cast<std::size_t>(stock - facts.path.begin());
}

// Whether somebody has set the path; Open MPI's default names a folder that seldom exists.
bool path_is_set(const OpenMpiFacts& facts) {
  return facts.path_source != "default";
}

bool has_ours(const std::vector<ComponentFolder>& path) {
  return std::any_of(path.begin(), path.end(), [](const auto& folder) { return folder.ours; });
}

Finding check_path(const OpenMpiFacts& facts) {
  const std::string from = fmt::format(" (set in: {})", facts.path_source);
  const std::size_t stock = place_of_stock(facts);
  if (stock == facts.path.size()) {
    return {kPath, Verdict::failed,
            fmt::format("lacks Open MPI's own folder {}, so that no MPI program works{}",
                        facts.stock, from),
            right_path(facts)};
  }
  for (std::size_t i = 0; i < stock; ++i) {
    const ComponentFolder& folder = facts.path[i];
    if (!folder.exists) {
      return {
          kPath, Verdict::failed,
          fmt::format("{} comes first and is not there: Open MPI loads no component at all, and "
                      "every MPI program fails{}",
                      folder.path, from),
          right_path(facts)};
    }
    if (folder.ours) {
      return {
          kPath, Verdict::failed,
          fmt::format("{} comes before Open MPI's own folder: where it is not there, on another "
                      "node or later, every MPI program fails{}",
                      folder.path, from),
          right_path(facts)};
    }
  }
  if (!path_is_set(facts)) return {kPath, Verdict::ok, "Open MPI's default", ""};
  for (const ComponentFolder& folder : facts.path) {
    if (folder.exists || folder.path == "system_default" || folder.path == "user_default") continue;
    return {kPath, Verdict::failed, fmt::format("{} is not there{}", folder.path, from),
            "mount or install it, or take it out of the path; " + right_path(facts)};
  }
  return {kPath, Verdict::ok, "Open MPI's own folder first" + from, ""};
}

Finding check_component(const OpenMpiFacts& facts, const std::string& subject, bool loaded,
                        const std::string& use) {
  if (loaded) return {subject, Verdict::ok, "Open MPI finds it", ""};
  if (!facts.missing.empty()) {
    return {subject, Verdict::failed,
            fmt::format("cannot be loaded, it lacks {}", fmt::join(facts.missing, ", ")),
            "install the packages that have these libraries"};
  }
  if (path_is_set(facts) || has_ours(facts.path)) {
    return {subject, Verdict::failed,
            fmt::format("Open MPI does not find it: {} does not work", use), right_path(facts)};
  }
  return {subject, Verdict::note, fmt::format("not set up: {} does not work yet", use),
          right_path(facts)};
}

bool names_tofa(const std::string& list) {
  return list == "tofa" || list.starts_with("tofa:") || list.starts_with("tofa,") ||
         list.find(",tofa") != std::string::npos;
}

// A default that asks for a component by name makes every job depend on it.
void check_dependence(const OpenMpiFacts& facts, Findings& findings) {
  if (names_tofa(facts.mapping_policy) && !facts.has_mapper) {
    findings.push_back({"mapping policy", Verdict::failed,
                        fmt::format("rmaps_base_mapping_policy is {} by default, and the mapper is "
                                    "not found: every mpirun fails",
                                    facts.mapping_policy),
                        "see above, or take the parameter away"});
  }
  if (names_tofa(facts.pml) && !facts.has_monitor) {
    findings.push_back({"pml", Verdict::failed,
                        fmt::format("pml is {} by default, and the monitor is not found: every MPI "
                                    "program fails",
                                    facts.pml),
                        "see above, or take the parameter away"});
  }
}

Finding check_source(const std::string& subject, const SourceFacts& facts,
                     const std::string& without, const std::string& set_up) {
  const std::string named =
      facts.named_by.empty() ? "" : fmt::format(" (named by {})", facts.named_by);
  if (!facts.problem.empty()) {
    return {subject, Verdict::failed, facts.problem + named,
            "put it right, or name another; jobs go on without it"};
  }
  if (facts.value.empty() && facts.found.empty()) return {subject, Verdict::note, without, set_up};
  if (!facts.remark.empty())
    return {subject, Verdict::note, fmt::format("{}{}; {}", facts.found, named, facts.remark), ""};
  return {subject, Verdict::ok, facts.found + named, ""};
}

Finding check_plugin(const SlurmFacts& facts) {
  constexpr const char* subject = "srun --tofa";
  const std::string line =
      fmt::format("add the line `optional {}` to plugstack.conf",
                  facts.own_plugin.empty() ? "PREFIX/lib/tofa/spank_tofa.so" : facts.own_plugin);
  if (facts.plugin.empty()) {
    return {subject, Verdict::note,
            facts.plugstack.empty()
                ? "not set up: there is no plugstack.conf"
                : fmt::format("not set up: {} does not name spank_tofa.so", facts.plugstack),
            line};
  }
  if (!facts.plugin_problem.empty()) {
    return {subject, Verdict::failed,
            fmt::format("{} names {}: {}", facts.plugstack, facts.plugin, facts.plugin_problem),
            "mount or install it, or correct the path; Slurm's commands complain and work without "
            "--tofa"};
  }
  const std::string built_for = slurm_version_text(facts.built_for);
  const auto release = [](const std::string& version) {
    return version.substr(0, version.rfind('.'));
  };
  if (!facts.version.empty() && release(facts.version) != release(built_for)) {
    return {subject, Verdict::failed,
            fmt::format("{} is built for Slurm {}, this is {}: Slurm refuses it", facts.plugin,
                        built_for, facts.version),
            "build tofa with the headers of this release (libslurm-dev)"};
  }
  return {subject, Verdict::ok,
          fmt::format("{}, built for Slurm {} ({})", facts.plugin, built_for, facts.plugstack), ""};
}

bool has_item(const std::string& list, const std::string& item) {
  return ("," + list + ",").find("," + item + ",") != std::string::npos;
}

// Under `defer` Slurm refuses what is to start at once, which a job on the nodes chosen has to.
void check_scheduler(const SlurmFacts& facts, Findings& findings) {
  if (!has_item(facts.scheduler, "defer") || has_item(facts.scheduler, "defer_batch")) return;
  findings.push_back(
      {"scheduler", Verdict::note,
       "SchedulerParameters has defer: no job starts at once, so that an srun "
       "--tofa outside of an allocation is always Slurm's to place",
       "put --tofa into jobs of sbatch or salloc, or set defer_batch, which later releases "
       "than 22.05 have"});
}

}  // namespace

Findings check_open_mpi(const OpenMpiFacts& facts) {
  constexpr const char* subject = "Open MPI";
  if (facts.version.empty()) {
    return {{subject, Verdict::note, fmt::format("not found: {}", facts.problem),
             "where mpirun is used, install openmpi-bin"}};
  }
  Findings findings;
  if (facts.version.starts_with("4.1.")) {
    findings.push_back(
        {subject, Verdict::ok, fmt::format("{}, {}", facts.version, facts.stock), ""});
  } else {
    const bool asked = has_ours(facts.path);
    findings.push_back({subject, asked ? Verdict::failed : Verdict::note,
                        fmt::format("{}; profiling and mpirun --map-by tofa are for 4.1, srun "
                                    "--tofa is for any",
                                    facts.version),
                        asked ? "take tofa's folder out of mca_base_component_path" : ""});
    check_dependence(facts, findings);
    return findings;
  }
  for (const std::string& line : facts.merged) {
    findings.push_back({"parameter file", Verdict::failed,
                        line + ": two settings in one line, the second of which is taken for a "
                               "part of the first one's value",
                        "break the line before the second; the file had no end of line when it was "
                        "appended"});
  }
  findings.push_back(check_path(facts));
  findings.push_back(check_component(facts, "mapper", facts.has_mapper, "mpirun --map-by tofa"));
  findings.push_back(check_component(facts, "monitor", facts.has_monitor, "recording profiles"));
  findings.push_back(check_component(facts, "topologies", facts.has_topologies,
                                     "reordering ranks in MPI_Cart_create and the like"));
  check_dependence(facts, findings);
  return findings;
}

Findings check_inputs(const InputFacts& facts) {
  Findings findings;
  findings.push_back(check_source("site file", facts.site_file, "there is none",
                                  "defaults for all jobs can be set in /etc/tofa/tofa.toml"));
  findings.push_back(
      check_source("topology", facts.topology,
                   "none is named: all nodes are taken to be equally far from each other",
                   "describe the network (man tofa-topology) and set TOFA_TOPOLOGY or `topology` "
                   "in the site file"));
  findings.push_back(check_source("outages file", facts.outages, "none is named", ""));
  findings.push_back(check_source("health service", facts.health,
                                  "none is named: no node is taken to be suspect",
                                  "start it (man tofa-healthd) and set TOFA_HEALTH or `health` in "
                                  "the site file"));
  if (facts.query_problem.empty()) {
    findings.push_back({"tofa-query", Verdict::ok, facts.query_program, ""});
  } else {
    findings.push_back({"tofa-query", facts.health.value.empty() ? Verdict::note : Verdict::failed,
                        facts.query_problem, ""});
  }
  return findings;
}

Findings check_slurm(const SlurmFacts& facts) {
  if (!facts.installed) {
    return {{"Slurm", Verdict::note, "not found: there is no srun",
             "where jobs are started by srun, install slurm-client"}};
  }
  if (facts.version.empty()) {
    return {{"Slurm", Verdict::note, "srun is there, but does not tell its version",
             "is there a slurm.conf?"},
            check_plugin(facts)};
  }
  Findings findings = {{"Slurm", Verdict::ok, facts.version, ""}, check_plugin(facts)};
  check_scheduler(facts, findings);
  return findings;
}

bool all_work(const Findings& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.verdict == Verdict::failed; });
}

std::string slurm_version_text(unsigned number) {
  return fmt::format("{}.{:02}.{}", number >> 16, (number >> 8) & 0xff, number & 0xff);
}

}  // namespace tofa::cli
