// SPDX-License-Identifier: BSD-3-Clause
// Collectives that do not send messages through the PML: through shared memory, or made by the
// network. They are not counted, so they are named.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <stdint.h>

// Bits of not_counted.h, for the collectives of a communicator that is complete, or of all
// communicators there are.
uint32_t unseen_collectives_of(const ompi_communicator_t* comm);
uint32_t unseen_collectives(void);
