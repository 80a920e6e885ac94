// SPDX-License-Identifier: BSD-3-Clause
// libsodium does the work. What is signed begins with what it is and when, so that no signature can
// be taken for one of something else.
#include "common/signature.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <cmath>
#include <optional>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

static_assert(crypto_sign_SEEDBYTES == kKeyBytes && crypto_sign_PUBLICKEYBYTES == kKeyBytes &&
              crypto_sign_SECRETKEYBYTES == 2 * kKeyBytes);

constexpr std::string_view kPublicKey = "ed25519 ";
constexpr std::string_view kSignature = "tofa-signature 1 ";

using SignatureBytes = std::array<unsigned char, crypto_sign_BYTES>;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

template <std::size_t size>
std::string to_hex(const std::array<unsigned char, size>& bytes) {
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// Lower-case digits only, so that bytes have one spelling.
template <typename Bytes>
std::optional<Bytes> from_hex(std::string_view text) {
  Bytes bytes{};
  if (text.size() != 2 * bytes.size() ||
      text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::nullopt;
  }
  std::size_t written = 0;
  if (::sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &written,
                       nullptr) != 0 ||
      written != bytes.size()) {
    return std::nullopt;
  }
  return bytes;
}

std::string_view without_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

std::string signed_text(std::string_view what, std::string_view text, std::int64_t time) {
  return fmt::format("{} {}\n{}", what, time, text);
}

const unsigned char* bytes_of(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// May be called again.
void start_libsodium() {
  if (::sodium_init() < 0) throw Error(ErrorKind::unavailable, "libsodium does not start");
}

}  // namespace

KeyBytes parse_secret_key(std::string_view text) {
  start_libsodium();  // for whatever is done with the key
  const auto key = from_hex<KeyBytes>(without_end(text));
  if (!key) {
    refuse(
        "is no secret key, which is 64 hexadecimal digits in lower case; make one with "
        "od -An -v -tx1 -N32 /dev/urandom | tr -d ' \\n'");
  }
  return *key;
}

KeyBytes parse_public_key(std::string_view text) {
  text = without_end(text);
  std::optional<KeyBytes> key;
  if (text.starts_with(kPublicKey)) key = from_hex<KeyBytes>(text.substr(kPublicKey.size()));
  if (!key) refuse("is no public key; write what tofa-pmix-gateway --public-key prints to it");
  return *key;
}

Signer::Signer(const KeyBytes& secret) {
  start_libsodium();
  (void)::crypto_sign_seed_keypair(public_.data(), secret_.data(), secret.data());
}

std::string Signer::sign(std::string_view text, std::int64_t time, std::string_view what) const {
  SignatureBytes signature{};
  const std::string message = signed_text(what, text, time);
  (void)::crypto_sign_detached(signature.data(), nullptr, bytes_of(message), message.size(),
                               secret_.data());
  return fmt::format("{}{} {}", kSignature, time, to_hex(signature));
}

std::string Signer::public_key() const {
  return fmt::format("{}{}\n", kPublicKey, to_hex(public_));
}

void check_signature(std::string_view text, std::string_view signature, const KeyBytes& key,
                     std::int64_t now, double max_age, std::string_view what) {
  start_libsodium();
  if (!signature.starts_with(kSignature)) refuse("its signature is malformed");
  signature.remove_prefix(kSignature.size());
  const std::size_t space = signature.find(' ');
  const auto time = parse_number<std::int64_t>(signature.substr(0, space));
  const auto bytes = space == std::string_view::npos
                         ? std::nullopt
                         : from_hex<SignatureBytes>(signature.substr(space + 1));
  // Written in one way only, so that one signature is one text.
  const bool written_so = time && fmt::format("{}", *time) == signature.substr(0, space);
  if (!written_so || *time < 0 || !bytes) refuse("its signature is malformed");
  const std::string message = signed_text(what, text, *time);
  if (::crypto_sign_verify_detached(bytes->data(), bytes_of(message), message.size(), key.data()) !=
      0) {
    refuse("it is not signed with the key that is trusted here, or it was altered");
  }
  check_time_of_signature(*time, now, max_age);
}

void check_time_of_signature(std::int64_t time, std::int64_t now, double max_age) {
  const double age = static_cast<double>(now) - static_cast<double>(time);
  if (std::abs(age) <= max_age) return;
  refuse(fmt::format(
      "it was signed {:.0f} s {}, {:.0f} s are allowed; somebody repeats an old answer, or the "
      "clocks of the two hosts differ",
      std::abs(age), age < 0 ? "in the future" : "ago", max_age));
}

}  // namespace tofa::health
