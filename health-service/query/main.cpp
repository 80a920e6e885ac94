// SPDX-License-Identifier: BSD-3-Clause
// tofa-query: asks the health service once and prints what it says. It exists because no PMIx call
// can be trusted to return (PMIX_TIMEOUT is ignored, and a stopped server hangs its clients for
// ever): the deadline ends the process, whatever libpmix is doing. What it prints is the text of
// the service's snapshot, all of it or nothing, and nothing that lacks the signature asked for.
#include <fmt/core.h>
#include <pwd.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "command_line.hpp"
#include "common/key_file.hpp"
#include "common/munge_signature.hpp"
#include "common/pmix_environment.hpp"
#include "common/signature.hpp"
#include "common/wire.hpp"
#include "munge/munged.hpp"
#include "query/ask.hpp"
#include "query/attempts.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace {

enum Status { kOk = 0, kUsage = 2, kUnavailable = 3, kDeadline = 4, kNoData = 5, kRefused = 6 };

struct Options {
  std::string uri;
  double deadline = 2;  // seconds
  std::string key;      // file of the public key, or munge; empty: anybody's answer will do
  std::string key_user = tofa::health::kGatewayUser;  // of munge
  double max_age = 300;                               // seconds between the signature and now
  bool topology = false;
  std::string known;  // fingerprint of a topology
};

Status status_of(tofa::ErrorKind kind) {
  if (kind == tofa::ErrorKind::bad_input) return kUsage;
  return kind == tofa::ErrorKind::unmet ? kNoData : kUnavailable;
}

constexpr double kLeaveSeconds = 0.25;
constexpr std::size_t kLongestFingerprint = 32;

// What the deadline handler ends the process with; it may only use what is safe in a signal
// handler.
volatile std::sig_atomic_t status_at_deadline = kDeadline;

template <std::size_t size>
void say(const char (&message)[size]) {
  (void)!::write(STDERR_FILENO, message, size - 1);
}

