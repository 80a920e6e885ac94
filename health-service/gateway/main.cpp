// SPDX-License-Identifier: BSD-3-Clause
// tofa-pmix-gateway: answers PMIx queries for outage probabilities from the snapshot of
// tofa-healthd. It has no state and no privilege, because libpmix as a server is fragile: it may
// crash or hang. libpmix also leaks with every client. So it runs in a process of its own, which
// the gate replaces when it has ended, when it hangs and every so many clients, while it keeps the
// port.
#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <chrono>
#include <csignal>
#include <ctime>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/key_file.hpp"
#include "common/listener.hpp"
#include "common/pmix_environment.hpp"
#include "common/wire.hpp"
#include "gateway/gate.hpp"
#include "gateway/handover.hpp"
#include "gateway/munge_signer.hpp"
#include "gateway/pmix_server.hpp"
#include "gateway/worker.hpp"
#include "munge/munged.hpp"
#include "tofa/error.hpp"

namespace {

using namespace tofa::health;
using tofa::Error;
using tofa::ErrorKind;
using tofa::FileDescriptor;

// A fraction of the time that those who ask have.
constexpr std::chrono::milliseconds kMungeLimit{500};
constexpr rlim_t kMostDescriptors = 4096;

struct Options {
  std::string listen = fmt::format("127.0.0.1:{}", kDefaultGatewayPort);
  std::string snapshot = "/run/tofa/snapshot.json";
  std::string topology;  // file; empty: none is handed out
  std::string key;       // file or munge; empty: answers are not signed
  bool print_public_key = false;
  std::uint64_t renew_after = 1000;
};

FileDescriptor take_passed(int count) {
  if (count != 1 || ::sd_is_socket_inet(SD_LISTEN_FDS_START, AF_UNSPEC, SOCK_STREAM, 1, 0) <= 0) {
    throw Error(ErrorKind::bad_input,
                "what was passed is not one listening TCP socket; in tofa-pmix-gateway.socket, "
                "ListenStream must be ADDRESS:PORT, e.g. 10.0.0.1:7412");
  }
  ::fcntl(SD_LISTEN_FDS_START, F_SETFD, FD_CLOEXEC);
  ::fcntl(SD_LISTEN_FDS_START, F_SETFL, O_NONBLOCK);
  return FileDescriptor(SD_LISTEN_FDS_START);
}

// From systemd or from the process this one replaces; otherwise a new one.
FileDescriptor take_listener(const std::string& address) {
  if (const int passed = ::sd_listen_fds(1); passed > 0) return take_passed(passed);
  return listen_on(numeric_address(split_host_port(address, kDefaultGatewayPort)));
}

std::string address_of(const FileDescriptor& listener) {
  SocketAddress address;
  socklen_t size = sizeof address;
  (void)::getsockname(listener.get(), &address.any, &size);
  return fmt::format("{}://{}", address.any.sa_family == AF_INET6 ? "tcp6" : "tcp4",
                     to_string(address));
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, std::max(limit.rlim_cur, kMostDescriptors));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

SigningKey signing_key(const Options& options) {
  return options.key.empty() ? SigningKey() : read_signing_key(options.key);
}

// How libpmix's process signs; nothing without a key.
Sign make_sign(const SigningKey& key) {
  if (const auto* secret = std::get_if<KeyBytes>(&key)) return Signer(*secret);
  if (const auto* munge = std::get_if<MungeSocket>(&key)) {
    return MungeSigner([socket = munge->path](
                           const std::string& payload) { return munge_encode(socket, payload); },
                       kMungeLimit);
  }
  return {};
}

std::string how_signed(const SigningKey& key) {
  if (std::holds_alternative<KeyBytes>(key)) return "signed";
  if (std::holds_alternative<MungeSocket>(key)) return "signed by MUNGE";
  return "not signed (no --key)";
}

void print_public_key(const Options& options) {
  const SigningKey key = signing_key(options);
  if (std::holds_alternative<MungeSocket>(key)) {
    throw Error(ErrorKind::bad_input,
                "MUNGE has no public key; whoever asks names it: health_key = \"munge\"");
  }
  if (!std::holds_alternative<KeyBytes>(key)) {
    throw Error(ErrorKind::bad_input, "no secret key to print the public one of; name it: --key");
  }
  fmt::print("{}", Signer(std::get<KeyBytes>(key)).public_key());
}

// munged may come later, but somebody should know that it is not here.
void try_to_sign(const Sign& sign) {
  try {
    if (sign) (void)sign("", std::time(nullptr), kSnapshotText);
  } catch (const Error& error) {
    spdlog::warn("{}", error.what());
  }
}

// In a process of its own, until the gate hangs up.
void serve_libpmix(const Options& options, const SigningKey& key, int line,
                   const std::string& folder) {
  const Sign sign = make_sign(key);
  try_to_sign(sign);
  SnapshotSource source(options.snapshot, sign);
  TopologySource topology(options.topology, sign);
  Handover::instance().set_private_address(start_pmix_server(folder, source, topology));
  say_ready(line);
  while (tofa::FileDescriptor connection = take_connection(line)) {
    Handover::instance().give(std::move(connection));
  }
}

// For `systemctl status`, when there is something new to tell and not more often than that.
class StatusLine {
 public:
  void tell(const std::string& status) {
    const auto now = std::chrono::steady_clock::now();
    if (status == told_ || now < next_) return;
    notify_systemd("STATUS=" + status);
    told_ = status;
    next_ = now + std::chrono::seconds(1);
  }

