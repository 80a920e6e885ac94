// SPDX-License-Identifier: BSD-3-Clause
// The background thread shares the ownership of its data, so that a Resolver can go, when the
// configuration is reloaded, without waiting for a name server that hangs.
#include "healthd/resolver.hpp"

#include <spdlog/spdlog.h>

#include <mutex>
#include <thread>

namespace tofa::health {
namespace {

constexpr std::chrono::seconds kRetry{60};

}  // namespace

struct Resolver::Shared {
  explicit Shared(const std::vector<HostConfig>& configured)
      : hosts(configured), addresses(hosts.size()) {}

  // Tries all hosts without an address; returns how many are left.
  std::size_t try_missing() {
    std::size_t missing = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      {
        const std::lock_guard lock(mutex);
        if (addresses[i]) continue;
      }
      const auto found = resolve(hosts[i].address);
      if (!found) ++missing;
      const std::lock_guard lock(mutex);
      addresses[i] = found;
    }
    return missing;
  }

  const std::vector<HostConfig> hosts;
  std::mutex mutex;
  std::vector<std::optional<sockaddr_in>> addresses;
  bool trying = false;
};

Resolver::Resolver(const std::vector<HostConfig>& hosts)
    : shared_(std::make_shared<Shared>(hosts)),
      next_try_(std::chrono::steady_clock::now() + kRetry) {
  const std::size_t missing = shared_->try_missing();
  if (missing == 0) return;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (shared_->addresses[i]) continue;
    spdlog::warn(
        "{} of {} hosts have no IPv4 address and are not polled, first {} (\"{}\"); correct "
        "[hosts] address or the name service",
        missing, hosts.size(), hosts[i].name, hosts[i].address.host);
    return;
  }
}

std::vector<std::optional<sockaddr_in>> Resolver::addresses() {
  const std::lock_guard lock(shared_->mutex);
  bool missing = false;
  for (const auto& address : shared_->addresses) missing = missing || !address;
  const auto now = std::chrono::steady_clock::now();
  if (missing && !shared_->trying && now >= next_try_) {
    next_try_ = now + kRetry;
    shared_->trying = true;
    std::thread([shared = shared_] {
      shared->try_missing();
      const std::lock_guard done(shared->mutex);
      shared->trying = false;
    }).detach();
  }
  return shared_->addresses;
}

}  // namespace tofa::health
