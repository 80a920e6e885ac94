// SPDX-License-Identifier: BSD-3-Clause
// As glibc.malloc.hugetlb=1 in GLIBC_TUNABLES does for all memory, which only the environment can
// ask for.
#include "heap.hpp"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tofa::cli {

void take_large_pages() {
#ifdef __GLIBC__
  // Larger pieces are mapped one by one, as usual, and go back when they are freed.
  constexpr int piece = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, piece);
  mallopt(M_TRIM_THRESHOLD, 8 * piece);
  mallopt(M_TOP_PAD, piece);
  mallopt(M_ARENA_MAX, 1);
  // The heap grows by such a piece now.
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void* volatile first = std::malloc(piece / 64);  // or compilers would leave it out
  std::free(first);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  constexpr std::uintptr_t page = 2 << 20;
  const std::uintptr_t begin = (before + page - 1) / page * page;
  const std::uintptr_t end = after / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace tofa::cli
