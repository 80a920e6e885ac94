// SPDX-License-Identifier: BSD-3-Clause
// Starting srun again: see restart.hpp.
#include "restart.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

constexpr const char* kPlaced = "TOFA_SLURM_PLACED";
constexpr const char* kHostfile = "SLURM_HOSTFILE";
constexpr const char* kHostfileBefore = "TOFA_SLURM_HOSTFILE";
constexpr const char* kNodes = "TOFA_SLURM_NODES";
constexpr const char* kOption = "TOFA_SLURM_NODES_OPTION";
constexpr const char* kAttempted = "TOFA_SLURM_ATTEMPTED";
constexpr const char* kReport = "TOFA_SLURM_REPORT";
constexpr const char* kFigures = "TOFA_SLURM_FIGURES";

std::optional<std::string> take(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string text = value;
  ::unsetenv(name);
  return text;
}

}  // namespace

void start_without_nodes(const SrunCommand& command, const Handover& handover,
                         const std::optional<std::string>& ranks) {
  std::vector<std::string> words = command.without_nodes;
  if (ranks) words.insert(words.begin() + 1, "--ntasks=" + *ranks);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::setenv(kPlaced, std::to_string(handover.hostfile).c_str(), 1);
  if (handover.hostfile_before) ::setenv(kHostfileBefore, handover.hostfile_before->c_str(), 1);
  ::setenv(kNodes, handover.nodes.c_str(), 1);
  ::setenv(kOption, handover.option.c_str(), 1);
  ::setenv(kAttempted, std::to_string(handover.attempted_cpus).c_str(), 1);
  ::setenv(kReport, handover.report.c_str(), 1);
  ::setenv(kFigures, handover.figures.c_str(), 1);
  ::fcntl(handover.hostfile, F_SETFD, 0);
  ::execv("/proc/self/exe", arguments.data());
  const std::string problem = std::strerror(errno);
  ::fcntl(handover.hostfile, F_SETFD, FD_CLOEXEC);
  take_handover();
  throw Error(ErrorKind::unavailable,
              fmt::format("srun cannot be started again without --nodes (-N): {}", problem));
}

std::optional<Handover> take_handover() {
  const auto placed = take(kPlaced);
  Handover handover;
  handover.hostfile_before = take(kHostfileBefore);
  handover.nodes = take(kNodes).value_or("");
  handover.option = take(kOption).value_or("");
  handover.attempted_cpus = parse_number<unsigned>(take(kAttempted).value_or("0")).value_or(0);
  handover.report = take(kReport).value_or("");
  handover.figures = take(kFigures).value_or("");
  const auto descriptor = parse_number<unsigned>(placed.value_or(""));
  if (!descriptor || ::fcntl(static_cast<int>(*descriptor), F_SETFD, FD_CLOEXEC) != 0)
    return std::nullopt;
  handover.hostfile = static_cast<int>(*descriptor);
  if (handover.hostfile_before) {
    ::setenv(kHostfile, handover.hostfile_before->c_str(), 1);
  } else {
    ::unsetenv(kHostfile);
  }
  return handover;
}

std::vector<std::string> with_nodes(std::vector<std::string> words, const Handover& handover) {
  words.insert(words.begin() + 1, "--nodes=" + handover.option);
  return words;
}

}  // namespace tofa::spank
