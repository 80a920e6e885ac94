// SPDX-License-Identifier: BSD-3-Clause
// The process stays the one that whoever waits for it knows, and libpmix's threads end with the
// program.
#include "query/attempts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "common/address.hpp"
#include "common/wire.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr const char* kVariable = "TOFA_QUERY_ATTEMPT";  // its number and the seconds left
constexpr int kMost = 5;
constexpr double kPause = 0.05;   // seconds
constexpr double kFastest = 0.1;  // for an answer

bool accepts_connections(const std::string& uri) {
  const SocketAddress address =
      numeric_address(split_host_port(uri.substr(uri.find("://") + 3), kDefaultGatewayPort));
  const FileDescriptor socket(::socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket && ::connect(socket.get(), &address.any, size_of(address)) == 0;
}

}  // namespace

Attempt this_attempt(double deadline) {
  const char* told = std::getenv(kVariable);
  if (told == nullptr) return {1, deadline};
  std::string_view rest = told;
  const auto number = parse_number<int>(next_word(rest));
  const auto left = parse_number<double>(next_word(rest));
  ::unsetenv(kVariable);
  if (!number || !left) return {1, deadline};
  return {*number, std::clamp(*left, 0.001, std::max(0.001, deadline))};
}

bool may_ask_again(const Attempt& attempt, double left, const std::string& uri) {
  return attempt.number < kMost && left > kPause + kFastest && accepts_connections(uri);
}

void ask_again(const Attempt& attempt, double left, char** argv) {
  std::this_thread::sleep_for(std::chrono::duration<double>(kPause));
  const std::string told = fmt::format("{} {:.6f}", attempt.number + 1, left - kPause);
  ::setenv(kVariable, told.c_str(), 1);
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv("/proc/self/exe", argv);
}

}  // namespace tofa::health
