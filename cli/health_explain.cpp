// SPDX-License-Identifier: BSD-3-Clause
// `tofa health explain HOST`: why tofa-healthd takes it to be as likely to fail as it does. The
// numbers come from there, with what they are; here they are only drawn.
#include "health_explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "control_client.hpp"
#include "health_service.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kShownCauses = 10;

struct HostQuestion : ControlClient {
  std::string host;
  std::string horizon = "24h";
};

ControlRequest request_of(const HostQuestion& options) {
  const auto horizon = parse_duration(options.horizon);
  if (!horizon || !(*horizon > 0 && *horizon <= kLongestHorizon)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--horizon {}: a time above 0 like 90m, 24h or 7d is expected",
                            excerpt(options.horizon)));
  }
  ControlRequest request;
  request.command = ControlCommand::explain;
  request.hosts = options.host;
  request.horizon = *horizon;
  return request;
}

void print_numbers(const OrderedJson& numbers) {
  std::size_t width = 0;
  for (const OrderedJson& number : numbers) width = std::max(width, text_in(number, "name").size());
  for (const OrderedJson& number : numbers) {
    fmt::print("  {:<{}}  {:>10.4g}  {}\n", text_in(number, "name"), width,
               number_in(number, "value"), text_in(number, "text"));
  }
}

void print_outages(const OrderedJson& outages) {
  if (outages.empty()) return fmt::print("no outages are known\n");
  const std::size_t shown = std::min(outages.size(), kShownCauses);
  fmt::print("outages, the latest {} of {} that the service tells:\n", shown, outages.size());
  for (std::size_t i = outages.size() - shown; i < outages.size(); ++i) {
    const double end = number_in(outages[i], "end");
    fmt::print("  {}  {:<20}  {}\n", utc(number_in(outages[i], "start")),
               end > 0 ? utc(end) : "still", text_in(outages[i], "cause"));
  }
}

void print_explanation(const HostQuestion& options, const OrderedJson& answer) {
  const std::string host_class = text_in(answer, "class");
  const double since = number_in(answer, "since");
  fmt::print("{}: {}{}{}\n", text_in(answer, "host"), text_in(answer, "state"),
             since > 0 ? " since " + utc(since) : "",
             host_class.empty() ? "" : ", of class " + host_class);
  if (answer.contains("excluded")) {
    const OrderedJson& excluded = answer["excluded"];
    fmt::print("{}\n",
               describe(HostExclusion{text_in(excluded, "reason"), text_in(excluded, "by"),
                                      number_in(excluded, "since"), number_in(excluded, "until")}));
  }
  fmt::print("outage probability within {}: {:.4g} ({})\n", options.horizon,
             number_in(answer, "probability"), text_in(answer, "method"));
  fmt::print("{}\n", text_in(answer, "formula"));
  print_numbers(answer.value("numbers", OrderedJson::array()));
  print_outages(answer.value("outages", OrderedJson::array()));
}

}  // namespace

void add_health_explain(Command& health) {
  auto options = std::make_shared<HostQuestion>();
  Command* command =
      health.add_subcommand("explain", "Why a host is taken to be as likely to fail as it is");
  command->add_option("host", options->host, "The host")->required()->type_name("HOST");
  command->add_option("--horizon", options->horizon, "Within which time (default 24h)")
      ->type_name("TIME");
  add_control_options(*command, *options);
  command->footer(
      "The numbers lead to the probability as the formula says.\n"
      "Example:\n"
      "  tofa health explain n007 --horizon 7d");
  command->callback([options] {
    const OrderedJson answer = ask_daemon(*options, request_of(*options));
    options->json ? print_answer(answer) : print_explanation(*options, answer);
  });
}

}  // namespace tofa::cli