 private:
  std::string told_;
  std::chrono::steady_clock::time_point next_;
};

void serve(const Options& options) {
  SignalQueue signals{SIGTERM, SIGINT};
  raise_descriptor_limit();
  FileDescriptor listener = take_listener(options.listen);
  const std::string address = address_of(listener);
  const SigningKey key = signing_key(options);
  (void)TopologySource(options.topology).answer("", 0);  // a mistake is told at once
  Gate gate(
      std::move(listener),
      [&](int line, const std::string& folder) { serve_libpmix(options, key, line, folder); },
      options.renew_after);
  spdlog::info("answering from {}{} at {}.0;{}, {}", options.snapshot,
               options.topology.empty() ? "" : " and " + options.topology, kGatewayNamespace,
               address, how_signed(key));
  notify_systemd("READY=1");
  StatusLine line;
  while (signals.take() == 0) {
    gate.serve(signals.fd());
    line.tell(gate.status());
  }
  notify_systemd("STOPPING=1");
  spdlog::info("asked to stop");
}

void run(tofa::cli::Command& command, const std::function<void()>& parse) {
  command.description("Answers PMIx queries for outage probabilities.");
  Options options;
  command
      .add_option("--listen", options.listen,
                  "TCP address to listen on (default " + options.listen + ")")
      ->option_text("ADDRESS:PORT");
  command
      .add_option("--snapshot", options.snapshot,
                  "Snapshot that tofa-healthd writes (default " + options.snapshot + ")")
      ->option_text("FILE");
  command
      .add_option("--topology", options.topology,
                  "Topology file to hand out to those who have none (default: none)")
      ->option_text("FILE");
  command
      .add_option("--key", options.key,
                  "Secret key to sign answers with, or munge, or munge:SOCKET (default: none)")
      ->option_text("FILE");
  command.add_flag("--public-key", options.print_public_key,
                   "Only print the public key of --key, for those who ask");
  command
      .add_option("--renew-after", options.renew_after,
                  fmt::format("Start afresh after so many clients, 0: never (default {})",
                              options.renew_after))
      ->option_text("CLIENTS");
  command.footer(
      "Example:\n  tofa-pmix-gateway --listen 10.1.0.1:7412 --snapshot /run/tofa/snapshot.json");
  parse();
  if (options.print_public_key) return print_public_key(options);
  serve(options);
}

}  // namespace

int main(int argc, char** argv) {
  prepare_environment_of_pmix();
  // libpmix writes to sockets whose other end may be gone.
  std::signal(SIGPIPE, SIG_IGN);
  return run_daemon("tofa-pmix-gateway", argc, argv, run);
}
