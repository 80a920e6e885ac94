// SPDX-License-Identifier: BSD-3-Clause
// tofa-health-web: shows what tofa-healthd knows, to Prometheus and to people, in the foreground
// until SIGTERM. It is a process of its own, so that nothing that HTTP brings reaches the daemon.
#include <fmt/core.h>
#include <poll.h>
#include <spdlog/spdlog.h>

#include <csignal>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "tofa/error.hpp"
#include "web/server.hpp"

namespace {

using namespace tofa::health;

constexpr std::uint16_t kDefaultPort = 7413;
constexpr int kCheck = 1000;  // milliseconds

void serve(WebOptions options) {
  SignalQueue signals{SIGTERM, SIGINT};
  const std::string where = fmt::format("http://{}:{}/", options.listen.host, options.listen.port);
  const WebServer server(std::move(options));
  spdlog::info("serving {}", where);
  notify_systemd("READY=1");
  pollfd signal{signals.fd(), POLLIN, 0};
  while (signals.take() == 0) {
    if (!server.running()) {
      throw tofa::Error(tofa::ErrorKind::unavailable, "the HTTP server has ended by itself");
    }
    (void)::poll(&signal, 1, kCheck);
  }
  notify_systemd("STOPPING=1");
  spdlog::info("asked to stop");
}

void run(tofa::cli::Command& command, const std::function<void()>& parse) {
  command.description(
      "Shows what tofa-healthd knows: a page for people, /metrics for Prometheus. Read-only.");
  std::string listen = fmt::format("127.0.0.1:{}", kDefaultPort);
  std::string topology;
  WebOptions options;
  options.snapshot = "/run/tofa/snapshot.json";
  command.add_option("--listen", listen, "Address to listen on (default " + listen + ")")
      ->option_text("ADDRESS:PORT");
  command
      .add_option("--snapshot", options.snapshot,
                  "The snapshot of tofa-healthd (default " + options.snapshot + ")")
      ->option_text("FILE");
  command.add_option("--topology", topology, "Draw the hosts where this topology file has them")
      ->option_text("FILE");
  command.footer(
      "Example:\n  tofa-health-web --listen 127.0.0.1:7413 --topology /etc/tofa/topology.toml");
  parse();
  options.listen = split_host_port(listen, kDefaultPort);
  (void)numeric_address(options.listen);
  if (!topology.empty()) options.topology = tofa::read_topology(topology);
  serve(std::move(options));
}

}  // namespace

int main(int argc, char** argv) {
  return tofa::health::run_daemon("tofa-health-web", argc, argv, run);
}
