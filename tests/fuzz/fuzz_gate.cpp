// SPDX-License-Identifier: BSD-3-Clause
// What a stranger sends to the gateway: a handshake and messages. Whatever libpmix would get is
// short, and is itself what the gate lets through unchanged.
#include <cstring>

#include "fuzz_target.hpp"
#include "gateway/handshake.hpp"
#include "gateway/message.hpp"

namespace {

using tofa::fuzz::require;
using tofa::health::Check;
using tofa::health::FrameVerdict;

// The bytes that are left after the first message; none when it was not let through.
template <typename Look>
std::string_view after(std::string_view received, std::size_t largest, const Look& look) {
  const Check check = look(received);
  if (check.verdict == FrameVerdict::incomplete) {
    require(check.bytes > received.size() && check.bytes <= largest);
  }
  if (check.verdict != FrameVerdict::complete) {
    require(check.relay.empty());
    return {};
  }
  require(check.bytes <= received.size() && check.relay.size() <= largest);
  const Check again = look(check.relay);
  require(again.verdict == FrameVerdict::complete && again.relay == check.relay);
  return received.substr(check.bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa::health;
  const std::string_view received = tofa::fuzz::as_text(data, size);
  std::string_view left = after(received, kLargestHandshake, check_handshake);
  while (!left.empty()) left = after(left, kLargestMessage, check_message);
  // Mutations of a handshake that is refused still try what follows it.
  if (size > 0 && data[0] == 0) (void)after(received, kLargestMessage, check_message);
  return 0;
}
