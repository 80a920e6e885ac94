// SPDX-License-Identifier: BSD-3-Clause
// Asking Slurm whether a job would start: see trial.hpp.
#include "trial.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <string_view>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

// Behind `key` in a line of the text, up to the end of that line; empty if it is nowhere.
std::string_view behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return trim(text.substr(0, text.find('\n')));
}

}  // namespace

void require_start(const std::string& output, int status, double now) {
  constexpr double kAtOnce = 5;  // seconds; clocks differ
  if (const auto refusal = behind(output, "allocation failure: "); !refusal.empty())
    throw Error(ErrorKind::unavailable,
                fmt::format("Slurm refuses the nodes that tofa chose: {}", refusal));
  const std::string_view answer = behind(output, " to start at ");
  const auto start = parse_number<double>(answer.substr(0, answer.find(' ')));
  if (status != 0 || !start)
    throw Error(ErrorKind::unavailable,
                "srun --test-only does not say whether the job can start on the nodes that tofa "
                "chose");
  if (*start > now + kAtOnce)
    throw Error(ErrorKind::unavailable,
                "the nodes that tofa chose are not free, the job would have to wait for them");
}

void require_start_now(const SrunCommand& command, const std::string& hostfile) {
  constexpr double kDeadline = 10;
  std::vector<std::string> arguments = {
      "-c",
      R"(exec env "$@" 2>&1)",
      "sh",
      fmt::format("{}=1", kTrialVariable),
      "SLURM_TIME_FORMAT=%s",
      "SLURM_HOSTFILE=" + hostfile,
      std::filesystem::read_symlink("/proc/self/exe"),
      "--test-only",
  };
  arguments.insert(arguments.end(), command.audible.begin() + 1, command.audible.end());
  const auto result = run_child("/bin/sh", arguments, {.deadline_seconds = kDeadline});
  if (result.end != ChildResult::End::exited)
    throw Error(ErrorKind::unavailable,
                fmt::format("srun --test-only did not answer within {} seconds", kDeadline));
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  require_start(result.output, result.status, now.count());
}

}  // namespace tofa::spank
