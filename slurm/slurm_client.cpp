// SPDX-License-Identifier: BSD-3-Clause
// Asking sinfo and squeue: see slurm_client.hpp.
#include "slurm_client.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::slurm {
namespace {

std::string ask(const std::string& program, const std::vector<std::string>& arguments,
                double deadline_seconds) {
  const ChildResult answer = run_child(program, arguments, {deadline_seconds});
  if (answer.end == ChildResult::End::deadline) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{} did not answer within {} s", program, deadline_seconds));
  }
  if (answer.end != ChildResult::End::exited || answer.status != 0) {
    throw Error(ErrorKind::unavailable, fmt::format("{} failed: {}", program, trim(answer.errors)));
  }
  return answer.output;
}

Error odd_answer(const std::string& program, std::string_view text) {
  return {ErrorKind::unavailable, fmt::format("{} answered {}", program, excerpt(text))};
}

}  // namespace

std::vector<SlurmNode> find_idle_nodes(const std::string& partition) {
  std::vector<std::string> arguments = {"--noheader", "--Node", "--states=idle",
                                        "--format=%N %c %T %P"};
  if (!partition.empty()) arguments.push_back("--partition=" + partition);
  const std::string answer = ask("sinfo", arguments, 10);
  // A node is listed once per partition; the default one is marked by a star.
  const bool default_only = partition.empty() && answer.find("*\n") != std::string::npos;
  std::vector<SlurmNode> nodes;
  std::set<std::string> known;
  LineReader lines(answer);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    const std::string name(next_word(rest));
    if (name.empty()) continue;
    const auto cpus = parse_number<unsigned>(next_word(rest));
    const std::string_view state = next_word(rest);
    const std::string_view where = next_word(rest);
    if (!cpus || where.empty()) throw odd_answer("sinfo", line);
    // Also listed are drained, reserved, silent ... nodes without a job; `~` is powered down.
    if (state != "idle" && state != "idle~") continue;
    if (default_only && where.back() != '*') continue;
    if (known.insert(name).second) nodes.push_back({name, *cpus});
  }
  return nodes;
}

std::optional<double> find_time_left(const std::string& job, double deadline_seconds) {
  const std::string answer =
      ask("squeue", {"--noheader", "--format=%L", "--jobs=" + job}, deadline_seconds);
  const std::string_view first = trim(std::string_view(answer).substr(0, answer.find('\n')));
  if (first == "UNLIMITED") return std::nullopt;
  const auto seconds = parse_duration(first);
  if (!seconds) throw odd_answer("squeue", first);
  return seconds;
}

// That Slurm does not answer is no news: without it, nothing else would be done either.
double horizon_of_this_job(const OutageList& outages) {
  constexpr double deadline_seconds = 2;
  const char* job = std::getenv("SLURM_JOB_ID");
  const bool have_rates = std::any_of(outages.begin(), outages.end(),
                                      [](const HostOutage& outage) { return outage.rate > 0; });
  if (job == nullptr || *job == '\0' || !have_rates) return 0;
  try {
    return find_time_left(job, deadline_seconds).value_or(0);
  } catch (const Error&) {
    return 0;
  }
}

std::string find_topology_file() {
  const char* named = std::getenv("SLURM_TOPOLOGY");
  if (named != nullptr && *named != '\0') return named;
  const char* configuration = std::getenv("SLURM_CONF");
  std::vector<std::filesystem::path> folders;
  if (configuration != nullptr)
    folders.push_back(std::filesystem::path(configuration).parent_path());
  // Debian's folder, and where slurmd keeps what the controller sends ("configless").
  folders.insert(folders.end(), {"/etc/slurm", "/run/slurm/conf"});
  for (const auto& folder : folders) {
    std::string file = folder / "topology.conf";
    if (path_exists(file)) return file;
  }
  return "";
}

}  // namespace tofa::slurm
