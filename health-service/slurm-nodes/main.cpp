// SPDX-License-Identifier: BSD-3-Clause
// tofa-slurm-nodes: asks Slurm for all nodes once and prints them, a line of JSON each
// (common/slurm_node.hpp); or drains a node, or ends that, where nobody else has a say in it. It is
// a program of its own since libslurm ends the process that uses it where it does not like its
// configuration, waits for a controller that hangs for as long as slurm.conf says, and brings
// plugins along; tofa-healthd runs it and may kill it at any time.
#include <fmt/core.h>
#include <pwd.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "command_line.hpp"
#include "common/slurm_node.hpp"
#include "tofa/error.hpp"

namespace {

using tofa::health::SlurmFlag;
using tofa::health::SlurmNode;
using tofa::health::SlurmState;

// Should whoever started it be gone, and Slurm hang.
constexpr unsigned kLongestLife = 600;  // seconds

constexpr std::array<std::pair<std::uint32_t, SlurmFlag>, 12> kFlags{{
    {NODE_STATE_DRAIN, SlurmFlag::drain},
    {NODE_STATE_NO_RESPOND, SlurmFlag::silent},
    {NODE_STATE_FAIL, SlurmFlag::fail},
    {NODE_STATE_MAINT, SlurmFlag::maint},
    {NODE_STATE_REBOOT_ISSUED, SlurmFlag::rebooting},
    {NODE_STATE_POWERED_DOWN, SlurmFlag::power},
    {NODE_STATE_POWERING_DOWN, SlurmFlag::power},
    {NODE_STATE_POWERING_UP, SlurmFlag::power},
    {NODE_STATE_POWER_DOWN, SlurmFlag::power},
    {NODE_STATE_POWER_UP, SlurmFlag::power},
    {NODE_STATE_POWER_DRAIN, SlurmFlag::power},
    {NODE_STATE_INVALID_REG, SlurmFlag::invalid},
}};

SlurmState state_of(std::uint32_t bits) {
  switch (bits & NODE_STATE_BASE) {
    case NODE_STATE_DOWN:
      return SlurmState::down;
    case NODE_STATE_IDLE:
      return SlurmState::idle;
    case NODE_STATE_ALLOCATED:
      return SlurmState::allocated;
    case NODE_STATE_ERROR:
      return SlurmState::error;
    case NODE_STATE_MIXED:
      return SlurmState::mixed;
    case NODE_STATE_FUTURE:
      return SlurmState::future;
    default:
      return SlurmState::unknown;
  }
}

// Names of users, each looked up once.
class Users {
 public:
  const std::string& name_of(uid_t uid) {
    const auto [entry, is_new] = names_.try_emplace(uid);
    const passwd* user = is_new ? ::getpwuid(uid) : nullptr;
    if (user != nullptr) entry->second = user->pw_name;
    return entry->second;
  }

