// SPDX-License-Identifier: BSD-3-Clause
// The background thread shares the ownership of its data, so that a Resolver can go, when the
// configuration is reloaded, without waiting for a name server that hangs. It uses nothing else,
// not even the log, so that the daemon can end meanwhile.
#include "healthd/resolver.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace tofa::health {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct Resolver::Shared {
  Shared(const std::vector<HostConfig>& configured, ResolverOptions& options)
      : hosts(configured), lookup(std::move(options.lookup)), addresses(hosts.size()) {}

  // What needs no name server comes first.
  void look(bool all) {
    for (const bool numeric : {true, false}) {
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (is_numeric(hosts[i].address.host) == numeric && is_due(i, all)) look_up(i);
      }
    }
    const std::lock_guard lock(mutex);
    looking = false;
    ended.notify_all();
  }

  bool is_due(std::size_t host, bool all) {
    const std::lock_guard lock(mutex);
    return all || !addresses[host];
  }

  void look_up(std::size_t host) {
    const auto found = lookup(hosts[host].address);
    const std::lock_guard lock(mutex);
    if (found) addresses[host] = found;
  }

  // Once a look has ended; not again while no more names are missing than before.
  void warn() {
    if (looking) return;
    const auto missing =
        static_cast<std::size_t>(std::count(addresses.begin(), addresses.end(), std::nullopt));
    if (std::exchange(warned, missing) >= missing) return;
    const auto first = std::find(addresses.begin(), addresses.end(), std::nullopt);
    const HostConfig& host = hosts[static_cast<std::size_t>(first - addresses.begin())];
    spdlog::warn(
        "{} of {} hosts have no address and are not polled, first {} (\"{}\"); correct "
        "[hosts] address or the name service",
        missing, hosts.size(), host.name, host.address.host);
  }

  const std::vector<HostConfig> hosts;
  const std::function<std::optional<SocketAddress>(const HostPort&)> lookup;
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::optional<SocketAddress>> addresses;
  std::size_t warned = 0;  // of so many names
  bool looking = false;
};

Resolver::Resolver(const std::vector<HostConfig>& hosts, ResolverOptions options)
    : shared_(std::make_shared<Shared>(hosts, options)),
      retry_(options.retry),
      renew_(options.renew),
      looked_(Clock::now()),
      looked_all_(looked_) {
  start_look(shared_, true);
  std::unique_lock lock(shared_->mutex);
  if (!shared_->ended.wait_for(lock, options.patience, [this] { return !shared_->looking; })) {
    spdlog::warn("the name service is slow; hosts are polled as soon as they are found in it");
  }
  shared_->warn();
}

void Resolver::start_look(const std::shared_ptr<Shared>& shared, bool all) {
  shared->looking = true;
  std::thread([shared, all] { shared->look(all); }).detach();
}

std::vector<std::optional<SocketAddress>> Resolver::addresses() {
  const std::lock_guard lock(shared_->mutex);
  shared_->warn();
  const auto now = Clock::now();
  const bool all = now >= looked_all_ + renew_;
  const bool missing =
      std::count(shared_->addresses.begin(), shared_->addresses.end(), std::nullopt) > 0;
  if (!shared_->looking && (all || (missing && now >= looked_ + retry_))) {
    looked_ = now;
    if (all) looked_all_ = now;
    start_look(shared_, all);
  }
  return shared_->addresses;
}

}  // namespace tofa::health
