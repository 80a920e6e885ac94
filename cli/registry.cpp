// SPDX-License-Identifier: BSD-3-Clause
// The list of subcommands, in the order --help shows them.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "subcommands.hpp"

namespace tofa::cli {

extern const Subcommand kMapCommand, kExplainCommand, kSelectCommand, kRemapCommand,
    kEvaluateCommand, kHeatmapCommand, kPictureCommand, kGraphCommand, kTopologyCommand,
    kHealthCommand, kDoctorCommand, kReportCommand, kWhatifCommand;

void add_all_subcommands(Command& app, const std::vector<std::string>& words) {
  static constexpr std::array subcommands{
      &kMapCommand,     &kExplainCommand, &kSelectCommand, &kRemapCommand,    &kEvaluateCommand,
      &kHeatmapCommand, &kPictureCommand, &kGraphCommand,  &kTopologyCommand, &kHealthCommand,
      &kDoctorCommand,  &kReportCommand,  &kWhatifCommand,
  };
  for (const Subcommand* entry : subcommands) {
    const auto subcommand = app.add_subcommand(entry->name, entry->help);
    if (std::find(words.begin(), words.end(), entry->name) != words.end())
      entry->describe(*subcommand);
  }
}

}  // namespace tofa::cli
