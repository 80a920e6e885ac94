// SPDX-License-Identifier: BSD-3-Clause
// What communicators are for. Windows and files have communicators of their own, on which Open MPI
// sends for itself, with tags as users have.
#pragma once

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <stdbool.h>

#include "partner_table.h"

// Before anything is sent on a new communicator, and when it goes.
void purpose_of_new(ompi_communicator_t* comm);
void purpose_forget(ompi_communicator_t* comm);
void purpose_forget_all(void);

// Messages on it are of the class that their tag says.
bool purpose_is_the_users(const ompi_communicator_t* comm);

// The class of a message; TRAFFIC_KINDS: it carries a one-sided transfer, and is counted there.
enum traffic_kind purpose_of_message(const ompi_communicator_t* comm, int tag);

// That of messages on communicators of users.
static inline enum traffic_kind kind_of_tag(int tag) {
  if (tag >= 0) return TRAFFIC_USER;
  bool handshake = tag <= OMPI_COMM_ALLGATHER_TAG && tag >= OMPI_COMM_ALLREDUCE_TAG;
  return handshake ? TRAFFIC_LIBRARY : TRAFFIC_COLLECTIVE;
}
