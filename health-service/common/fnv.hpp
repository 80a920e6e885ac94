// SPDX-License-Identifier: BSD-3-Clause
// FNV-1a (Fowler, Noll, Vo) of 64 bits: a number that stands for bytes, the same in every version
// of these programs, so that it can be kept. It is for accidents, not for forgers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tofa::health {

inline constexpr std::uint64_t kFnvOfNothing = 0xcbf29ce484222325U;

// With more bytes behind those that `sum` stands for.
inline std::uint64_t fnv(const void* data, std::size_t size, std::uint64_t sum = kFnvOfNothing) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3U;
  return sum;
}

}  // namespace tofa::health
