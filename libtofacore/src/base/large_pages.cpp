// SPDX-License-Identifier: BSD-3-Clause
// See large_pages.hpp.
#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/lanes.hpp"

namespace tofa {
namespace {

// The whole large pages within some memory.
struct LargePages {
  static constexpr std::size_t kSize = 2 << 20;  // bytes of one

  LargePages(void* memory, std::size_t bytes) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % kSize;
    const std::size_t before = (kSize - past) % kSize;
    if (bytes < before + kSize) return;
    first = static_cast<char*>(memory) + before;
    count = (bytes - before) / kSize;
  }

  char* first = nullptr;
  std::size_t count = 0;
};

}  // namespace

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const LargePages pages(memory, bytes);
  // An error changes nothing: pages are small then.
  if (pages.count > 0) madvise(pages.first, pages.count * LargePages::kSize, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void take_pages(void* memory, std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  constexpr std::size_t fewest = 4;  // that are worth a second thread
  const LargePages pages(memory, bytes);
  if (pages.count < fewest) return;
  run_lanes([&pages](unsigned lane) {
    const std::size_t begin = lane * pages.count / kLanes;
    const std::size_t end = (lane + 1) * pages.count / kLanes;
    // An error changes nothing: whoever writes there first waits for the page.
    madvise(pages.first + begin * LargePages::kSize, (end - begin) * LargePages::kSize,
            MADV_POPULATE_WRITE);
  });
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace tofa
