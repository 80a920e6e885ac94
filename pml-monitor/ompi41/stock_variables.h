// SPDX-License-Identifier: BSD-3-Clause
// The MPI_T performance variables of Open MPI's own monitoring.
#pragma once

// MPI_T_pvar_handle_alloc wants the address of a communicator. Open MPI's own programs for these
// variables, and what was written after them, hand over the communicator itself, with which
// Open MPI 4.1 crashes. From here on that is taken for MPI_COMM_WORLD, the only communicator for
// which there are values.
void stock_variables_forgive(void);
