// SPDX-License-Identifier: BSD-3-Clause
// How large messages are, for a page's script: of all ranks together, and of each cell of the
// matrices.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "page/heatmap_data.hpp"
#include "tofa/message_sizes.hpp"

namespace tofa::cli {

// Ranges of sizes, from the smallest to the largest that occur; messages of all ranks in each; and,
// in each of the orders, those of each cell. Of cells there is nothing where there are so many that
// the page would be too large for a browser. Null without messages.
nlohmann::ordered_json message_sizes_json(const MessageSizes& sizes,
                                          const std::vector<TitledOrder>& orders);

}  // namespace tofa::cli
