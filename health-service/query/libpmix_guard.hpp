// SPDX-License-Identifier: BSD-3-Clause
// What of libpmix's way to connect is put right; see libpmix_guard.cpp.
#pragma once

#include <cstdint>

namespace tofa::health {

// The port that connections over IPv6 without one are meant for.
void set_gateway_port(std::uint16_t port);

}  // namespace tofa::health
