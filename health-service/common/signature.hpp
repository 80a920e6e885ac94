// SPDX-License-Identifier: BSD-3-Clause
// Who has said it, and when: what the gateway hands out is signed with a secret key (Ed25519), and
// whoever asks checks it with the public one. All users ask, so a shared key would be one that
// every user could forge answers with. A signature is a text of its own beside what it is for:
//
//     tofa-signature 1 TIME HEX
//
// TIME is in seconds since 1970; it is signed, too, so that an answer cannot be repeated later.
// Nothing here knows files, sockets or the clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tofa::health {

inline constexpr std::size_t kKeyBytes = 32;
using KeyBytes = std::array<unsigned char, kKeyBytes>;

// A secret key is 64 hexadecimal digits, for signatures as for heartbeats. Throws tofa::Error
// (bad_input), which does not repeat any of the text.
KeyBytes parse_secret_key(std::string_view text);

// What is signed: none can be taken for another.
inline constexpr std::string_view kSnapshotText = "tofa.snapshot";
inline constexpr std::string_view kTopologyText = "tofa.topology";
inline constexpr std::string_view kUnchangedTopology = "tofa.unchanged";

// Who signs: gives the signature of `text` as `what`, or throws tofa::Error. None: nothing is
// signed.
using Sign =
    std::function<std::string(std::string_view text, std::int64_t time, std::string_view what)>;

// Throws tofa::Error (bad_input) unless `time` is at most `max_age` seconds from `now`.
void check_time_of_signature(std::int64_t time, std::int64_t now, double max_age);

class Signer {
 public:
  // Throws tofa::Error (unavailable) when the library of ciphers does not start.
  explicit Signer(const KeyBytes& secret);

  std::string sign(std::string_view text, std::int64_t time,
                   std::string_view what = kSnapshotText) const;
  std::string operator()(std::string_view text, std::int64_t time, std::string_view what) const {
    return sign(text, time, what);
  }
  // As parse_public_key() takes it, with an end of line.
  std::string public_key() const;

 private:
  std::array<unsigned char, kKeyBytes> public_{};
  std::array<unsigned char, 2 * kKeyBytes> secret_{};
};

// `ed25519 HEX`, with spaces and ends of lines after it. Throws tofa::Error (bad_input).
KeyBytes parse_public_key(std::string_view text);

// Throws tofa::Error (bad_input) that says what is wrong, unless `text` was signed as `what` with
// the key of `key` not more than `max_age` seconds away from `now`, before or after.
void check_signature(std::string_view text, std::string_view signature, const KeyBytes& key,
                     std::int64_t now, double max_age, std::string_view what = kSnapshotText);

}  // namespace tofa::health
