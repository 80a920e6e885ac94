// SPDX-License-Identifier: BSD-3-Clause
// XXH3 of 128 bits, which takes gigabytes a second and is all in its header.
#include "base/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <bit>
#include <new>

namespace tofa {

struct Fingerprint::State {
  XXH3_state_t hash;
};

Fingerprint::Fingerprint() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->hash);
}

Fingerprint::~Fingerprint() = default;

Fingerprint& Fingerprint::add(std::string_view text) {
  add(static_cast<std::uint64_t>(text.size()));
  XXH3_128bits_update(&state_->hash, text.data(), text.size());
  return *this;
}

Fingerprint& Fingerprint::add(std::uint64_t number) {
  XXH3_128bits_update(&state_->hash, &number, sizeof number);
  return *this;
}

Fingerprint& Fingerprint::add(double number) {
  return add(std::bit_cast<std::uint64_t>(number));
}

std::string Fingerprint::text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->hash);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string fingerprint_of(std::string_view text) {
  return Fingerprint().add(text).text();
}

}  // namespace tofa
