// SPDX-License-Identifier: BSD-3-Clause
// The planner's settings, from the text of the keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner.h"
#include "tofa/place.hpp"

namespace tofa::planner {

struct Settings {
  // Nothing: not asked for. An empty string: asked for none, not even a default.
  std::optional<std::string> graph, topology, outages, health;
  std::optional<double> horizon;  // seconds
  PlaceOptions place;
  bool strict = false;
  bool report = false;
  bool spawn = false;
  std::string query_program;

  // Throws Error (bad_input) for a value that check_setting() would refuse.
  void set(const std::string& key, const std::string& value);
};

Settings read_settings(const tofa_job& job);

}  // namespace tofa::planner