 private:
  std::map<uid_t, std::string> names_;
};

SlurmNode read_node(const node_info_t& info, Users& users) {
  SlurmNode node{.name = info.name, .state = state_of(info.node_state)};
  for (const auto& [bit, flag] : kFlags) {
    if ((info.node_state & bit) != 0) node.flags |= static_cast<unsigned>(flag);
  }
  if (info.reason != nullptr && info.reason[0] != '\0') {
    node.reason = info.reason;
    node.since = static_cast<double>(info.reason_time);
    if (info.reason_uid != NO_VAL) {
      node.uid = info.reason_uid;
      node.by = users.name_of(info.reason_uid);
    }
  }
  node.boot = static_cast<double>(info.boot_time);
  node.started = static_cast<double>(info.slurmd_start_time);
  node.busy = static_cast<double>(info.last_busy);
  return node;
}

using NodeList = std::unique_ptr<node_info_msg_t, decltype(&slurm_free_node_info_msg)>;

// It is not known what Slurm would say: its controller is away, or is starting.
class NotReached : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Also of a munged that is being started, and of a system call in the connection.
bool is_about_the_way(int error) {
  constexpr auto errors = std::to_array<int>({
      SLURM_COMMUNICATIONS_CONNECTION_ERROR,
      SLURM_COMMUNICATIONS_SEND_ERROR,
      SLURM_COMMUNICATIONS_RECEIVE_ERROR,
      SLURM_COMMUNICATIONS_SHUTDOWN_ERROR,
      SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR,
      SLURMCTLD_COMMUNICATIONS_SEND_ERROR,
      SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR,
      SLURMCTLD_COMMUNICATIONS_SHUTDOWN_ERROR,
      SLURM_PROTOCOL_AUTHENTICATION_ERROR,
      SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT,
      SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT,
      ESLURM_IN_STANDBY_MODE,
      ESLURM_IN_STANDBY_USE_BACKUP,
      ECONNREFUSED,
      ECONNRESET,
      ETIMEDOUT,
      EHOSTUNREACH,
      ENETUNREACH,
  });
  return std::find(errors.begin(), errors.end(), error) != errors.end();
}

// Newer versions of Slurm return the error, older ones leave it in errno.
void check(int status) {
  if (status == SLURM_SUCCESS) return;
  const int error = status == SLURM_ERROR ? errno : status;
  if (is_about_the_way(error)) throw NotReached(slurm_strerror(error));
  throw tofa::Error(tofa::ErrorKind::unavailable, slurm_strerror(error));
}

NodeList load_nodes() {
  node_info_msg_t* nodes = nullptr;
  check(slurm_load_node(0, &nodes, SHOW_ALL));
  return {nodes, &slurm_free_node_info_msg};
}

void print_nodes() {
  const NodeList nodes = load_nodes();
  Users users;
  for (std::uint32_t i = 0; i < nodes->record_count; ++i) {
    const node_info_t& info = nodes->node_array[i];
    // Slots for dynamic nodes have none.
    if (info.name != nullptr && info.name[0] != '\0') {
      fmt::print("{}", format_slurm_node(read_node(info, users)));
    }
  }
}

[[noreturn]] void refuse(const std::string& node, const std::string& why) {
  throw tofa::Error(tofa::ErrorKind::unmet, fmt::format("{}: {}; it is left alone", node, why));
}

SlurmNode find_node(const std::string& name) {
  const NodeList nodes = load_nodes();
  Users users;
  for (std::uint32_t i = 0; i < nodes->record_count; ++i) {
    const node_info_t& info = nodes->node_array[i];
    if (info.name != nullptr && name == info.name) return read_node(info, users);
  }
  refuse(name, "Slurm has no such node");
}

void update(const std::string& node, std::uint32_t state, const std::string& reason) {
  update_node_msg_t message;
  slurm_init_update_node_msg(&message);
  message.node_names = const_cast<char*>(node.c_str());
  message.node_state = state;
  if (!reason.empty()) {
    message.reason = const_cast<char*>(reason.c_str());
    message.reason_uid = ::geteuid();
  }
  check(slurm_update_node(&message));
}

// What was decided from an earlier answer may be out of date, so both look once more.
void drain(const std::string& name, const std::string& reason) {
  const SlurmNode node = find_node(name);
  if (!tofa::health::may_be_drained(node)) {
    refuse(name, node.reason.empty() ? "it is not in use" : "it has a reason, " + node.reason);
  }
  update(name, NODE_STATE_DRAIN, reason);
}

void resume(const std::string& name, const std::string& reason) {
  if (!tofa::health::is_drained_by(find_node(name), reason, ::geteuid())) {
    refuse(name, "somebody else has drained it, or resumed it");
  }
  update(name, NODE_STATE_UNDRAIN, "");
}

int run(int argc, char** argv) {
  tofa::cli::Program program("tofa-slurm-nodes", TOFA_VERSION);
  tofa::cli::Command& command = program.command();
  command.description("Prints what Slurm says of its nodes, for tofa-healthd.");
  std::string drained;
  std::string resumed;
  std::string reason;
  command.add_option("--drain", drained, "Drain this node unless somebody else has")
      ->check(tofa::cli::kNotEmpty)
      ->option_text("NODE");
  command.add_option("--resume", resumed, "End that, where the reason is still this one")
      ->check(tofa::cli::kNotEmpty)
      ->option_text("NODE")
      ->excludes("--drain");
  command.add_option("--reason", reason, "Of either")
      ->check(tofa::cli::kNotEmpty)
      ->option_text("TEXT");
  command.footer("A line of JSON per node; see tofa-healthd(8).");
  if (const auto status = program.parse(argc, argv)) return *status;
  if (reason.empty() != (drained.empty() && resumed.empty())) {
    fmt::print(stderr,
               "tofa-slurm-nodes: --drain and --resume need a --reason, nothing else does\n");
    return 2;
  }
  ::alarm(kLongestLife);
  slurm_init(nullptr);
  if (!drained.empty()) {
    drain(drained, reason);
  } else if (!resumed.empty()) {
    resume(resumed, reason);
  } else {
    print_nodes();
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const tofa::Error& error) {
    fmt::print(stderr, "tofa-slurm-nodes: {}\n", error.what());
    return error.kind() == tofa::ErrorKind::unmet ? tofa::health::kLeftAlone : 1;
  } catch (const NotReached& error) {
    fmt::print(stderr, "tofa-slurm-nodes: {}\n", error.what());
    return tofa::health::kNotReached;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tofa-slurm-nodes: {}\n", error.what());
    return 1;
  }
}
