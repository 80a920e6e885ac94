// SPDX-License-Identifier: BSD-3-Clause
// What the site's plugstack.conf says behind the plugin's name, KEY=VALUE each, and the user's
// environment. The keys are those that the table of settings offers to the plugin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "step.hpp"
#include "tofa/settings.hpp"

namespace tofa::spank {

// Topology, outages and health are defaults here: used unless the user's environment has others.
struct Settings : PlacementSettings {
  // The values that were given, as they were, by key: what the command is told of them.
  std::map<std::string, std::string> given;

  // What was not understood; the plugin works without it.
  std::vector<std::string> problems;
};

Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace tofa::spank
