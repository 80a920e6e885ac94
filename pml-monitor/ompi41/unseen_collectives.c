// SPDX-License-Identifier: BSD-3-Clause
// See unseen_collectives.h. A communicator has a table of functions and, to each, the module it
// belongs to; a component that was asked may in the end serve no function.
#include "unseen_collectives.h"

#include <ompi/mca/coll/base/coll_base_util.h>
#include <ompi/mca/coll/coll.h>
#include <opal/class/opal_pointer_array.h>
#include <stddef.h>
#include <string.h>

#include "not_counted.h"

static const struct {
  const char* component;
  uint32_t way;
} unseen[] = {
    {"sm", NOT_COUNTED_COLL_SM},
    {"hcoll", NOT_COUNTED_COLL_HARDWARE},
    {"ucc", NOT_COUNTED_COLL_HARDWARE},
    {"fca", NOT_COUNTED_COLL_HARDWARE},
    {"portals4", NOT_COUNTED_COLL_HARDWARE},
};

static uint32_t way_of(const char* component) {
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; ++i) {
    if (strcmp(component, unseen[i].component) == 0) return unseen[i].way;
  }
  return 0;
}

// Everything before the list of modules is a pointer to a function or to a module.
static bool serves(const mca_coll_base_comm_coll_t* table, const mca_coll_base_module_t* module) {
  enum { POINTERS = offsetof(mca_coll_base_comm_coll_t, module_list) / sizeof(void*) };
  const void* pointers[POINTERS];
  memcpy(pointers, table, sizeof pointers);
  for (size_t i = 0; i < POINTERS; ++i) {
    if (pointers[i] == module) return true;
  }
  return false;
}

// Open MPI's own monitoring stands in front of the others, where it runs, and hides them. The first
// in rank behind it serves.
static uint32_t way_behind_monitoring(const mca_coll_base_comm_coll_t* table) {
  bool hidden = false;
  const mca_coll_base_avail_coll_t *item, *first = NULL;
  OPAL_LIST_FOREACH(item, table->module_list, const mca_coll_base_avail_coll_t) {
    if (strcmp(item->ac_component_name, "monitoring") == 0) {
      hidden = serves(table, item->ac_module);
    } else if (first == NULL || item->ac_priority > first->ac_priority) {
      first = item;
    }
  }
  return hidden && first != NULL ? way_of(first->ac_component_name) : 0;
}

uint32_t unseen_collectives_of(const ompi_communicator_t* comm) {
  if (comm->c_coll == NULL || comm->c_coll->module_list == NULL) return 0;
  uint32_t ways = way_behind_monitoring(comm->c_coll);
  const mca_coll_base_avail_coll_t* item;
  OPAL_LIST_FOREACH(item, comm->c_coll->module_list, const mca_coll_base_avail_coll_t) {
    uint32_t way = way_of(item->ac_component_name);
    if (way != 0 && serves(comm->c_coll, item->ac_module)) ways |= way;
  }
  return ways;
}

uint32_t unseen_collectives(void) {
  uint32_t ways = 0;
  for (int i = 0; i < opal_pointer_array_get_size(&ompi_mpi_communicators); ++i) {
    const ompi_communicator_t* comm = opal_pointer_array_get_item(&ompi_mpi_communicators, i);
    if (comm != NULL && comm != &ompi_mpi_comm_null.comm) ways |= unseen_collectives_of(comm);
  }
  return ways;
}
