// SPDX-License-Identifier: BSD-3-Clause
// See large_pages.hpp.
#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/lanes.hpp"

namespace tofa {
namespace {

constexpr std::uintptr_t kLargePage = 2 << 20;

}  // namespace

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % kLargePage;
  const std::size_t before = (kLargePage - past) % kLargePage;
  if (bytes < before + kLargePage) return;
  // An error changes nothing: pages are small then.
  madvise(static_cast<char*>(memory) + before, (bytes - before) / kLargePage * kLargePage,
          MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void take_pages(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::size_t least = 4 * kLargePage;  // that is worth a second thread
  if (bytes < least) return;
  const auto first =
      reinterpret_cast<std::uintptr_t>(memory) / kLargePage * kLargePage + kLargePage;
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kLargePage * kLargePage;
  const std::uintptr_t middle = first + (end - first) / kLargePage / kLanes * kLargePage;
  run_lanes([&](unsigned lane) {
    const std::uintptr_t from = lane == 0 ? first : middle;
    // An error changes nothing: whoever writes there first waits for the page.
    madvise(reinterpret_cast<void*>(from), (lane == 0 ? middle : end) - from, MADV_POPULATE_WRITE);
  });
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace tofa
