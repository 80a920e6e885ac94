// SPDX-License-Identifier: BSD-3-Clause
// Asking sinfo and squeue: see slurm_client.hpp.
#include "slurm_client.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <utility>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::slurm {
namespace {

std::string ask(const std::string& program, const std::vector<std::string>& arguments,
                double deadline_seconds) {
  return run_and_check(program, arguments, {.deadline_seconds = deadline_seconds}, program);
}

Error odd_answer(const std::string& program, std::string_view text) {
  return {ErrorKind::unavailable, fmt::format("{} answered {}", program, excerpt(text))};
}

struct ListedNode {
  NodeResources node;
  std::string_view state;
  std::string_view partition;
  bool of_default = false;  // partition
};

// A line of sinfo, in the format that is asked for below; names have no blanks.
ListedNode read_node(std::string_view line) {
  std::string_view rest = line;
  ListedNode listed;
  const auto number = [&rest] { return parse_number<unsigned>(next_word(rest)); };
  listed.node.name = next_word(rest);
  const auto cpus = number();
  listed.state = next_word(rest);
  const auto memory = number();
  const auto sockets = number();
  const auto cores = number();
  const auto threads = number();
  const std::string_view gres = next_word(rest);
  listed.partition = next_word(rest);
  if (!cpus || !memory || !sockets || !cores || !threads || listed.partition.empty())
    throw odd_answer("sinfo", line);
  listed.node.cpus = *cpus;
  listed.node.memory = *memory;
  listed.node.sockets = *sockets;
  // Where threads are not counted as processors, a core is one.
  listed.node.threads_per_core = *cpus > std::uint64_t{*sockets} * *cores ? *threads : 1;
  listed.node.gres = parse_known_gres(gres);
  // The default partition is marked.
  listed.of_default = listed.partition.ends_with('*');
  if (listed.of_default) listed.partition.remove_suffix(1);
  return listed;
}

using NodeList = std::vector<NodeResources> FreeNodes::*;

// Also listed are drained, reserved, silent ... nodes without a job. Where one job completes and
// another runs, the state is that of the latter.
NodeList list_of(std::string_view state) {
  if (state == "idle") return &FreeNodes::idle;
  if (state == "completing") return &FreeNodes::completing;
  return state == "idle~" ? &FreeNodes::asleep : nullptr;
}

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream items(list);
  for (std::string name; std::getline(items, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

// What SLURM_JOB_END_TIME says, in seconds from now; nothing where it is not set or has passed. A
// job without a limit ends after a year there: 0.
std::optional<double> time_left_by_environment() {
  constexpr double year = 365 * 86400.0;
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  const auto end = text == nullptr ? std::nullopt : parse_number<std::int64_t>(text);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  if (!end || static_cast<double>(*end) <= now.count()) return std::nullopt;
  const double left = static_cast<double>(*end) - now.count();
  return left > 0.9 * year ? 0 : left;
}

}  // namespace

std::vector<FreeNodes> find_free_nodes(const std::string& partitions, double deadline_seconds) {
  std::vector<std::string> arguments = {"--noheader", "--Node", "--states=idle,completing",
                                        "--format=%N %c %T %m %X %Y %Z %G %P"};
  if (!partitions.empty()) arguments.push_back("--partition=" + partitions);
  const std::string answer = ask("sinfo", arguments, deadline_seconds);
  const bool default_only = partitions.empty() && answer.find("*\n") != std::string::npos;
  const std::vector<std::string> names = names_in(partitions);
  std::vector<FreeNodes> found(std::max<std::size_t>(1, names.size()));
  std::set<std::pair<std::size_t, std::string>> known;
  LineReader lines(answer);
  for (std::string_view line; lines.next(line);) {
    if (trim(line).empty()) continue;
    ListedNode listed = read_node(line);
    const NodeList nodes = list_of(listed.state);
    if (nodes == nullptr || (default_only && !listed.of_default)) continue;
    // A node is listed once per partition.
    const auto name = std::find(names.begin(), names.end(), listed.partition);
    if (!names.empty() && name == names.end()) continue;
    const auto place = static_cast<std::size_t>(name - names.begin());
    if (known.emplace(place, listed.node.name).second)
      (found[place].*nodes).push_back(std::move(listed.node));
  }
  return found;
}

std::optional<double> find_time_left(const std::string& job, double deadline_seconds) {
  const std::string answer =
      ask("squeue", {"--noheader", "--format=%A %L", "--jobs=" + job}, deadline_seconds);
  // For the task of an array that has the array's number squeue lists the others, too.
  LineReader lines(answer);
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line;
    if (next_word(rest) != job) continue;
    const std::string_view left = trim(rest);
    if (left == "UNLIMITED") return std::nullopt;
    if (const auto seconds = parse_duration(left)) return seconds;
  }
  throw odd_answer("squeue", trim(answer));
}

// That Slurm does not answer is no news: without it, nothing else would be done either.
double horizon_of_this_job(const OutageList& outages) {
  constexpr double deadline_seconds = 2;
  const char* job = std::getenv("SLURM_JOB_ID");
  const bool have_rates = std::any_of(outages.begin(), outages.end(),
                                      [](const HostOutage& outage) { return outage.rate > 0; });
  if (job == nullptr || *job == '\0' || !have_rates) return 0;
  if (const auto left = time_left_by_environment()) return round_horizon(*left);
  try {
    return round_horizon(find_time_left(job, deadline_seconds).value_or(0));
  } catch (const Error&) {
    return 0;
  }
}

std::vector<std::filesystem::path> configuration_folders() {
  const char* configuration = std::getenv("SLURM_CONF");
  std::vector<std::filesystem::path> folders;
  if (configuration != nullptr)
    folders.push_back(std::filesystem::path(configuration).parent_path());
  // Debian's folder, and where slurmd keeps what the controller sends ("configless").
  folders.insert(folders.end(), {"/etc/slurm", "/run/slurm/conf"});
  return folders;
}

std::string find_topology_file() {
  const char* named = std::getenv("SLURM_TOPOLOGY");
  if (named != nullptr && *named != '\0') return named;
  // Where both are, Slurm reads the first since 25.05.
  for (const auto& folder : configuration_folders()) {
    for (const char* name : {"topology.yaml", "topology.conf"}) {
      std::string file = folder / name;
      if (path_exists(file)) return file;
    }
  }
  return "";
}

ResourceManager resource_manager() {
  return {"Slurm", find_topology_file, horizon_of_this_job};
}

}  // namespace tofa::slurm
