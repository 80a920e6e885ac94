// SPDX-License-Identifier: BSD-3-Clause
// Counts one-sided calls: most one-sided components of Open MPI do not send through the PML. Each
// still chooses and makes its windows as without us; then the functions of a window that move data
// are replaced, and put back before it is freed.
#pragma once

#include <ompi_config.h>

#include <ompi/group/group.h>
#include <stdbool.h>
#include <stdint.h>

#include "partner_table.h"

// Who keeps the counts. `count`: so many bytes went to a rank of the group, or came from it if the
// kind is TRAFFIC_FETCHED. `note`: see not_counted.h.
struct window_counter {
  void (*count)(ompi_group_t* group, int target, enum traffic_kind kind, uint64_t bytes);
  void (*note)(uint32_t way);
};

// When every one-sided component is loaded. May be called again.
void windows_watch(const struct window_counter* counter);
// Components and windows are as they were.
void windows_unwatch(void);

// This thread is about to make a window.
bool windows_opening(void);
