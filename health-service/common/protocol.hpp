// SPDX-License-Identifier: BSD-3-Clause
// The heartbeat protocol between tofa-healthd and tofa-noded: one UDP datagram each way, text,
// versioned.
//
//     request   tofa-heartbeat 1 NONCE\n, padded with spaces to kRequestSize bytes
//     answer    tofa-heartbeat 1 NONCE HOST BOOT_ID UPTIME_SECONDS\n
//               tofa-heartbeat 2 NONCE HOST BOOT_ID UPTIME_SECONDS MAC\n
//               tofa-heartbeat 3 NONCE HOST BOOT_ID UPTIME_SECONDS FAILURE\n
//               tofa-heartbeat 4 NONCE HOST BOOT_ID UPTIME_SECONDS FAILURE MAC\n
//
// NONCE is 32 hexadecimal digits, drawn anew for every heartbeat: whoever cannot see the request
// cannot forge the answer. An answer is never larger than the request, so that nobody can amplify
// traffic with an agent.
//
// An agent that has the key adds a MAC of all that comes before it (BLAKE2b with the key, 64
// hexadecimal digits, in half of the time of an HMAC), which tofa-healthd asks for where it has the
// key, too: then whoever sees the request cannot forge the answer either, and the nonce keeps an
// answer from counting twice.
//
// FAILURE is what a check of the node's own has found, `NAME: what it said`, with blanks in it. As
// programs of other versions refuse whatever they do not know, tofa-healthd says that it does know
// this by the end of the nonce (as TLS 1.3 tells in its random numbers what a server can do, RFC
// 8446, 4.1.3), and the other twelve bytes are drawn. Without it an agent keeps failures to itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/signature.hpp"

namespace tofa::health {

inline constexpr std::uint16_t kDefaultAgentPort = 7411;
inline constexpr std::size_t kRequestSize = 512;

// The boot id of a node that cannot tell one.
inline constexpr std::string_view kUnknownBoot = "unknown";

struct HeartbeatAnswer {
  std::string nonce;
  std::string host;
  std::string boot_id;  // changes when the node reboots
  std::uint64_t uptime_seconds = 0;
  std::string mac = {};      // empty: the agent has no key
  std::string failure = {};  // of a check, as in tofa/outage_cause.hpp; empty: none is known
  friend bool operator==(const HeartbeatAnswer&, const HeartbeatAnswer&) = default;
};

// What a nonce ends with when whoever asks knows failures of checks.
inline constexpr std::string_view kKnowsFailures = "63686b31";

inline constexpr std::size_t kLongestFailure = 140;
// As much of what a check said as fits into the answer, signed or not. To be set before it is
// signed.
void set_failure(HeartbeatAnswer& answer, std::string_view failure);

std::string format_request(std::string_view nonce);
// The nonce of a well-formed request; nothing otherwise.
std::optional<std::string> parse_request(std::string_view datagram);

// With the MAC that the answer has, whatever it is; sign() makes the right one.
std::string format_answer(const HeartbeatAnswer& answer);
std::optional<HeartbeatAnswer> parse_answer(std::string_view datagram);

HeartbeatAnswer sign(HeartbeatAnswer answer, const KeyBytes& key);
// Whether somebody who has the key wrote this answer.
bool is_authentic(const HeartbeatAnswer& answer, const KeyBytes& key);

}  // namespace tofa::health
