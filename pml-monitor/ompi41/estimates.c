// SPDX-License-Identifier: BSD-3-Clause
// See estimates.h. A component is asked for a module with functions for each communicator: these
// are replaced in the module, before Open MPI takes them from there. For one component, they are
// the same in all modules.
#include "estimates.h"

#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/op/op.h>
#include <string.h>

#include "schedules.h"

static estimate_fn count;
static mca_coll_base_component_t* component;  // coll/sm
static mca_coll_base_component_comm_query_2_0_0_fn_t real_query;
static mca_coll_base_module_barrier_fn_t real_barrier;
static mca_coll_base_module_bcast_fn_t real_bcast;
static mca_coll_base_module_reduce_fn_t real_reduce;
static mca_coll_base_module_allreduce_fn_t real_allreduce;

struct collective {
  ompi_communicator_t* comm;
  uint64_t bytes;
};

static void estimate_one(void* context, uint32_t receiver) {
  const struct collective* collective = context;
  count(collective->comm, (int)receiver, collective->bytes);
}

static void estimate(enum schedule schedule, int elements, ompi_datatype_t* datatype, int root,
                     ompi_communicator_t* comm) {
  size_t size = 0;
  if (datatype != NULL) ompi_datatype_type_size(datatype, &size);
  struct collective collective = {.comm = comm, .bytes = (uint64_t)size * (uint64_t)elements};
  schedule_sends(schedule, (uint32_t)ompi_comm_rank(comm), (uint32_t)ompi_comm_size(comm),
                 (uint32_t)root, estimate_one, &collective);
}

static int barrier(ompi_communicator_t* comm, mca_coll_base_module_t* module) {
  estimate(SCHEDULE_BARRIER, 0, NULL, 0, comm);
  return real_barrier(comm, module);
}

static int bcast(void* buffer, int elements, ompi_datatype_t* datatype, int root,
                 ompi_communicator_t* comm, mca_coll_base_module_t* module) {
  estimate(SCHEDULE_BCAST, elements, datatype, root, comm);
  return real_bcast(buffer, elements, datatype, root, comm, module);
}

static int reduce(const void* send, void* receive, int elements, ompi_datatype_t* datatype,
                  ompi_op_t* op, int root, ompi_communicator_t* comm,
                  mca_coll_base_module_t* module) {
  estimate(SCHEDULE_REDUCE, elements, datatype, root, comm);
  return real_reduce(send, receive, elements, datatype, op, root, comm, module);
}

static int allreduce(const void* send, void* receive, int elements, ompi_datatype_t* datatype,
                     ompi_op_t* op, ompi_communicator_t* comm, mca_coll_base_module_t* module) {
  estimate(SCHEDULE_ALLREDUCE, elements, datatype, 0, comm);
  return real_allreduce(send, receive, elements, datatype, op, comm, module);
}

#define REPLACE(function)                                                         \
  if (module->coll_##function != NULL && module->coll_##function != (function)) { \
    real_##function = module->coll_##function;                                    \
    module->coll_##function = function;                                           \
  }

static mca_coll_base_module_t* query(ompi_communicator_t* comm, int* priority) {
  mca_coll_base_module_t* module = real_query(comm, priority);
  if (module == NULL) return NULL;
  REPLACE(barrier)
  REPLACE(bcast)
  REPLACE(reduce)
  REPLACE(allreduce)
  return module;
}

static mca_coll_base_component_t* find_component(void) {
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    // Its type is const, the component's own memory is not.
    if (strcmp(item->cli_component->mca_component_name, "sm") == 0) {
      return (mca_coll_base_component_t*)item->cli_component;
    }
  }
  return NULL;
}

void estimates_watch(estimate_fn whose) {
  count = whose;
  component = find_component();
  if (component == NULL) return;
  real_query = component->collm_comm_query;
  component->collm_comm_query = query;
}

// Modules keep our functions: communicators have them, too.
void estimates_unwatch(void) {
  if (component != NULL && find_component() == component) component->collm_comm_query = real_query;
  component = NULL;
}
