// SPDX-License-Identifier: BSD-3-Clause
// Coordinate files: a line `name x y z` per node, for a torus over the smallest box that holds all
// of them.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tofa/error.hpp"
#include "tofa/text.hpp"
#include "topology/grid_topology.hpp"
#include "topology/kinds.hpp"

namespace tofa {
namespace {

struct CoordinateLine {
  std::string name;
  std::vector<unsigned> coordinates;
};

[[noreturn]] void fail_line(const std::string& name, std::size_t line, const std::string& message) {
  throw Error(ErrorKind::bad_input, name, line, message);
}

// `name x y z`; nothing for blank lines and comments.
std::optional<CoordinateLine> parse_coordinate_line(std::string_view text, const std::string& name,
                                                    std::size_t line) {
  text = text.substr(0, text.find('#'));
  CoordinateLine result;
  result.name = next_word(text);
  if (result.name.empty()) return std::nullopt;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) {
    const auto value = parse_number<unsigned>(word);
    if (!value || *value > 65534) {
      fail_line(
          name, line,
          fmt::format("{} is not a coordinate; lines are `name x y z` with whole numbers from 0 "
                      "to 65534",
                      excerpt(word)));
    }
    result.coordinates.push_back(*value);
  }
  if (result.coordinates.empty() || result.coordinates.size() > Grid::kMostDimensions) {
    fail_line(name, line,
              fmt::format("node {} has {} coordinates; 1 to {} are possible", excerpt(result.name),
                          result.coordinates.size(), Grid::kMostDimensions));
  }
  return result;
}

}  // namespace

std::unique_ptr<Topology> parse_coordinate_lines(std::string_view text, const std::string& name) {
  GridSpec spec;
  spec.kind = "torus";
  std::vector<std::vector<unsigned>> coordinates;
  LineReader lines(text);
  for (std::string_view content; lines.next(content);) {
    const std::size_t line = lines.number();
    auto parsed = parse_coordinate_line(content, name, line);
    if (!parsed) continue;
    if (spec.shape.empty()) spec.shape.assign(parsed->coordinates.size(), 0);
    if (spec.shape.size() != parsed->coordinates.size()) {
      fail_line(name, line,
                fmt::format("node \"{}\" has {} coordinates, the nodes before it {}", parsed->name,
                            parsed->coordinates.size(), spec.shape.size()));
    }
    for (std::size_t d = 0; d < spec.shape.size(); ++d) {
      spec.shape[d] = std::max(spec.shape[d], parsed->coordinates[d] + 1);
    }
    spec.names.push_back(std::move(parsed->name));
    coordinates.push_back(std::move(parsed->coordinates));
  }
  if (spec.names.empty()) fail_line(name, 0, "no nodes; write a line `name x y z` for each");
  try {
    complete_grid_spec(spec, true);
    const Grid grid(spec.shape, spec.wrap);
    for (const auto& at : coordinates) spec.positions.push_back(grid.position(at));
    return std::make_unique<GridTopology>(std::move(spec));
  } catch (const Error& error) {
    throw Error(error.kind(), name, 0, error.what());
  }
}

}  // namespace tofa
