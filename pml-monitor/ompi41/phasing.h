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
void phasing_start(const struct monitor* monitor);
// Nothing is counted any more.
void phasing_stop(void);

bool phasing_wanted(void);

// The table and the parts go.
void phasing_end(void);
