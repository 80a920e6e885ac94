// SPDX-License-Identifier: BSD-3-Clause
// Addresses of hosts. Names are looked up in the background, so that a name server that is slow or
// silent holds up no heartbeat; those that are not found are tried again, and those that are found
// are looked up again from time to time, since addresses change. A name server that fails later
// takes no address away.
#pragma once

#include <netinet/in.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "healthd/config.hpp"

namespace tofa::health {

struct ResolverOptions {
  using Seconds = std::chrono::duration<double>;
  std::function<std::optional<SocketAddress>(const HostPort&)> lookup = resolve;
  Seconds patience{2};  // with the first look at all names
  Seconds retry{60};    // of names that were not found
  Seconds renew{3600};  // of all names
};

class Resolver {
 public:
  // Returns when all names have been looked up, or with what is there when the patience ends.
  explicit Resolver(const std::vector<HostConfig>& hosts, ResolverOptions options = {});

  // One address per host; nothing where there is none yet. Starts another look when one is due.
  std::vector<std::optional<SocketAddress>> addresses();

 private:
  struct Shared;  // with the background thread, which may outlive this object
  static void start_look(const std::shared_ptr<Shared>& shared, bool all);

  std::shared_ptr<Shared> shared_;
  ResolverOptions::Seconds retry_;
  ResolverOptions::Seconds renew_;
  std::chrono::steady_clock::time_point looked_;      // at those that were missing
  std::chrono::steady_clock::time_point looked_all_;  // at all
};

}  // namespace tofa::health
