// SPDX-License-Identifier: BSD-3-Clause
// What PMIx calls a job.
#pragma once

#include <stdint.h>

// NULL: not known here. Valid until MPI_Finalize ends.
const char* job_name(uint32_t job);
const char* job_name_own(void);