void end_at_deadline(int /*signal*/) {
  if (status_at_deadline == kDeadline) say("tofa-query: no answer before the deadline\n");
  if (status_at_deadline == kRefused) {
    say("tofa-query: the answer is refused: munged on this host did not say in time who has signed "
        "it; is munge.service running?\n");
  }
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

double seconds_left() {
  itimerval left{};
  ::getitimer(ITIMER_REAL, &left);
  return static_cast<double>(left.it_value.tv_sec) +
         1e-6 * static_cast<double>(left.it_value.tv_usec);
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

[[noreturn]] void refuse(const Options& options, const std::string& problem) {
  fmt::print(stderr, "tofa-query: {}: the answer is refused: {}\n", options.uri, problem);
  std::fflush(stderr);
  std::_Exit(kRefused);
}

// Who must have signed the answer. Users are looked up before anybody is asked: a mistake is told
// whether somebody answers or not.
struct Trust {
  std::optional<tofa::health::KeyBytes> key;
  std::optional<std::string> munge_socket;
  uid_t user = 0;  // of munge
};

uid_t number_of_user(const std::string& user) {
  if (const auto number = tofa::parse_number<uid_t>(user)) return *number;
  if (const passwd* entry = ::getpwnam(user.c_str())) return entry->pw_uid;
  throw tofa::Error(
      tofa::ErrorKind::bad_input,
      fmt::format(
          "there is no user {} on this host, as whom the gateway signs; create it, with the "
          "same number on all hosts, or set health_key_user (--key-user) to its number",
          tofa::excerpt(user)));
}

Trust read_trust(const Options& options) {
  Trust trust;
  if (options.key.empty()) return trust;
  trust.munge_socket = tofa::health::munge_socket_in(options.key);
  if (trust.munge_socket) {
    trust.user = number_of_user(options.key_user);
  } else {
    trust.key = tofa::health::read_public_key(options.key);
  }
  return trust;
}

// Ends a little before the deadline: whoever has started this program gives up then, too, and would
// not hear that it was not the gateway.
tofa::health::Voucher ask_munged(const std::string& socket, const std::string& credential) {
  const double seconds = seconds_left();
  status_at_deadline = kRefused;
  set_deadline(std::max(1e-3, 0.8 * seconds));
  tofa::health::Voucher voucher = tofa::health::munge_decode(socket, credential);
  status_at_deadline = kDeadline;
  set_deadline(std::max(1e-3, 0.2 * seconds));
  return voucher;
}

void check(const tofa::health::GatewayAnswer& answer, const Trust& trust, const Options& options) {
  if (answer.signature.empty()) {
    refuse(options,
           "it is not signed; another program answers there, or tofa-pmix-gateway has no key");
  }
  try {
    if (trust.key) {
      tofa::health::check_signature(answer.text, answer.signature, *trust.key, std::time(nullptr),
                                    options.max_age, answer.what);
      return;
    }
    const auto voucher =
        ask_munged(*trust.munge_socket, tofa::health::credential_in(answer.signature));
    tofa::health::check_voucher(answer.text, voucher, trust.user, std::time(nullptr),
                                options.max_age, answer.what);
  } catch (const tofa::Error& error) {
    refuse(options, error.what());
  }
}

tofa::health::GatewayAnswer ask(const std::string& uri, const Options& options) {
  return options.topology ? tofa::health::ask_for_topology(uri, options.known)
                          : tofa::health::ask_for_snapshot(uri);
}

// Whoever reads it knows then that it is a topology, and whether it is whole.
std::string with_first_line(const tofa::health::GatewayAnswer& answer) {
  if (answer.what == tofa::health::kUnchangedTopology) return "tofa-topology unchanged\n";
  if (answer.text.empty()) return "tofa-topology none\n";
  return fmt::format("tofa-topology {}\n{}", answer.text.size(), answer.text);
}

[[noreturn]] void query(const std::string& uri, const Trust& trust, const Options& options) {
  const tofa::health::GatewayAnswer answer = ask(uri, options);
  if (!options.key.empty()) check(answer, trust, options);
  if (!print(options.topology ? with_first_line(answer) : answer.text)) std::_Exit(kUnavailable);
  ::close(STDOUT_FILENO);  // whoever waits for the end of the answer has it
  status_at_deadline = kOk;
  set_deadline(kLeaveSeconds);
  tofa::health::take_leave();
  std::_Exit(kOk);
}

int tell(const tofa::Error& error, const Options& options) {
  const Status status = status_of(error.kind());
  fmt::print(stderr, "tofa-query: {}{}\n", status == kUsage ? "" : options.uri + ": ",
             error.what());
  std::fflush(stderr);
  return status;
}

[[noreturn]] void query_again_if_cut_off(const Options& options, char** argv) {
  const tofa::health::Attempt attempt = tofa::health::this_attempt(options.deadline);
  arm_deadline(attempt.seconds);
  try {
    const std::string uri = tofa::health::full_uri(options.uri);
    const Trust trust = read_trust(options);
    try {
      query(uri, trust, options);
    } catch (const tofa::health::CutOff&) {
      const double left = seconds_left();
      if (!tofa::health::may_ask_again(attempt, left, uri)) throw;
      set_deadline(0);  // its handler ends with this program
      tofa::health::ask_again(attempt, left, argv);
      throw;
    }
  } catch (const tofa::Error& error) {
    std::_Exit(tell(error, options));
  }
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
  tofa::health::prepare_environment_of_pmix();
  tofa::cli::Program program("tofa-query", TOFA_VERSION);
  tofa::cli::Command& command = program.command();
  command.description("Asks tofa-pmix-gateway which nodes are likely to fail.");
  Options options;
  command.add_option("--uri", options.uri, "The gateway: IP:PORT or NSPACE.RANK;tcp4://IP:PORT")
      ->required()
      ->option_text("URI");
  command.add_option("--deadline", options.deadline, "Seconds after which to give up (default 2)")
      ->check(tofa::cli::range(0.01, 3600.0))
      ->option_text("SECONDS");
  command
      .add_option("--key", options.key,
                  "Public key that the answer must be signed with, or munge, or munge:SOCKET\n"
                  "(default: none, any will do)")
      ->option_text("FILE");
  command
      .add_option("--key-user", options.key_user,
                  fmt::format("With munge, who must have signed, besides root (default {})",
                              options.key_user))
      ->option_text("USER");
  command
      .add_option("--max-age", options.max_age,
                  "Seconds between the signature and now at most (default 300)")
      ->check(tofa::cli::range(1.0, 86'400.0))
      ->option_text("SECONDS");
  command.add_flag("--topology", options.topology,
                   "Ask for the topology file that is handed out, not for the snapshot");
  command
      .add_option("--known", options.known,
                  "With --topology: of this fingerprint it is known; do not send it again")
      ->option_text("FINGERPRINT");
  command.footer(
      "Prints JSON, the snapshot of tofa-healthd; tofa health list is for people. With --topology,\n"
      "a line `tofa-topology BYTES` and so many bytes, or `tofa-topology none` or `unchanged`.\n"
      "Exit status: 0 answered, 2 usage, 3 service unavailable, 4 deadline passed, 5 no data,\n"
      "6 the signature is missing or wrong.\n"
      "Example:\n  tofa-query --uri 10.1.0.1:7412");
  if (const auto status = program.parse(argc, argv)) return *status;
  if (options.known.size() > kLongestFingerprint ||
      options.known.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fmt::print(stderr, "tofa-query: --known: is no fingerprint, which is hexadecimal digits\n");
    return kUsage;
  }
  set_limits(options.deadline);
  query_again_if_cut_off(options, argv);
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
