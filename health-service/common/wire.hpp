// SPDX-License-Identifier: BSD-3-Clause
// What tofa-query and tofa-pmix-gateway agree on: the gateway's name and port, and the PMIx query
// keys, of which a query has one. That of the snapshot is answered by its text
// (tofa/health_snapshot.hpp), whose time is that of the answer by the gateway's clock. That of the
// topology, which may be followed by a dot and the fingerprint of a text that is known, is answered
// by the text of the site's topology file, or by that fingerprint under another key where the text
// is the same, or by an empty text where none is handed out. Beside a text is its signature
// (common/signature.hpp, common/munge_signature.hpp) where the gateway has a key. Otherwise the
// answer is the reason why there is none.
//
// Another form of the text would be another key, so that a gateway never hands out what a query of
// another version cannot read: it says that it does not know the key.
#pragma once

#include <cstdint>

namespace tofa::health {

inline constexpr const char* kGatewayNamespace = "tofa-health";  // libpmix wants no dots in it
inline constexpr std::uint16_t kDefaultGatewayPort = 7412;

inline constexpr const char* kKeyPrefix = "tofa.";              // of all keys of any version
inline constexpr const char* kSnapshotKey = "tofa.snapshot";    // what is asked for; PMIX_STRING
inline constexpr const char* kTopologyKey = "tofa.topology";    // the same
inline constexpr const char* kUnchangedKey = "tofa.unchanged";  // PMIX_STRING
inline constexpr const char* kSignatureKey = "tofa.signature";  // PMIX_STRING, beside the text
inline constexpr const char* kErrorKey = "tofa.error";          // PMIX_STRING, alone

}  // namespace tofa::health
