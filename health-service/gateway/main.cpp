// SPDX-License-Identifier: BSD-3-Clause
// tofa-pmix-gateway: answers PMIx queries for outage probabilities from the snapshot of
// tofa-healthd. It is a process of its own, with no state and no privilege, because libpmix as a
// server is fragile: it may crash and be restarted at any time. libpmix also leaks with every
// client, so the gateway replaces itself (exec) every so many clients, keeping the listening
// socket, in which the kernel queues clients meanwhile.
#include <fcntl.h>
#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/key_file.hpp"
#include "common/pmix_environment.hpp"
#include "common/wire.hpp"
#include "gateway/gate.hpp"
#include "gateway/pmix_server.hpp"
#include "tofa/error.hpp"

namespace {

using namespace tofa::health;
using tofa::Error;
using tofa::ErrorKind;
using tofa::FileDescriptor;

constexpr rlim_t kMostDescriptors = 4096;

struct Options {
  std::string listen = fmt::format("127.0.0.1:{}", kDefaultGatewayPort);
  std::string snapshot = "/run/tofa/snapshot.json";
  std::string key;  // file; empty: answers are not signed
  bool print_public_key = false;
  std::uint64_t renew_after = 1000;
};

// Removed with all libpmix has put into it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = (std::filesystem::temp_directory_path() / "tofa-gateway-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) {
      throw Error(ErrorKind::unavailable, fmt::format("{}: {}; set TMPDIR to a writable folder",
                                                      path_, std::strerror(errno)));
    }
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { remove(); }
  void remove() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

FileDescriptor take_passed(int count) {
  if (count != 1 || ::sd_is_socket_inet(SD_LISTEN_FDS_START, AF_INET, SOCK_STREAM, 1, 0) <= 0) {
    throw Error(ErrorKind::bad_input,
                "what was passed is not one listening IPv4 socket; in tofa-pmix-gateway.socket, "
                "ListenStream must be ADDRESS:PORT, e.g. 10.0.0.1:7412");
  }
  ::fcntl(SD_LISTEN_FDS_START, F_SETFD, FD_CLOEXEC);
  ::fcntl(SD_LISTEN_FDS_START, F_SETFL, O_NONBLOCK);
  return FileDescriptor(SD_LISTEN_FDS_START);
}

// From systemd or from the process this one replaces; otherwise a new one.
FileDescriptor take_listener(const std::string& address) {
  if (const int passed = ::sd_listen_fds(1); passed > 0) return take_passed(passed);
  const sockaddr_in where = numeric_address(split_host_port(address, kDefaultGatewayPort));
  FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!listener || ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    throw Error(
        ErrorKind::unavailable,
        fmt::format("cannot listen on TCP {}: {}; choose another with --listen ADDRESS:PORT",
                    to_string(where), std::strerror(errno)));
  }
  return listener;
}

std::string address_of(const FileDescriptor& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  (void)::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return to_string(address);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_max, std::max(limit.rlim_cur, kMostDescriptors));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Hands the listening socket to a fresh process image, the way systemd hands sockets over.
[[noreturn]] void renew(FileDescriptor listener, char** argv) {
  const int fd = listener.release();
  if (fd != SD_LISTEN_FDS_START) {
    ::dup2(fd, SD_LISTEN_FDS_START);
  } else {
    ::fcntl(fd, F_SETFD, 0);
  }
  ::close_range(SD_LISTEN_FDS_START + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::setenv("LISTEN_FDS", "1", 1);
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::execv("/proc/self/exe", argv);
  throw Error(ErrorKind::unavailable, fmt::format("cannot start afresh: {}", std::strerror(errno)));
}

std::optional<Signer> make_signer(const std::string& file) {
  if (file.empty()) return std::nullopt;
  const auto key = read_secret_key(file);
  return key ? std::optional<Signer>(*key) : std::nullopt;
}

void print_public_key(const Options& options) {
  const auto signer = make_signer(options.key);
  if (!signer) {
    throw Error(ErrorKind::bad_input, "no secret key to print the public one of; name it: --key");
  }
  fmt::print("{}", signer->public_key());
}

void serve(const Options& options, char** argv) {
  SignalQueue signals{SIGTERM, SIGINT};
  raise_descriptor_limit();
  FileDescriptor listener = take_listener(options.listen);
  const std::string address = address_of(listener);
  TemporaryDirectory directory;
  const auto signer = make_signer(options.key);
  static SnapshotSource source(options.snapshot, signer);
  Handover::instance().set_private_address(start_pmix_server(directory.path(), source));
  Gate gate(std::move(listener), Handover::instance());
  spdlog::info("answering from {} at {}.0;tcp4://{}, {}", options.snapshot, kGatewayNamespace,
               address, signer ? "signed" : "not signed (no --key)");
  notify_systemd("READY=1");
  while (signals.take() == 0) {
    gate.serve(signals.fd());
    if (options.renew_after == 0 || gate.handed_over() < options.renew_after) continue;
    gate.close();
    if (!gate.idle()) continue;
    spdlog::info("starting afresh after {} clients", gate.handed_over());
    directory.remove();
    renew(gate.release_listener(), argv);
  }
  notify_systemd("STOPPING=1");
  spdlog::info("asked to stop");
}

void run(tofa::cli::Command& command, const std::function<void()>& parse, char** argv) {
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
  command.add_option("--key", options.key, "Secret key to sign answers with (default: none)")
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
  serve(options, argv);
}

}  // namespace

int main(int argc, char** argv) {
  prepare_environment_of_pmix();
  // libpmix writes to sockets whose other end may be gone.
  std::signal(SIGPIPE, SIG_IGN);
  const int status =
      run_daemon("tofa-pmix-gateway", argc, argv,
                 [argv](tofa::cli::Command& command, const std::function<void()>& parse) {
                   run(command, parse, argv);
                 });
  std::fflush(nullptr);
  // libpmix's threads still run; its destructors must not meet them.
  std::_Exit(status);
}
