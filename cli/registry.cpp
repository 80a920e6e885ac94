// SPDX-License-Identifier: BSD-3-Clause
// The list of subcommands, in the order --help shows them.
#include <array>

#include "subcommands.hpp"

namespace tofa::cli {

extern const Subcommand kMapCommand, kExplainCommand, kSelectCommand, kRemapCommand,
    kEvaluateCommand, kHeatmapCommand, kPictureCommand, kGraphCommand, kTopologyCommand,
    kHealthCommand, kDoctorCommand, kReportCommand, kWhatifCommand;

void add_all_subcommands(Command& app) {
  static constexpr std::array subcommands{
      &kMapCommand,     &kExplainCommand, &kSelectCommand, &kRemapCommand,    &kEvaluateCommand,
      &kHeatmapCommand, &kPictureCommand, &kGraphCommand,  &kTopologyCommand, &kHealthCommand,
      &kDoctorCommand,  &kReportCommand,  &kWhatifCommand,
  };
  for (const Subcommand* entry : subcommands) {
    entry->describe(*app.add_subcommand(entry->name, entry->help));
  }
}

}  // namespace tofa::cli
