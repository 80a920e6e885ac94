// SPDX-License-Identifier: BSD-3-Clause
// Asking tofa-healthd over its local socket: see control_client.hpp.
#include "control_client.hpp"

#include <fmt/format.h>

#include "report.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {

void add_control_options(Command& command, ControlClient& client) {
  command.add_option("--socket", client.socket, "Where tofa-healthd listens on this machine")
      ->capture_default_str()
      ->check(kNotEmpty)
      ->type_name("FILE");
  command.add_option("--deadline", client.deadline, "Seconds to wait for it (default 10)")
      ->check(range(0.01, 3600.0))
      ->type_name("SECONDS");
  command.add_flag("--json", client.json, "As JSON, times in seconds since 1970");
}

OrderedJson ask_daemon(const ControlClient& client, const ControlRequest& request) {
  const std::string answer = ask_health_daemon(client.socket, request, client.deadline);
  OrderedJson json = OrderedJson::parse(answer, nullptr, false);
  if (json.is_object()) return json;
  throw Error(ErrorKind::unavailable,
              fmt::format("{}: what answers there is no tofa-healthd", client.socket));
}

std::string text_in(const OrderedJson& answer, const char* key) {
  const auto value = answer.find(key);
  return value != answer.end() && value->is_string() ? value->get<std::string>() : "";
}

double number_in(const OrderedJson& answer, const char* key) {
  const auto value = answer.find(key);
  return value != answer.end() && value->is_number() ? value->get<double>() : 0;
}

void print_answer(const OrderedJson& answer) {
  write_output("", json_text(answer));
}

}  // namespace tofa::cli
