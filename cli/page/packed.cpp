// SPDX-License-Identifier: BSD-3-Clause
// Numbers as bytes: see packed.hpp.
#include "page/packed.hpp"

#include <bit>

namespace tofa::cli {
namespace {

void add_bits(std::string& bytes, std::uint32_t bits) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift);
}

}  // namespace

void add_number(std::string& bytes, std::size_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

void add_float(std::string& bytes, double value) {
  add_bits(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string packed_doubles(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    add_bits(bytes, static_cast<std::uint32_t>(bits));
    add_bits(bytes, static_cast<std::uint32_t>(bits >> 32));
  }
  return base64(bytes);
}

std::string packed_floats(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) add_float(bytes, value);
  return base64(bytes);
}

std::string packed_numbers(const std::vector<std::uint32_t>& values) {
  std::string bytes;
  for (const std::uint32_t value : values) add_bits(bytes, value);
  return base64(bytes);
}

}  // namespace tofa::cli
