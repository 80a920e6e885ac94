// SPDX-License-Identifier: BSD-3-Clause
// Matrices for a page: see heatmap_data.hpp. A matrix is two lists: how far each cell with traffic
// is behind the one before, and its value. A list of ten thousand is thus some 70 KB.
#include "page/heatmap_data.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "page/packed.hpp"
#include "picture/axis_labels.hpp"
#include "picture/machine_state.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kAxisCharacters = 60;
constexpr std::size_t kLongestList = 28;  // of ranks, in characters

Json cells_json(const HeatmapGrid& grid) {
  const CellMarks marks = cell_marks(grid);
  std::string gaps;
  std::string values;
  std::vector<std::size_t> lone;
  std::size_t next = 0;
  for (std::size_t cell = 0; cell < grid.values.size(); ++cell) {
    if (grid.values[cell] <= 0) continue;
    add_number(gaps, cell - next);
    add_float(values, grid.values[cell]);
    next = cell + 1;
    const auto row = static_cast<Rank>(cell / grid.size);
    const auto column = static_cast<Rank>(cell % grid.size);
    if (stands_out(grid, marks, row, column)) lone.push_back(cell);
  }
  return {{"gaps", base64(gaps)},
          {"values", base64(values)},
          {"mark", marks.every},
          {"lone", lone},
          {"loneMark", std::max(marks.lone, marks.heavy)}};
}

Json scale_json(ScaleKind kind, double least, double most, bool bytes) {
  const ColourScale scale(kind, least, most);
  Json ticks = Json::array();
  for (const double tick : scale.ticks(bytes))
    ticks.push_back({{"at", scale.position(tick)}, {"text", format_amount(tick, bytes)}});
  return {{"low", scale.low()}, {"high", scale.high()}, {"ticks", ticks}};
}

// The ranks of a row, and their nodes where they are known.
std::string row_name(const RankOrder& order, Rank first, Rank end) {
  std::vector<Rank> ranks;
  for (Rank at = first; at < end; ++at) ranks.push_back(order.rank_of(at));
  std::sort(ranks.begin(), ranks.end());
  std::string name = rank_label(ranks, kLongestList);
  name = name.starts_with("×") ? fmt::format("{} ranks", ranks.size())
                               : fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", name);
  if (order.blocks.empty()) return name;
  const auto block_of = [&order](Rank at) {
    return std::partition_point(order.blocks.begin(), order.blocks.end(),
                                [at](const NodeBlock& block) { return block.end <= at; });
  };
  const auto from = block_of(first);
  const auto to = block_of(end - 1);
  name += " on " + from->host;
  return from == to ? name : name + " to " + to->host;
}

}  // namespace

Json order_json(const TitledOrder& titled, Rank ranks) {
  const RankOrder& order = titled.order;
  const Rank step = fitting_ranks_per_cell(ranks);
  Json labels = Json::array();
  for (const AxisLabel& label : axis_labels(ranks, order, kAxisCharacters))
    labels.push_back({{"at", label.at / step}, {"text", label.text}});
  Json blocks = Json::array();
  if (worth_outlining(order, ranks)) {
    for (const NodeBlock& block : order.blocks) {
      blocks.push_back(
          {static_cast<double>(block.first) / step, static_cast<double>(block.end) / step});
    }
  }
  Json rows = Json::array();
  for (Rank first = 0; first < ranks; first += step)
    rows.push_back(row_name(order, first, std::min(ranks, first + step)));
  return {{"title", titled.title},
          {"sorted", !order.in_rank_order()},
          {"labels", labels},
          {"blocks", blocks},
          {"rows", rows}};
}

Json matrix_json(const Traffic& traffic, const std::vector<TitledOrder>& orders) {
  const bool bytes = !counts_messages(traffic);
  const Rank step = fitting_ranks_per_cell(traffic.ranks);
  double least = 0;
  double most = 0;
  Json views = Json::array();
  Json json;
  for (const TitledOrder& titled : orders) {
    const HeatmapGrid grid = make_heatmap_grid(traffic, step, titled.order);
    if (grid.least > 0 && (least <= 0 || grid.least < least)) least = grid.least;
    most = std::max(most, grid.most);
    json["size"] = grid.size;
    json["total"] = format_amount(grid.total, bytes) + (bytes ? "" : " messages");
    views.push_back(cells_json(grid));
    views.back()["between"] = titled.order.blocks.empty()
                                  ? ""
                                  : fmt::format("{:.3g} % between nodes",
                                                100 * share_between_nodes(traffic, titled.order));
  }
  json["ranksPerCell"] = step;
  json["bytes"] = bytes;
  json["scales"] = {{"log", scale_json(ScaleKind::logarithmic, least, most, bytes)},
                    {"linear", scale_json(ScaleKind::linear, least, most, bytes)}};
  json["views"] = std::move(views);
  return json;
}

}  // namespace tofa::cli
