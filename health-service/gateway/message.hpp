// SPDX-License-Identifier: BSD-3-Clause
// The messages after the handshake, each read as a whole before libpmix sees it. libpmix trusts
// what is in them: a query without a key ends the process, and for a header that announces 2 GiB it
// takes 2 GiB of memory. tofa-query sends three: it asks for what a new tool is told, asks the one
// query, and takes its leave. Nothing else is let through.
#pragma once

#include <cstddef>
#include <string_view>

#include "gateway/verdict.hpp"

namespace tofa::health {

inline constexpr std::size_t kLargestMessage = 4'096;  // with its header

// Looks at the first message of what has been received. Judges a header as soon as it is there.
Check check_message(std::string_view received);

}  // namespace tofa::health
