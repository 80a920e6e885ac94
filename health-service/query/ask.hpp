// SPDX-License-Identifier: BSD-3-Clause
// The one question that tofa-query asks.
#pragma once

#include <string>

namespace tofa::health {

// nspace.rank;tcp4://IP:port from itself or from IP:port. Throws tofa::Error (bad_input).
std::string full_uri(const std::string& uri);

struct GatewayAnswer {
  std::string text;       // of the gateway's snapshot (tofa/health_snapshot.hpp)
  std::string signature;  // common/signature.hpp; empty: there is none
};

// Throws tofa::Error: unmet when the gateway has no data, else unavailable. May hang; the caller
// sees to it that the process ends.
GatewayAnswer ask_for_snapshot(const std::string& uri);

// Tells the gateway that this tool leaves. May hang as well.
void take_leave();

}  // namespace tofa::health
