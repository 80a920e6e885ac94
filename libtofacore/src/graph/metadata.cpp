// SPDX-License-Identifier: BSD-3-Clause
// What the metadata of a graph says.
#include <nlohmann/json.hpp>

#include "tofa/comm_graph.hpp"

namespace tofa {

bool counts_messages(const Traffic& traffic) {
  const auto metadata = nlohmann::json::parse(traffic.metadata, nullptr, false);
  const auto quantity = metadata.is_object() ? metadata.find("quantity") : metadata.end();
  return quantity != metadata.end() && quantity->is_string() && *quantity == "messages";
}

}  // namespace tofa
