// SPDX-License-Identifier: BSD-3-Clause
// tofa-noded: runs on every node and answers the heartbeats of tofa-healthd, in the foreground,
// until SIGTERM. It stands for the paper's NodeState plugin, but ends and starts with the node
// rather than with slurmd.
#include <fmt/core.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/key_file.hpp"
#include "common/protocol.hpp"
#include "noded/agent.hpp"
#include "noded/check_runner.hpp"
#include "tofa/error.hpp"
#include "tofa/host_index.hpp"

namespace {

using namespace tofa::health;

std::string own_host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

void serve(const SocketAddress& listen, const std::string& host, const std::optional<KeyBytes>& key,
           const CheckOptions& checks) {
  SignalQueue signals{SIGTERM, SIGINT};
  // Who started this may have ignored it, and then nobody learns how a check ended.
  (void)std::signal(SIGCHLD, SIG_DFL);
  std::optional<CheckRunner> runner;
  Agent agent(listen, host, key, [&runner] { return runner ? runner->failure() : std::string(); });
  if (!checks.folder.empty()) runner.emplace(checks);
  spdlog::info("answering heartbeats for {} on UDP {}, {}", host, to_string(listen),
               key ? "signed" : "not signed (no --key)");
  notify_systemd("READY=1");
  for (;;) {
    pollfd waiting[] = {{signals.fd(), POLLIN, 0}, {agent.fd(), POLLIN, 0}};
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR) {
      throw tofa::Error(tofa::ErrorKind::unavailable,
                        fmt::format("poll: {}", std::strerror(errno)));
    }
    if (signals.take() != 0) break;
    agent.answer_pending();
  }
  notify_systemd("STOPPING=1");
  spdlog::info("asked to stop");
}

void run(tofa::cli::Command& command, const std::function<void()>& parse) {
  command.description("Answers the heartbeats of tofa-healthd for this node.");
  std::string listen = fmt::format("0.0.0.0:{}", kDefaultAgentPort);
  std::string host = own_host_name();
  std::string key;
  CheckOptions checks;
  command.add_option("--listen", listen, "UDP address to listen on (default " + listen + ")")
      ->option_text("ADDRESS:PORT");
  command.add_option("--name", host, "Host name to answer with (default: this host's)")
      ->option_text("HOST");
  command.add_option("--key", key, "Key to sign answers with, which tofa-healthd has, too")
      ->option_text("FILE");
  command.add_option("--checks", checks.folder, "Folder of executables that check this node")
      ->check(tofa::cli::kNotEmpty)
      ->option_text("FOLDER");
  command.add_option("--check-period", checks.period, "Seconds between their runs (default 60)")
      ->check(tofa::cli::range(1U, 86'400U))
      ->option_text("SECONDS");
  command.add_option("--check-timeout", checks.timeout, "Seconds that each may take (default 10)")
      ->check(tofa::cli::range(1U, 3600U))
      ->option_text("SECONDS");
  command.footer("Example:\n  tofa-noded --listen 10.1.0.7:7411 --name n007");
  parse();
  if (const char* folder = std::getenv("RUNTIME_DIRECTORY"); folder != nullptr && *folder != '\0')
    checks.memory = fmt::format("{}/checks", folder);
  if (!tofa::is_host_name(host)) {
    throw tofa::Error(tofa::ErrorKind::bad_input,
                      fmt::format("\"{}\" is no host name; give one with --name", host));
  }
  serve(numeric_address(split_host_port(listen, kDefaultAgentPort)), host,
        key.empty() ? std::nullopt : read_secret_key(key), checks);
}

}  // namespace

int main(int argc, char** argv) {
  return tofa::health::run_daemon("tofa-noded", argc, argv, run);
}
