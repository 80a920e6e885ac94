// SPDX-License-Identifier: BSD-3-Clause
// Explaining mistakes on the command line: see usage.hpp.
#include "usage.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* subcommand : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(subcommand->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool takes_arguments(const CLI::App& command) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->get_positional(); });
}

// The subcommand that the words have come to, and what it is called.
struct Reached {
  const CLI::App* command;
  std::string name;
};

Reached follow(const CLI::App& app) {
  Reached reached{&app, app.get_name()};
  for (auto next = app.get_subcommands(); !next.empty();
       next = reached.command->get_subcommands()) {
    reached.command = next.front();
    reached.name += " " + reached.command->get_name();
  }
  return reached;
}

std::string unknown_subcommand(const std::string& word, const CLI::App& command,
                               const std::string& name) {
  const auto known = subcommands_of(command);
  return fmt::format("unknown subcommand \"{}\" of {}{}\nKnown are {}.", word, name,
                     did_you_mean(word, known), fmt::join(known, ", "));
}

// Of words that make no sense the first option, since the others may be its values.
std::string explain_word(const std::vector<std::string>& words, const Reached& reached) {
  const auto option = std::find_if(words.begin(), words.end(), [](const std::string& word) {
    return word.size() > 1 && word.front() == '-';
  });
  const bool wants_subcommand = reached.command->get_require_subcommand_min() > 0;
  if (wants_subcommand && (option == words.end() || option != words.begin()))
    return unknown_subcommand(words.front(), *reached.command, reached.name);
  if (option == words.end()) {
    return fmt::format(
        "unexpected argument \"{}\"; {} takes {}", words.front(), reached.name,
        takes_arguments(*reached.command) ? "no more of them" : "options, which begin with --");
  }
  const std::string name = option->substr(0, option->find('='));
  const auto known = options_of(*reached.command);
  if (std::find(known.begin(), known.end(), name) != known.end())
    return fmt::format("option {0} comes after the subcommand: {1} {0}", name, reached.name);
  return fmt::format("unknown option {} of {}{}", name, reached.name, did_you_mean(name, known));
}

}  // namespace

void ask_for_help(CLI::App& app, std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return;
  words.erase(words.begin());
  const CLI::App* command = &app;
  std::string name = app.get_name();
  for (const std::string& word : words) {
    const auto known = subcommands_of(*command);
    if (word.starts_with('-')) break;
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw Error(ErrorKind::bad_input, known.empty()
                                            ? fmt::format("{} has no subcommand \"{}\"", name, word)
                                            : unknown_subcommand(word, *command, name));
    }
    command = command->get_subcommand(word);
    name += " " + word;
  }
  words.emplace_back("--help");
}

std::string explain_usage(const CLI::App& app, const CLI::ParseError& error) {
  const Reached reached = follow(app);
  const std::vector<std::string> unknown = app.remaining(true);
  std::string text = error.what();
  if (!unknown.empty()) {
    text = explain_word(unknown, reached);
  } else if (reached.command->get_require_subcommand_min() > 0 &&
             reached.command->get_subcommands().empty()) {
    text = fmt::format("{} needs a subcommand: {}", reached.name,
                       fmt::join(subcommands_of(*reached.command), ", "));
  }
  return fmt::format("{}\nRun {} --help for more information.", text, reached.name);
}

}  // namespace tofa::cli
