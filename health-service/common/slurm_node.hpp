// SPDX-License-Identifier: BSD-3-Clause
// What Slurm says of a node, as tofa-slurm-nodes prints it for tofa-healthd: one line of JSON per
// node, with one writer and one reader.
//
//     {"node": N, "state": S, "flags": [F, ...], "reason": TEXT, "uid": U, "by": USER, "since": T,
//      "boot": T, "started": T, "busy": T}
//
// "reason", "uid", "by" and "since" are there where somebody or Slurm itself gave a reason; times,
// in seconds since 1970, where Slurm knows them. States and flags are words of our own rather than
// Slurm's numbers, which differ between its versions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::health {

enum class SlurmState { unknown, down, idle, allocated, error, mixed, future };

// Bits of SlurmNode::flags.
enum class SlurmFlag : unsigned {
  drain = 1U << 0U,
  silent = 1U << 1U,     // does not respond
  fail = 1U << 2U,       // as an admin says
  maint = 1U << 3U,      // in a reservation for maintenance
  rebooting = 1U << 4U,  // by an admin; not one that waits until the node is idle
  power = 1U << 5U,      // down to save energy, or on its way there or back
  invalid = 1U << 6U,    // came back with less than slurm.conf promises
};

struct SlurmNode {
  std::string name;
  SlurmState state = SlurmState::unknown;
  unsigned flags = 0;
  std::string reason = {};  // for being drained or down; empty: none
  std::int64_t uid = -1;    // who gave it, -1: nobody
  std::string by = {};      // that user's name, where there is one
  double since = 0;         // when
  double boot = 0;          // as counted from what the node said when its slurmd registered
  double started = 0;       // its slurmd
  double busy = 0;          // the last time
  bool has(SlurmFlag flag) const { return (flags & static_cast<unsigned>(flag)) != 0; }
  friend bool operator==(const SlurmNode&, const SlurmNode&) = default;
};

// What all reasons begin with for which tofa-healthd drains nodes.
inline constexpr std::string_view kOurReason = "tofa: ";

// The exit status of tofa-slurm-nodes where it leaves a node alone, since others have a say in it.
inline constexpr int kLeftAlone = 3;
// The same where Slurm's controller cannot be reached, so that nothing is known of what it would
// have said.
inline constexpr int kNotReached = 4;

// Whether nobody has a say in it: it is in use or can be, and Slurm keeps no reason.
bool may_be_drained(const SlurmNode& node);
// Whether it is drained for just this reason, by this user.
bool is_drained_by(const SlurmNode& node, std::string_view reason, std::int64_t uid);

// With its end of line.
std::string format_slurm_node(const SlurmNode& node);

// Throws Error (bad_input), with the number of the line, for anything else.
std::vector<SlurmNode> parse_slurm_nodes(std::string_view text);

}  // namespace tofa::health
