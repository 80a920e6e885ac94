// SPDX-License-Identifier: BSD-3-Clause
// Files with keys: common/signature.hpp has their form. A secret key that others can read or change
// is none, so such a file is refused.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "common/signature.hpp"

namespace tofa::health {

// Both throw tofa::Error (bad_input) that names the file. A file with the word `none` stands for no
// secret key: it is what the systemd units hand over where the site has none.
std::optional<KeyBytes> read_secret_key(const std::string& path);
KeyBytes read_public_key(const std::string& path);

// What a gateway signs with: nothing, a secret key, or the munged of this socket (empty: its usual
// one).
struct MungeSocket {
  std::string path;
};
using SigningKey = std::variant<std::monostate, KeyBytes, MungeSocket>;

// `name` is a file with a secret key, `munge`, or `munge:SOCKET`; the file may have one of these
// words instead of a key, too. Throws as the others.
SigningKey read_signing_key(const std::string& name);

}  // namespace tofa::health
