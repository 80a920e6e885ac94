// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph select`: one part of a profile's traffic as a graph of its own. Where the profile
// does not tell the part apart, the parts that it does tell are named.
#include "graph_select.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "common_options.hpp"

#include "graph_output.hpp"
#include "graph_sizes.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/rank_parts.hpp"

namespace tofa::cli {
namespace {

struct PartOptions {
  std::string stem;
  std::string traffic_class = "all";
  std::uint32_t phase = 0;
  bool messages = false;
  GraphOutput output;
};

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= kTrafficClasses; ++i) {
    names.emplace_back(class_name(static_cast<TrafficClass>(i)));
  }
  return names;
}

std::string selected_file(const PartOptions& options) {
  std::string part = options.phase == 0 ? "" : fmt::format(".phase{}", options.phase);
  if (options.traffic_class != "all") part += "." + options.traffic_class;
  std::string file = options.stem + part + (options.messages ? ".messages.mtx" : ".bytes.mtx");
  if (path_exists(file)) return file;
  const std::vector<std::string> parts = parts_of_profile(options.stem);
  throw Error(ErrorKind::bad_input, file, 0,
              parts.empty() ? "is not there, and neither is any part of this profile; profile with "
                              "--mca pml_monitoring_enable 2 for classes, with "
                              "--mca pml_monitoring_phases 1 for phases"
                            : fmt::format("is not there; the profile tells apart {}",
                                          fmt::join(parts, ", ")));
}

void select_part(const PartOptions& options) {
  const std::string file = selected_file(options);
  write_graph(load_traffic(file, SymmetricMatrix::automatic), options.output);
}

}  // namespace

void add_graph_select(Command& graph) {
  auto options = std::make_shared<PartOptions>();
  Command* command =
      graph.add_subcommand("select", "One class of a profile's traffic, one phase, or both");
  command->add_option("NAME", options->stem, "Common stem of the profile's files")
      ->required()
      ->type_name("");
  command->add_option("--class", options->traffic_class, "Class of traffic")
      ->check(one_of(class_names()))
      ->capture_default_str()
      ->type_name("CLASS");
  command->add_option("--phase", options->phase, "Phase (default: all that was sent)")
      ->check(range(1U, kMostPhases))
      ->type_name("N");
  command->add_flag("--messages", options->messages, "Numbers of messages instead of bytes");
  add_graph_output_options(*command, options->output, false);
  command->footer(
      "Examples:\n"
      "  tofa graph select app --phase 3 --class user -o solver.mtx\n"
      "  tofa graph select app --class collective --messages");
  command->callback([options] { select_part(*options); });
}

}  // namespace tofa::cli
