// SPDX-License-Identifier: BSD-3-Clause
// Reading srun's command line: see srun_command.hpp.
#include "srun_command.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tofa::spank {
namespace {

class Parser {
 public:
  Parser(const std::vector<std::string>& words, Release release)
      : words_(words), release_(release), kept_(words), dropped_(words.size()) {}

  SrunCommand parse() {
    for (at_ = 1; at_ < words_.size(); ++at_) {
      const std::string_view word = words_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') break;
      if (word[1] == '-') {
        long_option(word.substr(2));
      } else {
        short_options(word.substr(1));
      }
    }
    if (at_ < words_.size())
      command_.program = words_[at_].substr(words_[at_].find_last_of('/') + 1);
    command_.heterogeneous = command_.options.count("het-group") > 0 ||
                             command_.options.count("pack-group") > 0 ||
                             std::find(words_.begin(), words_.end(), ":") != words_.end();
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (dropped_[i]) continue;
      command_.without_nodes.push_back(std::move(kept_[i]));
    }
    return std::move(command_);
  }

 private:
  std::string next_word() { return at_ + 1 < words_.size() ? words_[++at_] : std::string(); }

  bool word_follows() const { return at_ + 1 < words_.size() && !words_[at_ + 1].starts_with('-'); }

  void set(std::string name, std::string value) {
    if (name == "tasks-per-node") name = "ntasks-per-node";
    if (name == "cluster") name = "clusters";
    command_.options[std::move(name)] = std::move(value);
  }

  void set_flag(std::string_view name) {
    if (name == "overcommit") command_.overcommit = true;
    if (name == "exact") command_.exact = true;
    if (name == "overlap") command_.overlap = true;
    if (name == "hold") command_.hold = true;
    if (name == "interactive") command_.interactive = true;
    if (name == "quiet") ++command_.quiet;
  }

  // Of the word `begin` its first letters stay, if it has others than -N.
  void drop_nodes(std::size_t begin, std::size_t letters) {
    for (std::size_t i = begin; i <= at_; ++i) dropped_[i] = true;
    if (letters < 2) return;
    dropped_[begin] = false;
    kept_[begin].resize(letters);
  }

  void long_option(std::string_view text) {
    const std::size_t begin = at_;
    const std::size_t sign = text.find('=');
    const SrunOption* option = find_srun_option(text.substr(0, sign), release_);
    if (option == nullptr) {
      // Options of other plugins, and of releases to come.
      if (sign == std::string_view::npos && word_follows()) command_.unclear = words_[at_];
      return;
    }
    if (option->value != Value::required) return set_flag(option->name);
    set(std::string(option->name),
        sign == std::string_view::npos ? next_word() : std::string(text.substr(sign + 1)));
    if (option->name == "nodes") drop_nodes(begin, 0);
  }

  // -On4 and -w n001 alike.
  void short_options(std::string_view letters) {
    const std::size_t begin = at_;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      const SrunOption* option = find_srun_option(letters[i], release_);
      if (option == nullptr) {
        command_.unclear = {'-', letters[i]};
        return;
      }
      if (option->value == Value::none) set_flag(option->name);
      if (option->value == Value::optional) return;  // -K0
      if (option->value != Value::required) continue;
      const std::string_view attached = letters.substr(i + 1);
      set(std::string(option->name), attached.empty() ? next_word() : std::string(attached));
      if (option->name == "nodes") drop_nodes(begin, i + 1);
      return;
    }
  }

  const std::vector<std::string>& words_;
  const Release release_;
  std::vector<std::string> kept_;
  std::vector<bool> dropped_;
  std::size_t at_ = 0;
  SrunCommand command_;
};

}  // namespace

std::optional<std::string> SrunCommand::find(const std::string& option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::nullopt : std::optional(found->second);
}

SrunCommand parse_srun_command(const std::vector<std::string>& words, Release release) {
  return Parser(words, release).parse();
}

}  // namespace tofa::spank
