// SPDX-License-Identifier: BSD-3-Clause
// What communicators are for, and whether one is being made. Windows and files have communicators
// of their own, on which Open MPI sends for itself, with tags as users have.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/mca/coll/base/coll_tags.h>
#include <opal/class/opal_pointer_array.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../../ompi-mca/topology_tags.h"
#include "partner_table.h"

// Before anything is sent on a new communicator, and when it goes.
void purpose_of_new(ompi_communicator_t* comm);
void purpose_forget(ompi_communicator_t* comm);
void purpose_forget_all(void);

// Messages on it are of the class that their tag says.
bool purpose_is_the_users(const ompi_communicator_t* comm);

// The class of a message; TRAFFIC_KINDS: it carries a one-sided transfer, and is counted there.
enum traffic_kind purpose_of_message(const ompi_communicator_t* comm, int tag);

// How many communicators there are when none is being made.
extern _Atomic int purpose_settled;
bool purpose_is_unsettled(void);

static inline bool purpose_one_is_made(void) {
  int communicators = ompi_comm_f_to_c_table.size - ompi_comm_f_to_c_table.number_free;
  return communicators > atomic_load_explicit(&purpose_settled, memory_order_relaxed) &&
         purpose_is_unsettled();
}

// Not one of those that take a closer look.
static inline bool tag_is_plain(int tag) {
  return tag > MCA_COLL_BASE_TAG_NONBLOCKING_BASE;
}

// The class of messages on communicators of users. When a communicator is made, ranks agree on its
// number with nonblocking collectives, or, where two groups take part, with tags for this alone.
static inline enum traffic_kind kind_of_tag(int tag) {
  if (tag >= 0) return TRAFFIC_USER;
  if (tag_is_plain(tag)) return TRAFFIC_COLLECTIVE;
  bool handshake =
      (tag <= OMPI_COMM_ALLGATHER_TAG && tag >= OMPI_COMM_ALLREDUCE_TAG) || is_topology_tag(tag);
  return handshake || purpose_one_is_made() ? TRAFFIC_LIBRARY : TRAFFIC_COLLECTIVE;
}
