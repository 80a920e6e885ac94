// SPDX-License-Identifier: BSD-3-Clause
// The digest is BLAKE2b of 32 bytes, by libsodium.
#include "common/munge_signature.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::string_view kMunge = "munge";
constexpr std::string_view kMungeSignature = "tofa-munge 1 ";
// munged makes some 250 characters of our payload.
constexpr std::size_t kLongestCredential = 4096;

[[noreturn]] void refuse_voucher(const std::string& problem) {
  throw Error(ErrorKind::bad_input, problem);
}

std::string digest_of(std::string_view text) {
  if (::sodium_init() < 0) throw Error(ErrorKind::unavailable, "libsodium does not start");
  std::array<unsigned char, crypto_generichash_BYTES> digest{};
  (void)::crypto_generichash(digest.data(), digest.size(),
                             reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                             nullptr, 0);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

struct Payload {
  std::string_view what, digest;
  std::int64_t time = 0;
};

std::optional<Payload> parse_payload(std::string_view payload) {
  const std::size_t first = payload.find(' ');
  const std::size_t last = payload.rfind(' ');
  if (first == std::string_view::npos || first == last) return {};
  const auto time = parse_number<std::int64_t>(payload.substr(first + 1, last - first - 1));
  if (!time || *time < 0) return {};
  return Payload{payload.substr(0, first), payload.substr(last + 1), *time};
}

}  // namespace

std::optional<std::string> munge_socket_in(std::string_view key) {
  if (!key.starts_with(kMunge)) return {};
  key.remove_prefix(kMunge.size());
  if (key.empty()) return std::string();
  if (!key.starts_with(':')) return {};
  key.remove_prefix(1);
  if (!key.starts_with('/')) {
    refuse_voucher(
        fmt::format("{} is no path of munged's socket; write munge, or munge:/PATH", excerpt(key)));
  }
  return std::string(key);
}

std::string munge_payload(std::string_view text, std::int64_t time, std::string_view what) {
  return fmt::format("{} {} {}", what, time, digest_of(text));
}

std::string munge_signature(std::string_view credential) {
  return fmt::format("{}{}", kMungeSignature, credential);
}

std::string credential_in(std::string_view signature) {
  if (!signature.starts_with(kMungeSignature)) {
    refuse_voucher("it is signed with a key, and not by MUNGE, which is trusted here");
  }
  signature.remove_prefix(kMungeSignature.size());
  if (!signature.starts_with("MUNGE:") || signature.size() > kLongestCredential ||
      signature.find('\0') != std::string_view::npos) {
    refuse_voucher("its credential is malformed");
  }
  return std::string(signature);
}

void check_voucher(std::string_view text, const Voucher& voucher, uid_t trusted, std::int64_t now,
                   double max_age, std::string_view what) {
  if (voucher.user != trusted && voucher.user != 0) {
    refuse_voucher(
        fmt::format("it is signed by user {}, and user {} is trusted here", voucher.user, trusted));
  }
  const auto payload = parse_payload(voucher.payload);
  if (!payload || payload->what != what || payload->digest != digest_of(text)) {
    refuse_voucher("its credential is for another text; it was altered");
  }
  check_time_of_signature(payload->time, now, max_age);
}

}  // namespace tofa::health
