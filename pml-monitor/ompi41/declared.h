// SPDX-License-Identifier: BSD-3-Clause
// What programs tell MPI of their neighbours, with MPI_Cart_create and the like. The component
// topo/tofa sees these calls, and tells what it hears.
#pragma once

#include "partner_table.h"

// From here on neighbours are added to the table. Without that component nothing is heard.
void declared_watch(struct partner_table* table);
// Before the table goes.
void declared_unwatch(void);
