// SPDX-License-Identifier: BSD-3-Clause
// Asking sinfo: see idle_nodes.hpp.
#include "idle_nodes.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {

std::vector<std::string> find_idle_nodes(const std::string& partition) {
  constexpr double deadline_seconds = 10;
  constexpr const char* advice = "name the nodes to choose from (--nodes)";
  std::vector<std::string> arguments = {"--noheader", "--Node", "--states=idle", "--format=%N"};
  if (!partition.empty()) arguments.push_back("--partition=" + partition);
  ChildResult answer;
  try {
    answer = run_child("sinfo", arguments, {deadline_seconds});
  } catch (const Error& error) {
    throw Error(ErrorKind::unavailable, fmt::format("{}; {}", error.what(), advice));
  }
  if (answer.end != ChildResult::End::exited || answer.status != 0) {
    throw Error(ErrorKind::unavailable,
                fmt::format("sinfo {}; {}",
                            answer.end == ChildResult::End::deadline
                                ? fmt::format("did not answer within {} s", deadline_seconds)
                                : fmt::format("failed: {}", trim(answer.errors)),
                            advice));
  }
  std::vector<std::string> nodes;
  std::string_view rest = answer.output;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view name = trim(rest.substr(0, end));
    // A node is listed once per partition.
    if (!name.empty() && std::find(nodes.begin(), nodes.end(), name) == nodes.end()) {
      nodes.emplace_back(name);
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return nodes;
}

}  // namespace tofa::cli
