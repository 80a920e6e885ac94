// SPDX-License-Identifier: BSD-3-Clause
// tofa-query: asks the health service once and prints what it says. It exists because no PMIx call
// can be trusted to return (PMIX_TIMEOUT is ignored, and a stopped server hangs its clients for
// ever): the deadline ends the process, whatever libpmix is doing. What it prints is the text of
// the service's snapshot, all of it or nothing.
#include <fmt/core.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>

#include "command_line.hpp"
#include "common/launcher_environment.hpp"
#include "common/wire.hpp"
#include "query/ask.hpp"
#include "tofa/error.hpp"

namespace {

enum Status { kOk = 0, kUsage = 2, kUnavailable = 3, kDeadline = 4, kNoData = 5 };

Status status_of(tofa::ErrorKind kind) {
  if (kind == tofa::ErrorKind::bad_input) return kUsage;
  return kind == tofa::ErrorKind::unmet ? kNoData : kUnavailable;
}

constexpr double kLeaveSeconds = 0.25;

// What the deadline handler ends the process with; it may only use what is safe in a signal
// handler.
volatile std::sig_atomic_t status_at_deadline = kDeadline;

void end_at_deadline(int /*signal*/) {
  constexpr char message[] = "tofa-query: no answer before the deadline\n";
  if (status_at_deadline == kDeadline) (void)!::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(status_at_deadline);
}

void set_deadline(double seconds) {
  double whole = 0;
  const double fraction = std::modf(seconds, &whole);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>(fraction * 1e6);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

// The parent may have blocked or ignored what the deadline needs.
void arm_deadline(double seconds) {
  struct sigaction action {};
  action.sa_handler = end_at_deadline;
  ::sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
  set_deadline(seconds);
}

bool print(const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

[[noreturn]] void query(const std::string& uri) {
  if (!print(tofa::health::ask_for_snapshot(uri))) std::_Exit(kUnavailable);
  ::close(STDOUT_FILENO);  // whoever waits for the end of the answer has it
  status_at_deadline = kOk;
  set_deadline(kLeaveSeconds);
  tofa::health::take_leave();
  std::_Exit(kOk);
}

// libpmix would wait for a busy gateway for ever, or give up at once: it gets the time that there
// is. An answer may be as long as whoever runs this program reads; versions of libpmix differ in
// what they take by default.
void set_limits(double deadline) {
  const std::string seconds = std::to_string(std::max(1, static_cast<int>(deadline / 2)));
  ::setenv("PMIX_MCA_ptl_base_handshake_wait_time", seconds.c_str(), 1);
  ::setenv("PMIX_MCA_ptl_base_max_retries", "2", 1);
  ::setenv("PMIX_MCA_ptl_base_handshake_max_retries", "2", 1);
  ::setenv("PMIX_MCA_ptl_base_max_msg_size", "64", 1);  // MiB
}

int run(int argc, char** argv) {
  tofa::health::forget_launcher_environment();
  tofa::cli::Program program("tofa-query", TOFA_VERSION);
  tofa::cli::Command& command = program.command();
  command.description("Asks tofa-pmix-gateway which nodes are likely to fail.");
  std::string uri;
  double deadline = 2;
  command.add_option("--uri", uri, "The gateway: IP:PORT or NSPACE.RANK;tcp4://IP:PORT")
      ->required()
      ->option_text("URI");
  command.add_option("--deadline", deadline, "Seconds after which to give up (default 2)")
      ->check(tofa::cli::range(0.01, 3600.0))
      ->option_text("SECONDS");
  command.footer(
      "Prints JSON, the snapshot of tofa-healthd; tofa health list is for people.\n"
      "Exit status: 0 answered, 2 usage, 3 service unavailable, 4 deadline passed, 5 no data.\n"
      "Example:\n  tofa-query --uri 10.1.0.1:7412");
  if (const auto status = program.parse(argc, argv)) return *status;
  set_limits(deadline);
  arm_deadline(deadline);
  try {
    query(tofa::health::full_uri(uri));
  } catch (const tofa::Error& error) {
    const Status status = status_of(error.kind());
    fmt::print(stderr, "tofa-query: {}{}\n", status == kUsage ? "" : uri + ": ", error.what());
    std::fflush(stderr);
    std::_Exit(status);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tofa-query: %s\n", error.what());
    return 3;
  }
}
