// SPDX-License-Identifier: BSD-3-Clause
// Whether all processes of a communicator reorder: see consent.h.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/request/request.h>
#include <stdbool.h>

#include "../../topology_tags.h"
#include "../consent.h"

// What rank 0 has of one call, from consult_all to consult_end. It needs no memory of its own to
// answer others, which wait for that.
struct consultation {
  struct consent consent;
  ompi_communicator_t* comm;
  struct topology_tags tags;
  ompi_request_t* question;  // that is waited for; NULL: rank 0 does not listen
  bool asked;                // this process was ready, too
  struct consultation* next;
};

// To be called by each process that has announced the component, in each of the four calls: rank 0
// has to answer others, whether it is to reorder itself (`ready`) or not. *all is true on all
// processes, or on none. consult_end has to follow when Open MPI's own function is done, also after
// an error. `call` is for people. Anything else than OMPI_SUCCESS: the call cannot go on.
int consult_all(const char* call, ompi_communicator_t* comm, bool ready,
                struct consultation* consultation, bool* all);
void consult_end(struct consultation* consultation);
