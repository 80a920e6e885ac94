// SPDX-License-Identifier: BSD-3-Clause
// What is to be saved in one transaction. While a disk is slow, what follows is added to what still
// waits for it, so that it takes no more memory than the hosts and days there are, and the outages
// that began or ended meanwhile. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "healthd/clock_watch.hpp"
#include "healthd/exposure.hpp"
#include "healthd/fleet.hpp"

namespace tofa::health {

// Of outages that begin or end: so many are kept while nothing can be written.
inline constexpr std::size_t kMostUnsavedTransitions = 100'000;

// As for Store::forget_before().
struct Forgetting {
  double before = 0;
  std::int64_t first_day = 0;
};

struct SaveBatch {
  std::vector<HostRecord> records = {};      // a host has one, the latest
  std::vector<Transition> transitions = {};  // in the order in which they happened
  std::vector<HostDay> days = {};            // a host's day has one, the latest
  double last_round = 0;
  ClockMark clock = {};
  std::optional<Forgetting> forget = {};
};

// One batch of both; of the same host or day it has what `later` says.
SaveBatch merge(SaveBatch earlier, SaveBatch later);

}  // namespace tofa::health
