// SPDX-License-Identifier: BSD-3-Clause
// Datagrams of the heartbeat protocol: what is not refused is what the other side writes, and only
// the one answer of the corpus that was signed is authentic.
#include "common/protocol.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  static const health::KeyBytes key = health::parse_secret_key(std::string(64, '7'));
  const std::string_view datagram = fuzz::as_text(data, size);
  fuzz::parse_or_refuse([&] {
    const auto nonce = health::parse_request(datagram);
    if (nonce) fuzz::require(health::format_request(*nonce) == datagram);
    const auto answer = health::parse_answer(datagram);
    if (!answer) return;
    fuzz::require(health::parse_answer(health::format_answer(*answer)) == answer);
    if (health::is_authentic(*answer, key)) {
      fuzz::require(answer->nonce == "0123456789abcdef0123456789abcdef" && answer->host == "n1" &&
                    answer->boot_id == "b" && answer->uptime_seconds == 5);
    }
  });
  return 0;
}
