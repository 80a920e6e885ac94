// SPDX-License-Identifier: BSD-3-Clause
// Where ranks run, as the launcher has told every process.
#pragma once

#include <stdint.h>

// The host of each rank of MPI_COMM_WORLD, NULL where it is not known; NULL: no memory.
char** hosts_of_ranks(uint32_t ranks);
void hosts_free(char** hosts, uint32_t ranks);
