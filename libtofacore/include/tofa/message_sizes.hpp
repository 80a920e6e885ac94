// SPDX-License-Identifier: BSD-3-Clause
// How many messages of which size each pair of ranks exchanged: NAME.sizes.txt, which the monitor
// writes where pml_monitoring_sizes is 1. Sizes are counted together from one power of two to the
// next.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tofa/types.hpp"

namespace tofa {

struct SizeCount {
  Rank sender;
  Rank receiver;
  Bytes least;  // 0, 1, 2, 4, 8 and so on: messages from this size on, to below the next
  std::uint64_t messages;
  friend bool operator==(const SizeCount&, const SizeCount&) = default;
};

struct MessageSizes {
  Rank ranks = 0;
  std::vector<SizeCount> counts;  // by sender, receiver, size, without duplicates
  std::string metadata;           // one line of JSON, or empty

  // Sorts and adds up duplicates. Throws Error when a sum exceeds 64 bits.
  void normalise();
};

// STEM.sizes.txt
std::string message_sizes_path(const std::string& stem);

bool is_message_sizes(std::string_view text);

// Throws Error with file and line. `name` is only for messages.
MessageSizes parse_message_sizes(std::string_view text, const std::string& name);
std::string format_message_sizes(const MessageSizes& sizes);

struct SizeTotal {
  Bytes least;
  Bytes most;
  std::uint64_t messages;
  friend bool operator==(const SizeTotal&, const SizeTotal&) = default;
};

// Over all pairs, ascending. Throws Error when a sum exceeds 64 bits.
std::vector<SizeTotal> total_sizes(const MessageSizes& sizes);

}  // namespace tofa
