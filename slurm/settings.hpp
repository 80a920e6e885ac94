// SPDX-License-Identifier: BSD-3-Clause
// What the site's plugstack.conf says behind the plugin's name, KEY=VALUE each, and the user's
// environment.
#pragma once

#include <string>
#include <vector>

#include "step.hpp"

namespace tofa::spank {

struct Settings {
  std::string program;    // tofa=PATH; empty: beside the plugin's installation, then in PATH
  std::string topology;   // used unless the user's TOFA_TOPOLOGY is set
  std::string outages;    // used unless the user's TOFA_OUTAGES or TOFA_HEALTH is set
  std::string health;     // the same
  std::string objective;  // empty: tofa's default
  double time_limit = 2;  // seconds a placement may take
  bool strict = false;    // an error instead of a warning and the default placement

  // What was not understood; the plugin works without it.
  std::vector<std::string> problems;
};

Settings read_settings(const std::vector<std::string>& arguments, const Environment& environment);

}  // namespace tofa::spank
