// SPDX-License-Identifier: BSD-3-Clause
// Addresses of hosts. Names that do not resolve are tried again in the background, so that neither
// a slow name server nor a host that is not in it yet holds up the heartbeats of the others.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "healthd/config.hpp"

namespace tofa::health {

class Resolver {
 public:
  // Resolves all names once before it returns.
  explicit Resolver(const std::vector<HostConfig>& hosts);

  // One address per host; nothing where there is none yet. Starts another try once a minute.
  std::vector<std::optional<sockaddr_in>> addresses();

 private:
  struct Shared;  // with the background thread, which may outlive this object
  std::shared_ptr<Shared> shared_;
  std::chrono::steady_clock::time_point next_try_;
};

}  // namespace tofa::health
