// SPDX-License-Identifier: BSD-3-Clause
// The questions tofa-query asks, and the text it prints.
#pragma once

#include <string>

namespace tofa::health {

// nspace.rank;tcp4://IP:port from itself or from IP:port. Throws tofa::Error (bad_input).
std::string full_uri(const std::string& uri);

// Each asks the gateway and returns lines and a last line END. Throws tofa::Error: unmet when the
// gateway has no data, else unavailable. May hang; the caller sees to it that the process ends.
//
// `host probability age_seconds outages_per_hour`; the last is missing where the gateway is of a
// version that does not tell.
std::string ask_for_outages(const std::string& uri);
// `host start end cause`, in seconds since 1970; the end is "-" while the outage lasts.
std::string ask_for_history(const std::string& uri);

// Tells the gateway that this tool leaves. May hang as well.
void take_leave();

}  // namespace tofa::health
