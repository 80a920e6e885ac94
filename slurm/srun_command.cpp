// SPDX-License-Identifier: BSD-3-Clause
// Reading srun's command line: see srun_command.hpp.
#include "srun_command.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tofa::spank {
namespace {

// Options of srun, up to Slurm 24.11, whose value may be the next word; the values of all others
// are attached to them. An option of another plugin that is not listed is taken to have no value
// there.
constexpr const char* kWithValue[] = {"accel-bind",
                                      "account",
                                      "acctg-freq",
                                      "bb",
                                      "bbf",
                                      "bcast-exclude",
                                      "begin",
                                      "chdir",
                                      "cluster",
                                      "clusters",
                                      "cluster-constraint",
                                      "comment",
                                      "constraint",
                                      "container",
                                      "container-id",
                                      "context",
                                      "core-spec",
                                      "cores-per-socket",
                                      "cpu-bind",
                                      "cpu-freq",
                                      "cpu_bind",
                                      "cpus-per-gpu",
                                      "cpus-per-task",
                                      "deadline",
                                      "delay-boot",
                                      "dependency",
                                      "distribution",
                                      "epilog",
                                      "error",
                                      "exclude",
                                      "export",
                                      "extra",
                                      "extra-node-info",
                                      "gid",
                                      "gpu-bind",
                                      "gpu-freq",
                                      "gpus",
                                      "gpus-per-node",
                                      "gpus-per-socket",
                                      "gpus-per-task",
                                      "gres",
                                      "gres-flags",
                                      "het-group",
                                      "hint",
                                      "input",
                                      "job-name",
                                      "jobid",
                                      "licenses",
                                      "mail-type",
                                      "mail-user",
                                      "mcs-label",
                                      "mem",
                                      "mem-bind",
                                      "mem-per-cpu",
                                      "mem-per-gpu",
                                      "mincpus",
                                      "mpi",
                                      "msg-timeout",
                                      "network",
                                      "nodefile",
                                      "nodelist",
                                      "nodes",
                                      "ntasks",
                                      "ntasks-per-core",
                                      "ntasks-per-gpu",
                                      "ntasks-per-node",
                                      "ntasks-per-socket",
                                      "ntasks-per-tres",
                                      "open-mode",
                                      "output",
                                      "pack-group",
                                      "partition",
                                      "power",
                                      "prefer",
                                      "priority",
                                      "profile",
                                      "prolog",
                                      "qos",
                                      "relative",
                                      "reservation",
                                      "signal",
                                      "slurmd-debug",
                                      "sockets-per-node",
                                      "switches",
                                      "task-epilog",
                                      "task-prolog",
                                      "tasks-per-node",
                                      "thread-spec",
                                      "threads",
                                      "threads-per-core",
                                      "time",
                                      "time-min",
                                      "tmp",
                                      "tofa",
                                      "tres-bind",
                                      "tres-per-task",
                                      "uid",
                                      "wait",
                                      "wckey"};

constexpr std::string_view kShortWithValue = "ABCDFGJLMNSTWbcdeimnopqrtwx";

// Short options that matter here, and other names of long ones.
std::string long_name(char letter) {
  switch (letter) {
    case 'F':
      return "nodefile";
    case 'M':
      return "clusters";
    case 'N':
      return "nodes";
    case 'b':
      return "begin";
    case 'c':
      return "cpus-per-task";
    case 'd':
      return "dependency";
    case 'm':
      return "distribution";
    case 'n':
      return "ntasks";
    case 'p':
      return "partition";
    case 'r':
      return "relative";
    case 'w':
      return "nodelist";
    case 'x':
      return "exclude";
    default:
      return {};
  }
}

// srun accepts beginnings of names as long as they are unique.
std::string complete(std::string_view name) {
  std::string found;
  for (const std::string_view known : kWithValue) {
    if (known == name) return std::string(name);
    if (known.substr(0, name.size()) == name) found = known;
  }
  return found;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {
    command_.audible = words;
  }

  SrunCommand parse() {
    for (at_ = 1; at_ < words_.size(); ++at_) {
      const std::string_view word = words_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') break;
      if (word[1] == '-')
        long_option(word.substr(2));
      else
        short_options(word.substr(1));
    }
    if (at_ < words_.size())
      command_.program = words_[at_].substr(words_[at_].find_last_of('/') + 1);
    command_.heterogeneous = command_.options.count("het-group") > 0 ||
                             command_.options.count("pack-group") > 0 ||
                             std::find(words_.begin(), words_.end(), ":") != words_.end();
    return std::move(command_);
  }

 private:
  std::string next_word() { return at_ + 1 < words_.size() ? words_[++at_] : std::string(); }

  void set(std::string name, std::string value) {
    if (name == "tasks-per-node") name = "ntasks-per-node";
    if (name == "cluster") name = "clusters";
    command_.options[std::move(name)] = std::move(value);
  }

  void long_option(std::string_view option) {
    const std::size_t sign = option.find('=');
    const std::string_view given = option.substr(0, sign);
    constexpr std::string_view kOvercommit = "overcommit";
    if (given.size() > 4 && kOvercommit.substr(0, given.size()) == given)
      command_.overcommit = true;
    if (given == "hold") command_.hold = true;
    constexpr std::string_view kQuiet = "quiet";
    if (given.size() > 1 && kQuiet.substr(0, given.size()) == given)
      command_.audible[at_] = "--unbuffered";
    const std::string name = complete(given);
    if (name.empty()) return;
    set(name, sign == std::string_view::npos ? next_word() : std::string(option.substr(sign + 1)));
  }

  // -On4 and -w n001 alike.
  void short_options(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 'O') command_.overcommit = true;
      if (letters[i] == 'H') command_.hold = true;
      if (letters[i] == 'Q') command_.audible[at_][i + 1] = 'u';
      if (letters[i] == 'I' || letters[i] == 'K' || letters[i] == 'k') return;  // -K0
      if (kShortWithValue.find(letters[i]) == std::string_view::npos) continue;
      const std::string_view attached = letters.substr(i + 1);
      const std::string value = attached.empty() ? next_word() : std::string(attached);
      if (const std::string name = long_name(letters[i]); !name.empty()) set(name, value);
      return;
    }
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  SrunCommand command_;
};

}  // namespace

std::optional<std::string> SrunCommand::find(const std::string& option) const {
  const auto found = options.find(option);
  return found == options.end() ? std::nullopt : std::optional(found->second);
}

SrunCommand parse_srun_command(const std::vector<std::string>& words) {
  return Parser(words).parse();
}

}  // namespace tofa::spank
