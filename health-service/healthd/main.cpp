// SPDX-License-Identifier: BSD-3-Clause
// tofa-healthd: polls every node with heartbeats, as the Fault Aware Slurmctld plugin of the TOFA
// paper does, and infers outage probabilities from their history. It owns the state;
// tofa-pmix-gateway only reads the snapshot.
#include <fmt/core.h>

#include <csignal>
#include <ctime>

#include "common/daemon.hpp"
#include "common/key_file.hpp"
#include "healthd/control_socket.hpp"
#include "healthd/daemon_loop.hpp"
#include "healthd/history_import.hpp"
#include "tofa/topology.hpp"

namespace {

void run(tofa::cli::Command& command, const std::function<void()>& parse) {
  command.description("Polls nodes with heartbeats and estimates how likely each is to fail.");
  std::string config_file = "/etc/tofa/healthd.toml";
  std::string log;
  bool check = false;
  command.add_option("--config", config_file, "Configuration (default " + config_file + ")")
      ->option_text("FILE");
  command.add_flag("--check", check,
                   "Read the configuration and the files it names, say what is wrong, and end");
  command
      .add_option("--import", log,
                  "Add past outages to the database, and end: lines host,start,end[,cause], or "
                  "what sacctmgr -P show event prints; - is standard input")
      ->check(tofa::cli::kNotEmpty)
      ->option_text("FILE")
      ->excludes("--check");
  command.footer(
      "Examples:\n"
      "  tofa-healthd --import outages.csv\n"
      "  tofa-healthd --config healthd.toml --check\n"
      "  kill -HUP PID     reads the configuration anew, keeps all estimates");
  parse();
  if (check) {
    const auto config = tofa::health::read_config(config_file);
    if (!config.heartbeat_key.empty()) (void)tofa::health::read_secret_key(config.heartbeat_key);
    if (!config.network.topology.empty()) (void)tofa::read_topology(config.network.topology);
    (void)tofa::health::find_group(config.control.group);
    fmt::print("{}: ok, {} hosts\n", config_file, config.hosts.size());
    return;
  }
  if (!log.empty()) {
    const auto config = tofa::health::read_config(config_file);
    fmt::print("{}",
               tofa::health::import_history(log, config, static_cast<double>(std::time(nullptr))));
    return;
  }
  // A file that reaches its size limit is a failed write like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  tofa::health::HealthDaemon(config_file).run();
}

}  // namespace

int main(int argc, char** argv) {
  return tofa::health::run_daemon("tofa-healthd", argc, argv, run);
}
