// SPDX-License-Identifier: BSD-3-Clause
// Both codecs of the heartbeat protocol are strict: a datagram is exactly what the other side
// writes, or nothing.
#include "common/protocol.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tofa/host_index.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::string_view kPreamble = "tofa-heartbeat 1 ";
constexpr std::string_view kSignedPreamble = "tofa-heartbeat 2 ";
constexpr std::string_view kFailurePreamble = "tofa-heartbeat 3 ";
constexpr std::string_view kSignedFailurePreamble = "tofa-heartbeat 4 ";
constexpr std::size_t kMacBytes = crypto_generichash_BYTES;
constexpr std::size_t kMacDigits = 2 * kMacBytes;
static_assert(crypto_generichash_KEYBYTES == kKeyBytes);
constexpr std::size_t kNonceDigits = 32;
constexpr std::size_t kLongestBootId = 64;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), is_hex_digit);
}

bool valid_nonce(std::string_view nonce) {
  return is_hex(nonce, kNonceDigits);
}

std::string format_fields(std::string_view preamble, const HeartbeatAnswer& answer) {
  return fmt::format("{}{} {} {} {}{}{}", preamble, answer.nonce, answer.host, answer.boot_id,
                     answer.uptime_seconds, answer.failure.empty() ? "" : " ", answer.failure);
}

// What a MAC is of.
std::string signed_part(const HeartbeatAnswer& answer) {
  return format_fields(answer.failure.empty() ? kSignedPreamble : kSignedFailurePreamble, answer);
}

std::string mac_of(const HeartbeatAnswer& answer, const KeyBytes& key) {
  std::array<unsigned char, kMacBytes> mac{};
  const std::string text = signed_part(answer);
  (void)::crypto_generichash(mac.data(), mac.size(),
                             reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                             key.data(), key.size());
  std::string digits(kMacDigits + 1, '\0');
  ::sodium_bin2hex(digits.data(), digits.size(), mac.data(), mac.size());
  digits.resize(kMacDigits);
  return digits;
}

// Takes what comes before `separator` off the front of `text`.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
}

// Takes the end of the line and, where it has one, the MAC off the end of `text`; what is returned
// is empty for an answer without a MAC.
std::optional<std::string_view> take_end(std::string_view& text, bool is_signed) {
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  if (!is_signed) return std::string_view();
  if (text.size() <= kMacDigits) return std::nullopt;
  const std::string_view mac = text.substr(text.size() - kMacDigits);
  text.remove_suffix(kMacDigits);
  if (!text.ends_with(' ') || !is_hex(mac, kMacDigits)) return std::nullopt;
  text.remove_suffix(1);
  return mac;
}

}  // namespace

std::string format_request(std::string_view nonce) {
  std::string datagram = fmt::format("{}{}\n", kPreamble, nonce);
  datagram.resize(kRequestSize, ' ');
  return datagram;
}

std::optional<std::string> parse_request(std::string_view datagram) {
  if (datagram.size() != kRequestSize || !datagram.starts_with(kPreamble)) return std::nullopt;
  datagram.remove_prefix(kPreamble.size());
  const auto nonce = take_until(datagram, '\n');
  if (!nonce || !valid_nonce(*nonce)) return std::nullopt;
  if (datagram.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return std::string(*nonce);
}

std::string format_answer(const HeartbeatAnswer& answer) {
  if (!answer.mac.empty()) return fmt::format("{} {}\n", signed_part(answer), answer.mac);
  return format_fields(answer.failure.empty() ? kPreamble : kFailurePreamble, answer) + "\n";
}

std::optional<HeartbeatAnswer> parse_answer(std::string_view datagram) {
  const std::string_view preamble = datagram.substr(0, kPreamble.size());
  const bool has_failure = preamble == kFailurePreamble || preamble == kSignedFailurePreamble;
  const bool is_signed = preamble == kSignedPreamble || preamble == kSignedFailurePreamble;
  if (datagram.size() > kRequestSize || !(has_failure || is_signed || preamble == kPreamble)) {
    return std::nullopt;
  }
  datagram.remove_prefix(kPreamble.size());
  const auto mac = take_end(datagram, is_signed);
  const auto nonce = take_until(datagram, ' ');
  if (!mac || !nonce || !valid_nonce(*nonce)) return std::nullopt;
  const auto host = take_until(datagram, ' ');
  if (!host || !is_host_name(*host)) return std::nullopt;
  const auto boot_id = take_until(datagram, ' ');
  if (!boot_id || !is_host_name(*boot_id) || boot_id->size() > kLongestBootId) return std::nullopt;
  const auto digits = has_failure ? take_until(datagram, ' ') : std::exchange(datagram, {});
  const auto uptime = digits ? parse_number<std::uint64_t>(*digits) : std::nullopt;
  if (!uptime) return std::nullopt;
  if (has_failure && !(is_cause(datagram) && datagram.size() <= kLongestFailure)) {
    return std::nullopt;
  }
  return HeartbeatAnswer{std::string(*nonce), std::string(*host),   std::string(*boot_id), *uptime,
                         std::string(*mac),   std::string(datagram)};
}

void set_failure(HeartbeatAnswer& answer, std::string_view failure) {
  answer.failure.clear();
  const std::size_t taken = signed_part(answer).size() + kMacDigits + 3;  // two blanks, one line
  if (taken < kRequestSize) {
    answer.failure = as_cause(failure, std::min(kLongestFailure, kRequestSize - taken));
  }
}

HeartbeatAnswer sign(HeartbeatAnswer answer, const KeyBytes& key) {
  answer.mac = mac_of(answer, key);
  return answer;
}

bool is_authentic(const HeartbeatAnswer& answer, const KeyBytes& key) {
  const std::string mac = mac_of(answer, key);
  return answer.mac.size() == mac.size() &&
         ::sodium_memcmp(answer.mac.data(), mac.data(), mac.size()) == 0;
}

}  // namespace tofa::health
