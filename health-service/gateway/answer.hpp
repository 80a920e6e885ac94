// SPDX-License-Identifier: BSD-3-Clause
// Answers as PMIx values; common/wire.hpp names the keys.
#pragma once

#include <pmix.h>

#include <cstddef>
#include <memory>
#include <string>

#include "common/snapshot_source.hpp"
#include "common/topology_source.hpp"

namespace tofa::health {

// An array of pmix_info_t that frees itself with all it holds.
struct Answer {
  explicit Answer(std::size_t size);
  ~Answer();
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  pmix_info_t* info = nullptr;
  std::size_t size = 0;
};

std::unique_ptr<Answer> make_snapshot_answer(const SnapshotText& snapshot);
std::unique_ptr<Answer> make_topology_answer(const TopologyAnswer& topology);
std::unique_ptr<Answer> make_error_answer(const std::string& reason);

}  // namespace tofa::health
