// SPDX-License-Identifier: BSD-3-Clause
// Matrices of traffic as a page's script draws them: cells with traffic only, their colours'
// scales, and what is written around them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "picture/heatmap_grid.hpp"

namespace tofa::cli {

// A way to sort the ranks.
struct TitledOrder {
  std::string title;
  RankOrder order;
};

// What is the same for all matrices in that order: labels of the axes, outlines of nodes, and the
// name of every row.
nlohmann::ordered_json order_json(const TitledOrder& order, Rank ranks);

// One part of the traffic, counted in one unit, in each of the orders, in the same colours.
nlohmann::ordered_json matrix_json(const Traffic& traffic, const std::vector<TitledOrder>& orders);

}  // namespace tofa::cli
