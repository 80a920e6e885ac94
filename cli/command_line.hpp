// SPDX-License-Identifier: BSD-3-Clause
// How commands and their options are described, for all of tofa's programs. A thin layer over
// CLI11, whose headers cost ten seconds in every file that includes them: only command_line.cpp,
// which each method here leads to, and the command's main.cpp do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tofa::cli {

// What the text of an option must be like.
struct Check {
  // What is wrong with the text; empty when nothing is.
  std::function<std::string(const std::string& text)> problem;
  std::string description;  // in --help, in place of the type; may be empty
};

// Refuses an option that was given without a value, as a shell does with an unset variable.
extern const Check kNotEmpty;
// Both ends are allowed. Number is int, unsigned or double.
template <typename Number>
Check range(Number low, Number high);
Check one_of(std::vector<std::string> words);

class Command;

// An option, or an argument when its name has no dash. Methods return the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required(bool value = true);
  Option* check(const Check& check);
  // What stands for the value in --help. option_text also replaces what is known about it.
  Option* type_name(const std::string& name);
  Option* option_text(const std::string& text);
  Option* description(const std::string& text);
  // --help shows the value that the variable has now.
  Option* capture_default_str();
  // The same for an option without a variable.
  Option* default_text(const std::string& text);
  // The option may be given several times.
  Option* take_all();
  // Given several times, its values are one, with `between` between them.
  Option* join(char between);
  Option* expected(int least, int most);
  Option* excludes(const Option* other);
  Option* excludes(const std::string& other);

 private:
  friend class Command;
  CLI::Option* option_;
};

// A command or subcommand. Options and subcommands live as long as it does; variables must outlive
// the parsing.
class Command {
 public:
  explicit Command(CLI::App& app, Command* parent = nullptr) : app_(app), parent_(parent) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Command* add_subcommand(const std::string& name, const std::string& description);
  void require_subcommand(int number);
  void description(const std::string& text);
  void footer(const std::string& text);
  // What the command does once its options are read.
  void callback(std::function<void()> action);
  // What the program ends with once all went well: 0 unless a callback, of this command or one
  // below it, said otherwise.
  void set_exit_status(int status);
  int exit_status() const { return exit_status_; }

  Option* add_option(const std::string& names, std::string& variable, const std::string& help);
  Option* add_option(const std::string& names, unsigned& variable, const std::string& help);
  Option* add_option(const std::string& names, std::uint64_t& variable, const std::string& help);
  Option* add_option(const std::string& names, double& variable, const std::string& help);
  Option* add_option(const std::string& names, std::vector<std::string>& variable,
                     const std::string& help);
  // Hands the text to `read`, which returns what is wrong with it, or nothing.
  Option* add_option_function(const std::string& names,
                              std::function<std::string(const std::string& text)> read,
                              const std::string& help);
  Option* add_flag(const std::string& names, bool& variable, const std::string& help);
  Option* add_flag_callback(const std::string& names, std::function<void()> given,
                            const std::string& help);

  Option* get_option(const std::string& name);
  void remove_option(const std::string& name);
  // How often an option was given.
  std::size_t count(const std::string& name) const;

 private:
  Option* keep(CLI::Option* option);

  CLI::App& app_;
  Command* parent_;
  int exit_status_ = 0;
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;
};

// The command line of a program without subcommands.
class Program {
 public:
  Program(const std::string& name, const std::string& version);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  Command& command() { return command_; }
  // Nothing when the program is to go on. Otherwise what was asked for (--help, --version), or what
  // is wrong, is printed, and the program ends with this status: 0 or 2.
  std::optional<int> parse(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
  Command command_;
};

}  // namespace tofa::cli
