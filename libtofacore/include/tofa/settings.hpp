// SPDX-License-Identifier: BSD-3-Clause
// The settings of a placement: one table of their names, help texts, defaults and values, for
// whoever takes them from a user. A setting is the same wherever it can be given:
//
//   - the command has it as an option, `--time-limit`;
//   - the mapper as a launcher key, `--map-by tofa:time_limit=2`, and as the MCA parameter
//     `rmaps_tofa_time_limit`;
//   - the plugin of Slurm as a key in plugstack.conf, `time_limit=2`.
//
// A new setting is a member of PlacementSettings, an entry of the table in src/inputs/settings.cpp,
// and, if the search or the inputs need it, a line of place_options() or input_request().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/inputs.hpp"
#include "tofa/place.hpp"

namespace tofa {

// What the settings say; at first, what holds for those that are not given.
struct PlacementSettings {
  // Nothing: not asked for. An empty text: none is wanted, not even a default.
  std::optional<std::string> graph, topology, outages, health, machine, link_load;
  std::optional<double> horizon;  // seconds
  PairCostRule pair_cost;
  std::vector<std::string> needs;
  std::string objective = "completion-time";
  std::string mapper = "auto";
  double abort_cost = kAbortCost;
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  std::optional<double> time_limit;  // seconds; kTimeLimit if not given
  bool strict = false;
  bool report = false;
  bool spawn = false;
  bool off = false;
  std::string query_program;  // empty: it is looked for
  std::string program;        // the same
  std::string log;            // syslog or a file; empty: none

  friend bool operator==(const PlacementSettings&, const PlacementSettings&) = default;
};

enum class FrontEnd : unsigned { command = 1, mapper = 2, plugin = 4 };

struct Setting {
  const char* name;
  unsigned offered_by;  // FrontEnd, or several of them
  const char* value;    // what kind of text it takes, as FILE; nullptr for a switch
  const char* help;
  const char* default_value = nullptr;  // nullptr: there is none, or it is found out
  const char* otherwise = nullptr;      // what is taken for granted where neither is known
  const char* option = nullptr;  // of the command, where it is not the name with dashes in it
  int level = 1;                 // who needs it, as MPI_T counts: 1 everybody to 9 developers
  bool is_input = false;         // the environment and the site file have it, too
  // Takes a value. Throws Error (bad_input) that says what is right and does not name the setting.
  void (*set)(PlacementSettings& settings, std::string_view value);

  bool is_switch() const { return value == nullptr; }
  bool offered(FrontEnd front_end) const {
    return (offered_by & static_cast<unsigned>(front_end)) != 0;
  }
};

// In the order in which they are listed.
std::span<const Setting> all_settings();
std::vector<const Setting*> settings_of(FrontEnd front_end);
std::vector<std::string> setting_names(FrontEnd front_end);
// nullptr where the front-end does not offer it.
const Setting* find_setting(std::string_view name, FrontEnd front_end);

// `time_limit` is the option `--time-limit`.
std::string option_name(const Setting& setting);

// 1, true, yes or on; 0, false, no or off. Throws Error (bad_input).
bool parse_switch(std::string_view text);

// The words that a setting knows: objectives, mappers, efforts; empty for all others.
std::vector<std::string> known_words(const Setting& setting);

// What `place` takes. Throws Error (bad_input) for an unknown objective or mapper and for malformed
// needs, which the table takes as they are.
PlaceOptions place_options(const PlacementSettings& settings);

// The inputs that were asked for; the rest of the request is up to the caller.
InputRequest input_request(const PlacementSettings& settings);

}  // namespace tofa
