// SPDX-License-Identifier: BSD-3-Clause
// What the script of a page draws, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "page/page.hpp"
#include "picture/machine_state.hpp"

namespace tofa::cli {

// What the machine looks like with each of the mappings; nothing where there is no machine.
struct MachineStates {
  MachineState before;
  MachineState after;
};

nlohmann::ordered_json page_data(const PageContents& contents, const CommGraph& graph,
                                 const std::optional<MachineStates>& states);

}  // namespace tofa::cli
