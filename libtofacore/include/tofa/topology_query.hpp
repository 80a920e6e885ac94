// SPDX-License-Identifier: BSD-3-Clause
// Asking the health service for the topology file of the site, which its gateway may hand out, so
// that users need name none. What it once said is kept in a folder of the user's, and the service
// sends it again only when it has become another.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tofa/health_query.hpp"
#include "tofa/user_folder.hpp"

namespace tofa {

// The text of the file. Nothing where the service hands none out, or where it, or tofa-query, is of
// a version that knows no topologies. Throws Error as query_health() does.
std::optional<std::string> query_topology(const HealthQuery& query, const UserFolder& kept);

// What tofa-query prints: a first line `tofa-topology BYTES` and so many bytes of text, or
// `tofa-topology none` or `tofa-topology unchanged` alone.
struct TopologyReply {
  enum class Kind { text, none, unchanged };
  Kind kind = Kind::none;
  std::string_view text;
};
// Nothing when it is not that, or not whole.
std::optional<TopologyReply> parse_topology_reply(std::string_view printed);

}  // namespace tofa
