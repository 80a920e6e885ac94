// SPDX-License-Identifier: BSD-3-Clause
// Signatures where MUNGE runs, beside those of common/signature.hpp: no keys of our own, munged
// says which user has signed. What goes into a credential is what the signed text is, the time and
// the text's digest:
//
//     WHAT TIME HEX
//
// and the signature is `tofa-munge 1 CREDENTIAL`. Any user may decode it, and munged says who made
// it. Nothing here knows munged, files or the clock.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/signature.hpp"

namespace tofa::health {

// Whom tofa-pmix-gateway runs as under systemd.
inline constexpr const char* kGatewayUser = "tofa-pmix-gateway";

// `munge` or `munge:SOCKET` in the place of a key: munged's socket, empty for its usual one.
// Nothing for another text. Throws tofa::Error (bad_input) when the socket is no absolute path.
std::optional<std::string> munge_socket_in(std::string_view key);

// What munged is asked to make a credential of. Throws as Signer().
std::string munge_payload(std::string_view text, std::int64_t time, std::string_view what);
std::string munge_signature(std::string_view credential);

// The credential of a signature. Throws tofa::Error (bad_input).
std::string credential_in(std::string_view signature);

// What munged says of a credential.
struct Voucher {
  std::string payload;
  uid_t user = 0;
};

// Throws tofa::Error (bad_input) that says what is wrong, unless `voucher` is of `trusted` or of
// root, and for `text` as `what`, not more than `max_age` seconds away from `now`. The times of the
// credential itself do not count, nor whether it was decoded before: several clients on a host are
// given the same one.
void check_voucher(std::string_view text, const Voucher& voucher, uid_t trusted, std::int64_t now,
                   double max_age, std::string_view what = kSnapshotText);

}  // namespace tofa::health
