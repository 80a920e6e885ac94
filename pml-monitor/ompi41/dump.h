// SPDX-License-Identifier: BSD-3-Clause
// From counts to files, at MPI_Finalize. Whatever goes wrong costs the files and one warning, never
// the job.
#pragma once

#include "interpose.h"
#include "parameters.h"

// In MPI_Init, with the working directory the job started in. Takes the file name over.
void dump_prepare(const struct monitor_parameters* parameters);

// At the end of MPI_Init: where this rank's counters, then those of parts, survive its death; NULL:
// nowhere.
struct partner_arena* dump_start(bool parts);

void dump_counts(const struct monitor* monitor);

// When the counters are no longer in memory: the files that they were in go, if the result has them
// all.
void dump_end(void);
