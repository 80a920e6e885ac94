// SPDX-License-Identifier: BSD-3-Clause
// Collectives that coll/sm makes through shared memory: at their call it is told what would have
// been sent by messages (schedules.h).
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <stdint.h>

// A message of so many bytes to a rank of the communicator, that is not sent.
typedef void (*estimate_fn)(ompi_communicator_t* comm, int receiver, uint64_t bytes);

// Before communicators get their collectives; and when nothing is counted any more.
void estimates_watch(estimate_fn count);
void estimates_unwatch(void);
