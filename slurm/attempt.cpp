// SPDX-License-Identifier: BSD-3-Clause
// Trying once, and becoming srun again: see attempt.hpp.
#include "attempt.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "own_options.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

constexpr const char* kRefused = "TOFA_SLURM_REFUSED";

// What srun catches while it waits for an allocation, and blocks from then on until tasks run.
constexpr std::array kCaught = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE};

// What srun was started with, and what it says while it tries.
struct Attempt {
  std::vector<std::string> words;
  std::vector<std::string> environment;
  sigset_t signals{};
  std::array<struct sigaction, kCaught.size()> actions{};
  std::set<int> files;    // open before the attempt
  FileDescriptor output;  // what srun writes meanwhile
  FileDescriptor errors;  // standard error proper
};

Attempt& attempt() {
  static Attempt the_attempt;
  return the_attempt;
}

std::set<int> open_files() {
  std::set<int> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc/self/fd"), ::closedir);
  if (!folder) return files;
  while (const dirent* entry = ::readdir(folder.get()))
    if (const auto number = parse_number<int>(entry->d_name)) files.insert(*number);
  files.erase(::dirfd(folder.get()));
  return files;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::string kept_output() {
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::pread(attempt().output.get(), part.data(), part.size(),
                                       static_cast<off_t>(text.size()))) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  return text;
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto count = ::write(file, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Standard error is what it was; returns what was kept.
std::string end_keeping() {
  ::fflush(stderr);
  std::string text = kept_output();
  ::dup2(attempt().errors.get(), STDERR_FILENO);
  attempt().errors.reset();
  attempt().output.reset();
  return text;
}

// A signal that came when srun blocked it already, and that nobody has seen yet.
bool signal_is_pending() {
  sigset_t pending{};
  if (::sigpending(&pending) != 0) return false;
  return std::any_of(kCaught.begin(), kCaught.end(),
                     [&pending](int signal) { return ::sigismember(&pending, signal) == 1; });
}

// As before srun caught them: one that comes from here on ends this process, or the next srun.
void restore_signals() {
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    ::sigaction(kCaught[i], &attempt().actions[i], nullptr);
  ::pthread_sigmask(SIG_SETMASK, &attempt().signals, nullptr);
}

// What stands behind `mark` up to the end of the line; empty where it is not there.
std::string rest_of_line(const std::string& text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Runs when srun exits, which without nodes it does from deep within.
void finish_attempt() {
  if (!attempt().errors) return;
  const std::string text = end_keeping();
  const std::string reason = refusal_in(text);
  if (reason.empty() || signal_is_pending()) {
    write_all(STDERR_FILENO, text);
    return;
  }
  for (const int file : open_files())
    if (!attempt().files.contains(file)) ::fcntl(file, F_SETFD, FD_CLOEXEC);
  attempt().environment.push_back(std::string(kRefused) + "=" + reason);
  restore_signals();
  ::execve("/proc/self/exe", pointers(attempt().words).data(),
           pointers(attempt().environment).data());
  write_all(STDERR_FILENO, text);
}

}  // namespace

std::string why_second_attempt() {
  const char* reason = std::getenv(kRefused);
  if (reason == nullptr) return {};
  std::string text = reason;
  ::unsetenv(kRefused);
  return text;
}

void remember_command(std::vector<std::string> words) {
  attempt().words = std::move(words);
  attempt().environment.clear();
  for (char** entry = environ; *entry != nullptr; ++entry)
    attempt().environment.emplace_back(*entry);
  ::pthread_sigmask(SIG_SETMASK, nullptr, &attempt().signals);
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    ::sigaction(kCaught[i], nullptr, &attempt().actions[i]);
}

void begin_attempt(unsigned cpus_of_node) {
  const auto asked = parse_number<unsigned>(own_option("mincpus").value_or("0"));
  set_own_option("mincpus", std::to_string(std::max(cpus_of_node, asked.value_or(0))));
  static const bool registered = std::atexit(finish_attempt) == 0;
  if (!registered) return;
  FileDescriptor errors(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  FileDescriptor output(::memfd_create("tofa-attempt", MFD_CLOEXEC));
  if (!errors || !output) return;
  attempt().files = open_files();
  ::fflush(stderr);
  if (::dup2(output.get(), STDERR_FILENO) < 0) return;
  attempt().errors = std::move(errors);
  attempt().output = std::move(output);
  // Only where a refusal will be noticed.
  set_own_option("immediate", "1");
}

void attempt_succeeded() {
  if (attempt().errors) write_all(STDERR_FILENO, end_keeping());
}

std::string refusal_in(const std::string& output) {
  // Not the job's nodes but its step was refused, for now: without --immediate srun would try again
  // for as long as one of these is the reason. srun has given the job back by then.
  constexpr std::array<std::string_view, 7> tried_again = {
      "Requested nodes are busy",
      "Required ports are in use",
      "Requested operation is presently disabled",
      "PrologSlurmctld is still running",
      "Switch resources currently not available",
      "Socket timed out on send/recv operation",
      "Resource temporarily unavailable",
  };
  std::string nodes = rest_of_line(output, "Unable to allocate resources: ");
  if (!nodes.empty()) return nodes;
  const std::string step = rest_of_line(output, "Unable to create step for job ");
  for (const std::string_view reason : tried_again)
    if (step.ends_with(": " + std::string(reason))) return std::string(reason);
  return {};
}

}  // namespace tofa::spank
