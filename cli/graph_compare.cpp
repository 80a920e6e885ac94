// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph compare`: whether two runs, or two phases, sent the same, and where not. Like diff,
// it ends with 0 when they are the same and with 1 when they differ.
#include "graph_compare.hpp"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "report.hpp"
#include "tofa/graph_compare.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kDifferencesListed = 10;

struct CompareOptions {
  std::string first;
  std::string second;
  double tolerance = 0;
  SymmetricMatrix symmetric = SymmetricMatrix::automatic;
  bool json = false;
};

std::string comparison_json(const TrafficComparison& comparison, bool messages) {
  nlohmann::ordered_json largest = nlohmann::ordered_json::array();
  for (const TrafficDifference& pair : comparison.largest) {
    largest.push_back({{"sender", pair.sender},
                       {"receiver", pair.receiver},
                       {"first", pair.first},
                       {"second", pair.second},
                       {"relative", pair.relative()}});
  }
  const nlohmann::ordered_json json{
      {"quantity", messages ? "messages" : "bytes"}, {"total_first", comparison.total_first},
      {"total_second", comparison.total_second},     {"difference", comparison.apart},
      {"relative", comparison.relative()},           {"pairs", comparison.pairs},
      {"differing", comparison.differing},           {"largest", largest}};
  return json_text(json);
}

std::string comparison_text(const TrafficComparison& comparison, bool messages) {
  const auto amount = [messages](double value) {
    return messages ? fmt::format("{:.0f} messages", value) : human_bytes(value);
  };
  std::string text =
      fmt::format("{:<20}{}, {}\n{:<20}{}, {:.3g} % of the larger\n{:<20}{} of {}\n", "total",
                  amount(comparison.total_first), amount(comparison.total_second), "difference",
                  amount(comparison.apart), 100 * comparison.relative(), "pairs that differ",
                  comparison.differing, comparison.pairs);
  const char* label = "largest";
  for (const TrafficDifference& pair : comparison.largest) {
    text += fmt::format("{:<20}{} > {}: {}, {} ({:.3g} %)\n", label, pair.sender, pair.receiver,
                        amount(static_cast<double>(pair.first)),
                        amount(static_cast<double>(pair.second)), 100 * pair.relative());
    label = "";
  }
  return text;
}

void compare_graphs(const CompareOptions& options, Command& command) {
  const Traffic first = load_traffic(options.first, options.symmetric);
  const Traffic second = load_traffic(options.second, options.symmetric);
  const TrafficComparison comparison =
      compare_traffic(first, second, options.tolerance, kDifferencesListed);
  const bool messages = counts_messages(first);
  write_output("", options.json ? comparison_json(comparison, messages)
                                : comparison_text(comparison, messages));
  if (comparison.differing > 0) command.set_exit_status(1);
}

}  // namespace

void add_graph_compare(Command& graph) {
  auto options = std::make_shared<CompareOptions>();
  Command* command = graph.add_subcommand("compare", "Say where two graphs differ");
  command
      ->add_option("FIRST", options->first, "Graph file, or the common stem of a profile's files")
      ->required()
      ->type_name("");
  command->add_option("SECOND", options->second, "The other")->required()->type_name("");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Share of the larger amount by which a pair may differ and still be the same")
      ->capture_default_str()
      ->check(range(0.0, 1.0));
  add_symmetric_options(*command, options->symmetric);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Ends with 0 when the graphs are the same, with 1 when they differ, with 2 when they cannot\n"
      "be compared.\n"
      "Examples:\n"
      "  tofa graph compare monday tuesday\n"
      "  tofa graph compare --tolerance 0.01 phase1.bytes.mtx phase2.bytes.mtx --json");
  command->callback([options, command] { compare_graphs(*options, *command); });
}

}  // namespace tofa::cli
