// SPDX-License-Identifier: BSD-3-Clause
// What the command says to a command line that it cannot make sense of, and `tofa help`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace tofa::cli {

// `help graph info` becomes `graph info --help`. Throws Error (bad_input) for a subcommand that
// does not exist.
void ask_for_help(CLI::App& app, std::vector<std::string>& words);

// Which word makes no sense and what was probably meant, or what is missing; and where to read on.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tofa::cli
