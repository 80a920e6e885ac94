// SPDX-License-Identifier: BSD-3-Clause
// Phases of a program (phases.h), as the program or a clock sets them: the MPI_T variable
// pml_tofa_phase, which libtofa-pcontrol.so sets for MPI_Pcontrol, or windows of so many seconds.
#pragma once

#include "interpose.h"
#include "parameters.h"
#include "publication.h"

void phasing_prepare(const struct monitor_parameters* parameters);

// From here on phases may be entered. Without pml_monitoring_phases or pml_monitoring_window,
// nothing happens here or below.
void phasing_start(struct partner_table* table);
// Nothing is counted any more.
void phasing_stop(void);

bool phasing_wanted(void);

// Where phases go on rank 0.
struct phasing_sink {
  const char* stem;  // NULL: nowhere, as on other ranks
  const char* folder;
  const struct mtx_metadata* metadata;
  struct publication* publication;
  // When their files are written, so many: lets them appear. Minus an errno value: they could not
  // be. False: the counts are still needed.
  bool (*finish)(void* context, int written);
  void* context;
};

// On every rank that wanted phases, to bring them to rank 0, which writes them. True: all ranks may
// forget their counts.
bool phasing_dump(const struct monitor* monitor, double limit_seconds,
                  const struct phasing_sink* sink);
