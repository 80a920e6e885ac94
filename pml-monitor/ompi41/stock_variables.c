// SPDX-License-Identifier: BSD-3-Clause
// See stock_variables.h.
#include "stock_variables.h"

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <opal/mca/base/mca_base_pvar.h>
#include <stddef.h>

static const char* const names[][3] = {
    {"pml", "monitoring", "messages_count"},      {"pml", "monitoring", "messages_size"},
    {"osc", "monitoring", "messages_sent_count"}, {"osc", "monitoring", "messages_sent_size"},
    {"osc", "monitoring", "messages_recv_count"}, {"osc", "monitoring", "messages_recv_size"},
    {"coll", "monitoring", "messages_count"},     {"coll", "monitoring", "messages_size"},
    {"coll", "monitoring", "o2a_count"},          {"coll", "monitoring", "o2a_size"},
    {"coll", "monitoring", "a2o_count"},          {"coll", "monitoring", "a2o_size"},
    {"coll", "monitoring", "a2a_count"},          {"coll", "monitoring", "a2a_size"},
};

enum { VARIABLES = sizeof names / sizeof names[0] };

static struct {
  const mca_base_pvar_t* variable;
  mca_base_get_value_fn_t get_value;
  mca_base_notify_fn_t notify;
} known[VARIABLES];

// What Open MPI found where it looked for a communicator: in one that is not an address, the
// pointer to the class of all communicators.
static void* communicator_of(void* object) {
  ompi_communicator_t* world = &ompi_mpi_comm_world.comm;
  return object == *(void**)world ? world : object;
}

static int index_of(const mca_base_pvar_t* variable) {
  int index = 0;
  while (known[index].variable != variable) ++index;
  return index;
}

static int get_value(const mca_base_pvar_t* variable, void* value, void* object) {
  return known[index_of(variable)].get_value(variable, value, communicator_of(object));
}

static int notify(mca_base_pvar_t* variable, mca_base_pvar_event_t event, void* object,
                  int* count) {
  return known[index_of(variable)].notify(variable, event, communicator_of(object), count);
}

void stock_variables_forgive(void) {
  for (int i = 0; i < VARIABLES; ++i) {
    const mca_base_pvar_t* found = NULL;
    int index = mca_base_pvar_find("ompi", names[i][0], names[i][1], names[i][2]);
    if (index < 0 || mca_base_pvar_get(index, &found) != OPAL_SUCCESS) continue;
    mca_base_pvar_t* variable = (mca_base_pvar_t*)found;
    if (variable->get_value == get_value) continue;
    known[i].variable = variable;
    known[i].get_value = variable->get_value;
    known[i].notify = variable->notify;
    variable->get_value = get_value;
    variable->notify = notify;
  }
}
