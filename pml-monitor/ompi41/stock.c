// SPDX-License-Identifier: BSD-3-Clause
// See stock.h. The library libmca_common_monitoring, which its three components share, has no
// public header; its functions are found by name, in the library that its switch is in.
#define _GNU_SOURCE  // dladdr
#include "stock.h"

#include <dlfcn.h>
#include <ompi/communicator/communicator.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/mca/pml/base/base.h>
#include <string.h>

#include "stock_variables.h"

static struct {
  int* enabled;
  int (*init)(void);
  void (*finalize)(void);
  void (*enlist)(void* component);
  int (*add_procs)(ompi_proc_t** procs, size_t count);
  void (*record)(int world_rank, size_t bytes, int tag);
} stock;
static bool awake;
static mca_coll_base_component_comm_query_2_0_0_fn_t real_query;

bool stock_find(int* enable) {
  Dl_info info;
  if (enable == NULL || dladdr(enable, &info) == 0) return false;
  // Held from here on: its variables must outlive the component that brought it.
  void* library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL) return false;
  stock.enabled = dlsym(library, "mca_common_monitoring_enabled");
  *(void**)&stock.init = dlsym(library, "mca_common_monitoring_init");
  *(void**)&stock.finalize = dlsym(library, "mca_common_monitoring_finalize");
  *(void**)&stock.enlist = dlsym(library, "mca_common_monitoring_register");
  *(void**)&stock.add_procs = dlsym(library, "mca_common_monitoring_add_procs");
  *(void**)&stock.record = dlsym(library, "mca_common_monitoring_record_pml");
  return stock.enabled == enable && stock.init != NULL && stock.finalize != NULL &&
         stock.enlist != NULL && stock.add_procs != NULL && stock.record != NULL;
}

// With its switch on, its PML component would put itself in front of the PML when it is closed.
static void disarm(void) {
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_pml_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    mca_base_component_t* component = (mca_base_component_t*)item->cli_component;
    if (strcmp(component->mca_component_name, "monitoring") == 0) {
      component->mca_close_component = NULL;
    }
  }
}

void stock_wake(int enable) {
  disarm();
  *stock.enabled = enable;
  awake = stock.init() == OMPI_SUCCESS;
}

// Its collective component ends the program when an intercommunicator is freed, as after
// MPI_Comm_spawn. So it is asked about others only.
static mca_coll_base_module_t* query_intra(ompi_communicator_t* comm, int* priority) {
  if (!OMPI_COMM_IS_INTER(comm)) return real_query(comm, priority);
  *priority = -1;
  return NULL;
}

static void keep_from_intercommunicators(void) {
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_coll_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    if (strcmp(item->cli_component->mca_component_name, "monitoring") != 0) continue;
    mca_coll_base_component_t* component = (mca_coll_base_component_t*)item->cli_component;
    real_query = component->collm_comm_query;
    component->collm_comm_query = query_intra;
  }
}

void stock_register(void) {
  if (!awake) return;
  keep_from_intercommunicators();
  stock.enlist(NULL);
  stock_variables_forgive();
}

void stock_add_procs(ompi_proc_t** procs, size_t count) {
  if (awake) (void)stock.add_procs(procs, count);
}

void stock_count(uint32_t world_rank, uint64_t bytes, bool user) {
  if (awake) stock.record((int)world_rank, bytes, user ? 0 : -1);
}

void stock_finish(void) {
  if (awake) stock.finalize();
  awake = false;
}

bool stock_is_awake(void) {
  return awake;
}
