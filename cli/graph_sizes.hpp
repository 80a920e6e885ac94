// SPDX-License-Identifier: BSD-3-Clause
// What `tofa graph info` says beyond the graph: the sizes of messages, and the other graphs of the
// profile. See graph_sizes.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tofa/message_sizes.hpp"

namespace tofa::cli {

// The file itself when it is one of sizes.
bool names_message_sizes(const std::string& path);
// Of the profile that has this stem, if there are any; of the file when it is one of sizes. Throws
// Error when they are damaged.
std::optional<MessageSizes> find_message_sizes(const std::string& path);

// Graphs of parts of the traffic, as "user", "phase3" or "phase3.user".
std::vector<std::string> parts_of_profile(const std::string& stem);

std::string sizes_text(const MessageSizes& sizes);
nlohmann::ordered_json sizes_json(const MessageSizes& sizes);

}  // namespace tofa::cli
