// SPDX-License-Identifier: BSD-3-Clause
// Stands between MPI and the selected PML, and counts what goes through.
#pragma once

#include <ompi_config.h>

#include <ompi/mca/pml/pml.h>

#include "partner_table.h"
#include "rank_time.h"

// What one rank has counted, and the PML it may talk through without being counted.
struct monitor {
  mca_pml_base_module_t real;
  struct partner_table* table;
  struct partner_table* parts;  // the same in parts (parts.h); NULL: not asked for, or no memory
  struct rank_time time;
};

// Where to keep the counters, or those of parts, at the end of MPI_Init; NULL: in memory.
typedef struct partner_arena* (*monitor_start_fn)(bool parts);

// What to do with the counts in MPI_Finalize, when every rank has arrived there and can still send
// and receive. Called once, whatever the user's own MPI_COMM_SELF attribute callbacks return.
typedef void (*monitor_finish_fn)(const struct monitor* monitor);

// After that, when what `start` handed out is closed and no longer in memory.
typedef void (*monitor_end_fn)(void);

struct monitor_owner {
  monitor_start_fn start;
  monitor_finish_fn finish;
  monitor_end_fn end;
};

// Takes the place of the selected PML; `sizes`: counts messages by their size, too. Not
// OMPI_SUCCESS: nothing has changed.
int interpose_install(bool sizes, const struct monitor_owner* owner);
