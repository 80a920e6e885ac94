// SPDX-License-Identifier: BSD-3-Clause
// Persistent sends. MPI_Start calls a function pointer inside the request, not the PML, and the
// request's layout is the PML's own business: so the pointer is replaced, and what one start sends
// is remembered beside the request.
#pragma once

#include <ompi_config.h>

#include <ompi/request/request.h>

#include "partner_table.h"

struct persistent_send {
  struct partner* partner;  // NULL: outside MPI_COMM_WORLD
  enum traffic_kind kind;
  uint64_t bytes;
};

// With `threads`, several may call at a time what follows. The PML's start function is replaced by
// `start`.
int persistent_init(ompi_request_start_fn_t start, bool threads);
void persistent_unwatch_all(void);  // every request is the PML's own again

// Puts `start` in front of the request's own start function and remembers `send` until the request
// is freed.
void persistent_watch(ompi_request_t* request, const struct persistent_send* send);

// False: not a watched request.
bool persistent_lookup(const ompi_request_t* request, struct persistent_send* send);

// After its start a request may be another one, in other memory, that is not watched yet.
bool persistent_is_watched(const ompi_request_t* request);
