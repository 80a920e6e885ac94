// SPDX-License-Identifier: BSD-3-Clause
// Finds tofa-query, runs it, and turns each way in which it can fail into a message that names the
// service and the remedy.
#include "tofa/health_query.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "outage/run_query.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kProgram = "tofa-query";
// See tofa-query(1).
constexpr int kStatusDeadline = 4;
constexpr int kStatusRefused = 6;

bool is_executable_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string directory_of_running_program() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::string() : program.parent_path().string();
}

void append_path_directories(std::vector<std::string>& directories) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    directories.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
}

[[noreturn]] void fail(const HealthQuery& query, const std::string& what,
                       ErrorKind kind = ErrorKind::unavailable) {
  throw Error(kind, fmt::format("health service at {} {}", query.uri, what));
}

void remove_prefix(std::string_view& text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
}

// The first line a failed helper wrote, without its name and the URI, which our message has anyway.
// Part of it may come from whoever listens there, so control characters do not reach the terminal.
std::string reason_of(const ChildResult& result, const std::string& uri) {
  std::string_view line = std::string_view(result.errors).substr(0, result.errors.find('\n'));
  remove_prefix(line, "tofa-query: ");
  remove_prefix(line, uri + ": ");
  if (line.empty()) return fmt::format("status {}", result.status);
  std::string reason(line);
  std::replace_if(
      reason.begin(), reason.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return reason;
}

// A single old estimate is the last that is known of a host; when even the newest is old, nobody
// watches any more.
void refuse_stale(const HealthQuery& query, const OutageList& outages) {
  const auto newest = std::min_element(
      outages.begin(), outages.end(),
      [](const HostOutage& a, const HostOutage& b) { return a.age_seconds < b.age_seconds; });
  if (newest == outages.end() || newest->age_seconds <= query.max_age_seconds) return;
  if (newest->age_seconds >= kAgeUnknowable) {
    fail(query,
         fmt::format("has stale data: all its estimates are from the future; the clock of its host "
                     "has been set back or was wrong, and tofa-healthd has made none since"));
  }
  fail(query,
       fmt::format(
           "has stale data: its newest estimate, for {}, is {:.0f} s old, {:.0f} s are allowed; "
           "is tofa-healthd running there?",
           newest->host, newest->age_seconds, query.max_age_seconds));
}

// What is wrong with an answer that `problem` was found in. tofa-query once printed lines and a
// last line END, and TOFA_QUERY may still name that one.
std::string explain(std::string_view answer, const std::string& problem) {
  return answer.ends_with("END\n")
             ? "it is that of an earlier version of tofa-query; does TOFA_QUERY name one?"
             : problem;
}

}  // namespace

void refuse_failure(const HealthQuery& query, const ChildResult& result) {
  constexpr std::string_view remedy = "start tofa-pmix-gateway there or correct the address";
  if (result.end == ChildResult::End::deadline || result.status == kStatusDeadline) {
    fail(query, fmt::format("did not answer within {} s; {}", query.deadline_seconds, remedy));
  }
  if (result.end == ChildResult::End::too_large) {
    fail(query, "sent an answer without end; is another program listening there?");
  }
  const std::string reason = reason_of(result, query.uri);
  if (result.status == kStatusUsage) {
    fail(query, fmt::format("cannot be asked: {}", reason), ErrorKind::bad_input);
  }
  if (result.status == kStatusNoData) fail(query, fmt::format("answers: {}", reason));
  if (result.status == kStatusRefused) {
    fail(query, fmt::format("cannot be trusted: {} (the key is {})", reason, query.key));
  }
  // A helper that the host process reaped before us has no status; its answer is whole or it is
  // not.
  if (result.status > 0) {
    fail(query, fmt::format("cannot be asked: {}; {}", reason, remedy));
  }
}

ChildResult run_query(const HealthQuery& query, const std::vector<std::string>& more) {
  const std::string program = query.program.empty() ? find_query_program() : query.program;
  std::vector<std::string> arguments = {"--uri", query.uri, "--deadline",
                                        fmt::format("{}", query.deadline_seconds)};
  if (!query.key.empty()) {
    arguments.insert(arguments.end(), {"--key", query.key, "--max-age",
                                       fmt::format("{}", query.max_signature_age_seconds)});
    if (!query.key_user.empty()) {
      arguments.insert(arguments.end(), {"--key-user", query.key_user});
    }
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_child(program, arguments, {.deadline_seconds = query.deadline_seconds});
}

Snapshot query_snapshot(const HealthQuery& query) {
  const ChildResult result = run_query(query, {});
  refuse_failure(query, result);
  try {
    return parse_health_answer(result.output);
  } catch (const Error& error) {
    fail(query, fmt::format("gave a malformed answer, which is ignored as a whole: {}",
                            explain(result.output, error.what())));
  }
}

std::string find_query_program(const std::string& hint_directory) {
  if (const char* named = std::getenv("TOFA_QUERY"); named != nullptr && *named != '\0') {
    if (is_executable_file(named)) return named;
    throw Error(ErrorKind::unavailable,
                fmt::format("TOFA_QUERY names {}, which is no program; unset or correct it",
                            excerpt(named)));
  }
  std::vector<std::string> directories = {hint_directory, directory_of_running_program(),
                                          TOFA_INSTALL_BINDIR};
  append_path_directories(directories);
  for (const std::string& directory : directories) {
    std::string candidate = fmt::format("{}/{}", directory, kProgram);
    if (!directory.empty() && is_executable_file(candidate)) return candidate;
  }
  throw Error(ErrorKind::unavailable,
              fmt::format("there is no program {0} in {1} or PATH, so the health service cannot be "
                          "asked; install it or set TOFA_QUERY to its path",
                          kProgram, TOFA_INSTALL_BINDIR));
}

OutageList query_health(const HealthQuery& query) {
  OutageList outages = outages_of(query_snapshot(query));
  refuse_stale(query, outages);
  return outages;
}

std::vector<PastOutage> query_history(const HealthQuery& query) {
  return query_snapshot(query).outages;
}

}  // namespace tofa
