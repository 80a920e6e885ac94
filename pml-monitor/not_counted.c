// SPDX-License-Identifier: BSD-3-Clause
// See not_counted.h.
#include "not_counted.h"

#include <stdio.h>

static const char* const names[] = {"one-sided", "shared-memory windows", "coll/sm",
                                    "network collectives"};

_Static_assert(1 << (sizeof names / sizeof *names) == NOT_COUNTED_MOST, "a name for each");

void not_counted_names(uint32_t ways, char* text, size_t size) {
  size_t used = 0;
  if (size > 0) text[0] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names && used < size; ++i) {
    if ((ways >> i & 1) == 0) continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "", names[i]);
  }
}
