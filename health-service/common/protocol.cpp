// SPDX-License-Identifier: BSD-3-Clause
// Both codecs of the heartbeat protocol are strict: a datagram is exactly what the other side
// writes, or nothing.
#include "common/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tofa/host_index.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::string_view kPreamble = "tofa-heartbeat 1 ";
constexpr std::size_t kNonceDigits = 32;
constexpr std::size_t kLongestBootId = 64;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool valid_nonce(std::string_view nonce) {
  return nonce.size() == kNonceDigits && std::all_of(nonce.begin(), nonce.end(), is_hex_digit);
}

// Takes what comes before `separator` off the front of `text`.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + 1);
  return field;
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
  return fmt::format("{}{} {} {} {}\n", kPreamble, answer.nonce, answer.host, answer.boot_id,
                     answer.uptime_seconds);
}

std::optional<HeartbeatAnswer> parse_answer(std::string_view datagram) {
  if (datagram.size() > kRequestSize || !datagram.starts_with(kPreamble)) return std::nullopt;
  datagram.remove_prefix(kPreamble.size());
  const auto nonce = take_until(datagram, ' ');
  if (!nonce || !valid_nonce(*nonce)) return std::nullopt;
  const auto host = take_until(datagram, ' ');
  if (!host || !is_host_name(*host)) return std::nullopt;
  const auto boot_id = take_until(datagram, ' ');
  if (!boot_id || !is_host_name(*boot_id) || boot_id->size() > kLongestBootId) return std::nullopt;
  const auto digits = take_until(datagram, '\n');
  if (!digits || !datagram.empty()) return std::nullopt;
  const auto uptime = parse_number<std::uint64_t>(*digits);
  if (!uptime) return std::nullopt;
  return HeartbeatAnswer{std::string(*nonce), std::string(*host), std::string(*boot_id), *uptime};
}

}  // namespace tofa::health
