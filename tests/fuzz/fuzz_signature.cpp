// SPDX-License-Identifier: BSD-3-Clause
// Signatures and keys that anybody may have written. Nobody here has the secret key, so nothing but
// the one signature of the corpus is ever accepted for its text.
#include "common/munge_signature.hpp"
#include "common/signature.hpp"
#include "fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  static const health::Signer signer(health::parse_secret_key(std::string(64, '7')));
  static const health::KeyBytes key = health::parse_public_key(signer.public_key());
  static const std::string genuine = signer.sign("text", 1'700'000'000);
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::parse_or_refuse([&] {
    health::check_signature("text", text, key, 1'700'000'000, 1e18);
    fuzz::require(text == genuine);
  });
  fuzz::parse_or_refuse([&] { (void)health::parse_secret_key(text); });
  fuzz::parse_or_refuse([&] {
    health::check_signature("text", genuine, health::parse_public_key(text), 1'700'000'000, 1e18);
    fuzz::require(health::parse_public_key(text) == key);
  });
  static const std::string payload = health::munge_payload("text", 1'700'000'000, "tofa.snapshot");
  fuzz::parse_or_refuse([&] {
    health::check_voucher("text", {std::string(text), 7}, 7, 1'700'000'000, 1e18);
    const std::string other(text);
    fuzz::require(other.size() >= payload.size() - 10 && other.ends_with(payload.substr(24)));
  });
  fuzz::parse_or_refuse([&] { (void)health::credential_in(text); });
  fuzz::parse_or_refuse([&] { (void)health::munge_socket_in(text); });
  return 0;
}
