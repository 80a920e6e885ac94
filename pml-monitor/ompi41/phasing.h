// SPDX-License-Identifier: BSD-3-Clause
// Phases of a program (phases.h), as the program or a clock sets them: the MPI_T variable
// pml_tofa_phase, which libtofa-pcontrol.so sets for MPI_Pcontrol, or windows of so many seconds.
#pragma once

#include "interpose.h"
#include "mtx_writer.h"
#include "parameters.h"

void phasing_prepare(const struct monitor_parameters* parameters);

// From here on phases may be entered. Without pml_monitoring_phases or pml_monitoring_window,
// nothing happens here or below.
void phasing_start(struct partner_table* table);
// Nothing is counted any more.
void phasing_stop(void);

bool phasing_wanted(void);

// On every rank that wanted phases, to bring them to rank 0, which has a stem and a folder and
// writes them. The number of phases written; minus an errno value when they could not be.
int phasing_dump(const struct monitor* monitor, double limit_seconds, const char* stem,
                 const char* folder, const struct mtx_metadata* metadata);
