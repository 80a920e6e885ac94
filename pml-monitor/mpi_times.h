// SPDX-License-Identifier: BSD-3-Clause
// What libtofa-calls.so counts: the time in MPI calls that have returned. It adds up wherever the
// monitor wants to have it: in the file that a rank leaves when it dies.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

struct mpi_times {
  _Atomic uint64_t nanoseconds;  // the sum over threads
  _Atomic uint64_t calls;
  _Atomic uint64_t latest;  // when the last one returned, in nanoseconds of CLOCK_MONOTONIC
};

// In libtofa-calls.so. From now on what it has counted and will count is here, for as long as the
// process lives; no other thread is in an MPI call.
void tofa_mpi_times_move(struct mpi_times* to);
// What it has counted.
void tofa_mpi_time(uint64_t* nanoseconds, uint64_t* calls);
