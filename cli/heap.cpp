// SPDX-License-Identifier: BSD-3-Clause
// As glibc.malloc.hugetlb=1 in GLIBC_TUNABLES does for all memory, which only the environment can
// ask for.
#include "heap.hpp"

#include <cstddef>
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
  char* const before = static_cast<char*>(sbrk(0));
  void* volatile first = std::malloc(piece / 64);  // or compilers would leave it out
  std::free(first);
  char* const after = static_cast<char*>(sbrk(0));
  constexpr std::uintptr_t page = 2 << 20;
  const auto past = [](const char* at) { return reinterpret_cast<std::uintptr_t>(at) % page; };
  char* const begin = before + (page - past(before)) % page;
  char* const end = after - past(after);
  if (begin < end) madvise(begin, static_cast<std::size_t>(end - begin), MADV_HUGEPAGE);
#endif
}

}  // namespace tofa::cli
