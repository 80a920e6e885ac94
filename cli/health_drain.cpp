// SPDX-License-Identifier: BSD-3-Clause
// `tofa health drain`: which nodes tofa-healthd has drained in Slurm, drains or resumes next, or
// would, and what stands in the way. It changes nothing.
#include "health_drain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>

#include "control_client.hpp"
#include "health_service.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::cli {
namespace {

struct DrainQuestion : ControlClient {
  std::vector<std::string> hosts;
};

// As people say it; without drain = "do", nothing is done.
std::string words_for(const std::string& state, bool acts) {
  const std::array<std::pair<const char*, const char*>, 6> words{{
      {"to-drain", acts ? "is drained next" : "would be drained"},
      {"to-resume", acts ? "is resumed next" : "would be resumed"},
      {"drained", "drained"},
      {"limited", "would be drained"},
      {"held", "held back"},
      {"others", "left alone"},
  }};
  for (const auto& [known, text] : words) {
    if (state == known) return text;
  }
  return state == "none" ? "stays" : state;
}

void print_rules(const OrderedJson& answer) {
  const std::string mode = text_in(answer, "mode");
  if (mode == "never") {
    return fmt::print("No node is drained: [slurm] has drain = \"never\".\n");
  }
  fmt::print(
      "drain = \"{}\": nodes {} drained whose probability is surely above {:.3g} within {:.3g} h, at "
      "most {:.0f} at once, until it is below {:.3g}.\n",
      mode, mode == "do" ? "are" : "would be", number_in(answer, "above"),
      number_in(answer, "horizon") / 3600, number_in(answer, "most"),
      number_in(answer, "resume_below"));
  const double asked = number_in(answer, "asked");
  fmt::print("Slurm {}.\n", asked > 0 ? "answered last at " + utc(asked) : "has not answered yet");
  const std::string trouble = text_in(answer, "trouble");
  if (!trouble.empty()) fmt::print("Nothing is done: {}.\n", trouble);
}

void print_drains(const OrderedJson& answer) {
  print_rules(answer);
  const OrderedJson hosts = answer.value("hosts", OrderedJson::array());
  if (hosts.empty()) return fmt::print("There is nothing to say about any node.\n");
  const bool acts = text_in(answer, "mode") == "do";
  std::size_t width = 4;
  for (const OrderedJson& host : hosts) width = std::max(width, text_in(host, "host").size());
  fmt::print("{:<{}}  {:<16}  probability  at least  why\n", "host", width, "state");
  for (const OrderedJson& host : hosts) {
    const double since = number_in(host, "since");
    const std::string reason = text_in(host, "reason");
    fmt::print("{:<{}}  {:<16}  {:11.4g}  {:8.4g}  {}{}{}\n", text_in(host, "host"), width,
               words_for(text_in(host, "state"), acts), number_in(host, "probability"),
               number_in(host, "low"), text_in(host, "why"),
               since > 0 ? "; since " + utc(since) : "", reason.empty() ? "" : " (" + reason + ")");
  }
}

}  // namespace

void add_health_drain(Command& health) {
  auto options = std::make_shared<DrainQuestion>();
  Command* command = health.add_subcommand(
      "drain", "Nodes that the service drains in Slurm, or would, and why; changes nothing");
  command->add_option("hosts", options->hosts, "These hosts, also as lists like n[1-3]")
      ->take_all()
      ->type_name("HOST...");
  add_control_options(*command, *options);
  command->footer(
      "Without hosts: all about which there is something to say.\n"
      "Examples:\n"
      "  tofa health drain\n"
      "  tofa health drain n[001-004] --json");
  command->callback([options] {
    ControlRequest request;
    request.command = ControlCommand::drain;
    if (!options->hosts.empty()) {
      request.hosts =
          compress_hostlist(expand_hostlist(fmt::format("{}", fmt::join(options->hosts, ","))));
    }
    const OrderedJson answer = ask_daemon(*options, request);
    options->json ? print_answer(answer) : print_drains(answer);
  });
}

}  // namespace tofa::cli
