// SPDX-License-Identifier: BSD-3-Clause
// State of the plugin: see session.hpp.
#include "session.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/hostfile.hpp"

namespace tofa::spank {

Session& session() {
  static Session the_session;
  return the_session;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos) environment[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return environment;
}

std::vector<std::string> own_command_line() {
  std::vector<std::string> words(1);
  for (const char c : read_file("/proc/self/cmdline")) {
    if (c == '\0') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  words.pop_back();
  return words;
}

void offer_hostfile(const std::vector<std::string>& mapping) {
  FileDescriptor file = file_in_memory("tofa-hostfile", format_hostfile(mapping));
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  if (::setenv(kHostfile, path.c_str(), 1) != 0)
    throw Error(ErrorKind::unavailable, "no memory for a hostfile");
  session().hostfile = std::move(file);
}

void withdraw_hostfile() {
  session().hostfile.reset();
  if (session().hostfile_before) {
    ::setenv(kHostfile, session().hostfile_before->c_str(), 1);
  } else {
    ::unsetenv(kHostfile);
  }
}

void replace_ranks(unsigned ranks) {
  session().ranks_before = variable(kRanks);
  session().ranks_set = ::setenv(kRanks, std::to_string(ranks).c_str(), 1) == 0;
}

void restore_ranks() {
  if (!session().ranks_set) return;
  if (session().ranks_before) {
    ::setenv(kRanks, session().ranks_before->c_str(), 1);
  } else {
    ::unsetenv(kRanks);
  }
}

}  // namespace tofa::spank
