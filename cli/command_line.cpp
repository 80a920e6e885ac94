// SPDX-License-Identifier: BSD-3-Clause
// The one file in which options meet CLI11: see command_line.hpp.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace tofa::cli {
namespace {

Check from(const CLI::Validator& validator) {
  return {[validator](std::string text) { return validator(text); }, validator.get_description()};
}

}  // namespace

const Check kNotEmpty{[](const std::string& text) {
                        return text.empty() ? std::string("must not be empty") : std::string();
                      },
                      ""};

template <typename Number>
Check range(Number low, Number high) {
  return from(CLI::Range(low, high));
}
template Check range(int, int);
template Check range(unsigned, unsigned);
template Check range(double, double);

Check one_of(std::vector<std::string> words) {
  return from(CLI::IsMember(std::move(words)));
}

Option* Option::required(bool value) {
  option_->required(value);
  return this;
}

Option* Option::check(const Check& check) {
  option_->check(CLI::Validator(
      [problem = check.problem](std::string& text) { return problem(text); }, check.description));
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::option_text(const std::string& text) {
  option_->option_text(text);
  return this;
}

Option* Option::description(const std::string& text) {
  option_->description(text);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::default_text(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::take_all() {
  option_->take_all();
  return this;
}

Option* Option::join(char between) {
  option_->join(between);
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::excludes(const Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Option* Command::keep(CLI::Option* option) {
  options_.push_back(std::make_unique<Option>(option));
  return options_.back().get();
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  subcommands_.push_back(std::make_unique<Command>(*app_.add_subcommand(name, description), this));
  return subcommands_.back().get();
}

void Command::set_exit_status(int status) {
  exit_status_ = status;
  if (parent_ != nullptr) parent_->set_exit_status(status);
}

void Command::require_subcommand(int number) {
  app_.require_subcommand(number);
}

void Command::description(const std::string& text) {
  app_.description(text);
}

void Command::footer(const std::string& text) {
  app_.footer(text);
}

void Command::callback(std::function<void()> action) {
  app_.callback(std::move(action));
}

Option* Command::add_option(const std::string& names, std::string& variable,
                            const std::string& help) {
  return keep(app_.add_option(names, variable, help));
}

Option* Command::add_option(const std::string& names, unsigned& variable, const std::string& help) {
  return keep(app_.add_option(names, variable, help));
}

Option* Command::add_option(const std::string& names, std::uint64_t& variable,
                            const std::string& help) {
  return keep(app_.add_option(names, variable, help));
}

Option* Command::add_option(const std::string& names, double& variable, const std::string& help) {
  return keep(app_.add_option(names, variable, help));
}

Option* Command::add_option(const std::string& names, std::vector<std::string>& variable,
                            const std::string& help) {
  return keep(app_.add_option(names, variable, help));
}

Option* Command::add_option_function(const std::string& names,
                                     std::function<std::string(const std::string& text)> read,
                                     const std::string& help) {
  const auto read_or_throw = [names, read = std::move(read)](const std::string& text) {
    const std::string problem = read(text);
    if (!problem.empty()) throw CLI::ValidationError(names, problem);
  };
  return keep(app_.add_option_function<std::string>(names, read_or_throw, help));
}

Option* Command::add_flag(const std::string& names, bool& variable, const std::string& help) {
  return keep(app_.add_flag(names, variable, help));
}

Option* Command::add_flag_callback(const std::string& names, std::function<void()> given,
                                   const std::string& help) {
  return keep(app_.add_flag_callback(names, std::move(given), help));
}

Option* Command::get_option(const std::string& name) {
  return keep(app_.get_option(name));
}

void Command::remove_option(const std::string& name) {
  app_.remove_option(app_.get_option(name));
}

std::size_t Command::count(const std::string& name) const {
  return app_.count(name);
}

Program::Program(const std::string& name, const std::string& version)
    : app_(std::make_unique<CLI::App>("", name)), command_(*app_) {
  app_->set_version_flag("--version", name + " " + version);
}

Program::~Program() = default;

std::optional<int> Program::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace tofa::cli
