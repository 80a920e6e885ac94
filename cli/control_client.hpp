// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands of `tofa health` that ask tofa-healthd itself share: where its socket is,
// and its answers.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "command_line.hpp"
#include "tofa/health_control.hpp"

namespace tofa::cli {

using OrderedJson = nlohmann::ordered_json;

struct ControlClient {
  std::string socket = kDefaultControlSocket;
  double deadline = 10;
  bool json = false;
};

void add_control_options(Command& command, ControlClient& client);

// The answer, an object. Throws as ask_health_daemon().
OrderedJson ask_daemon(const ControlClient& client, const ControlRequest& request);

// Empty or 0 where the answer has none.
std::string text_in(const OrderedJson& answer, const char* key);
double number_in(const OrderedJson& answer, const char* key);

void print_answer(const OrderedJson& answer);

}  // namespace tofa::cli
