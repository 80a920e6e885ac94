// SPDX-License-Identifier: BSD-3-Clause
// For LD_PRELOAD: the topo component gets memory TOFA_TEST_ALLOCATIONS times in the process that
// has the rank TOFA_TEST_NO_MEMORY, and then none.
#define _GNU_SOURCE  // dladdr, secure_getenv
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t size);                // NOLINT: glibc's
void* __libc_calloc(size_t count, size_t size);  // NOLINT

static bool is_refused(const void* caller) {
  const char* rank = secure_getenv("OMPI_COMM_WORLD_RANK");
  const char* refused = secure_getenv("TOFA_TEST_NO_MEMORY");
  Dl_info info;
  if (rank == NULL || refused == NULL || strcmp(rank, refused) != 0) return false;
  if (dladdr(caller, &info) == 0 || strstr(info.dli_fname, "mca_topo_tofa") == NULL) return false;
  static atomic_int allocations;
  const char* most = secure_getenv("TOFA_TEST_ALLOCATIONS");
  return atomic_fetch_add(&allocations, 1) >= (most != NULL ? atoi(most) : 0);
}

__attribute__((visibility("default"))) void* malloc(size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void* calloc(size_t count, size_t size) {
  return is_refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
