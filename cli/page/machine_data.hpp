// SPDX-License-Identifier: BSD-3-Clause
// The machine as a page's script turns it: where its parts are, what links carry and which ranks
// are where, before and after.
#pragma once

#include <nlohmann/json.hpp>

#include "page/page_data.hpp"
#include "picture/scene.hpp"

namespace tofa::cli {

nlohmann::ordered_json machine_json(const Scene& scene, const PageMachine& machine,
                                    const MachineStates& states, bool bytes);

}  // namespace tofa::cli
