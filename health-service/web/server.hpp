// SPDX-License-Identifier: BSD-3-Clause
// What tofa-health-web serves over HTTP: metrics for Prometheus, a page for people, and what the
// page is made of. Everything is read-only.
#pragma once

#include <memory>
#include <string>

#include "common/address.hpp"
#include "tofa/topology.hpp"

namespace tofa::health {

struct WebOptions {
  HostPort listen;
  std::string snapshot;                      // the file
  std::unique_ptr<const Topology> topology;  // may be null
};

class WebServer {
 public:
  // Throws tofa::Error when the address is not to be had.
  explicit WebServer(WebOptions options);
  // Ends the server and its threads.
  ~WebServer();

  // False once it has ended by itself.
  bool running() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tofa::health
