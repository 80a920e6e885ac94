// SPDX-License-Identifier: BSD-3-Clause
// What tofa-query and tofa-pmix-gateway agree on: the gateway's name and port, and two PMIx query
// keys. Each is answered by columns of equal length, or by the reason why there is nothing to
// answer. The estimates come with the gateway's clock, from which the age of each follows.
#pragma once

#include <cstdint>

namespace tofa::health {

inline constexpr const char* kGatewayNamespace = "tofa-health";  // libpmix wants no dots in it
inline constexpr std::uint16_t kDefaultGatewayPort = 7412;

inline constexpr const char* kOutagesKey = "tofa.outages";              // what is asked for
inline constexpr const char* kHostsKey = "tofa.hosts";                  // PMIX_STRING array
inline constexpr const char* kProbabilitiesKey = "tofa.probabilities";  // PMIX_DOUBLE array
inline constexpr const char* kPolledKey = "tofa.polled";                // PMIX_TIME array
inline constexpr const char* kRatesKey = "tofa.rates";  // PMIX_DOUBLE array, outages per hour
inline constexpr const char* kNowKey = "tofa.now";      // PMIX_TIME

inline constexpr const char* kHistoryKey = "tofa.history";  // what is asked for; kHostsKey and
inline constexpr const char* kStartsKey = "tofa.starts";    // PMIX_TIME array
inline constexpr const char* kEndsKey = "tofa.ends";        // PMIX_TIME array, 0 while it lasts
inline constexpr const char* kCausesKey = "tofa.causes";    // PMIX_STRING array

inline constexpr const char* kErrorKey = "tofa.error";  // PMIX_STRING, alone

}  // namespace tofa::health
