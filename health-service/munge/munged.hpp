// SPDX-License-Identifier: BSD-3-Clause
// The two questions to munged. While munged is stopped libmunge gives up after ten seconds only,
// and it sets no limit to some of what it does, so the caller sees to it that somebody else can go
// on, or that the process ends. An empty `socket` is munged's usual one. Both throw tofa::Error
// (unavailable) when there is no answer, with what to do.
#pragma once

#include <string>

#include "common/munge_signature.hpp"

namespace tofa::health {

// A credential that any user may decode.
std::string munge_encode(const std::string& socket, const std::string& payload);

// Throws tofa::Error (bad_input) when munged knows better than to believe it. A credential that was
// decoded before, has expired, or is from the future is one: the time in our payload counts.
Voucher munge_decode(const std::string& socket, const std::string& credential);

}  // namespace tofa::health
