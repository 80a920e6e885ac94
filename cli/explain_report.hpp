// SPDX-License-Identifier: BSD-3-Clause
// How an explanation is shown: as text for people, as JSON for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tofa/explain.hpp"
#include "tofa/place.hpp"

namespace tofa::cli {

// Everything `tofa explain` knows. `placement` is null where a given mapping is explained; then
// only the objective of the options means anything.
struct ExplainReport {
  const Topology& topology;
  const Explanation& explanation;
  const PlaceOptions& options;
  const Placement* placement;
};

nlohmann::ordered_json explain_json(const ExplainReport& report);
std::string explain_text(const ExplainReport& report);

// What a suspect node is used for, in words.
inline const char* role_of(NodeUse use) {
  switch (use) {
    case NodeUse::holds_ranks:
      return "holds ranks";
    case NodeUse::forwards_traffic:
      return "forwards";
    case NodeUse::none:
      break;
  }
  return "avoided";
}

}  // namespace tofa::cli
