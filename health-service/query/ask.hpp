// SPDX-License-Identifier: BSD-3-Clause
// The questions that tofa-query asks.
#pragma once

#include <string>
#include <string_view>

#include "tofa/error.hpp"

namespace tofa::health {

// nspace.rank;tcp4://IP:port, or tcp6://[IP]:port, from itself or from IP:port or [IP]:port. Throws
// tofa::Error (bad_input).
std::string full_uri(const std::string& uri);

struct GatewayAnswer {
  std::string text;       // of the snapshot (tofa/health_snapshot.hpp), or of the topology file
  std::string signature;  // common/signature.hpp; empty: there is none
  std::string_view what;  // that the signature must be for
};

// Whoever listens there has ended the connection before there was an answer, or nobody listens.
struct CutOff : Error {
  using Error::Error;
};

// Throws tofa::Error: unmet when the gateway has no data, else unavailable. May hang; the caller
// sees to it that the process ends.
GatewayAnswer ask_for_snapshot(const std::string& uri);
// An empty text where none is handed out; the fingerprint itself, as kUnchangedTopology, where the
// topology is the one of that fingerprint.
GatewayAnswer ask_for_topology(const std::string& uri, const std::string& known);

// Tells the gateway that this tool leaves. May hang as well.
void take_leave();

}  // namespace tofa::health
