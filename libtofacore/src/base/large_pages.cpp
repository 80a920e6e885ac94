// SPDX-License-Identifier: BSD-3-Clause
// See large_pages.hpp.
#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace tofa {

void prefer_large_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = 2 << 20;
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % page;
  const std::size_t before = (page - past) % page;
  if (bytes < before + page) return;
  // An error changes nothing: pages are small then.
  madvise(static_cast<char*>(memory) + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace tofa
