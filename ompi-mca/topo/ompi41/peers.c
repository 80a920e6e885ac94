// SPDX-License-Identifier: BSD-3-Clause
// See peers.h. Most was exchanged in MPI_Init. What was not, or was lost, the process itself is
// asked for, through PMIx's servers. Where it has not announced anything, that answer may never
// come.
#include "peers.h"

#include <ompi/group/group.h>
#include <ompi/mca/rte/rte.h>
#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>
#include <opal/runtime/opal_progress.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "../../topo_component.h"
#include "clock.h"
#include "topo_tofa.h"

// By number in the job, what is known of a process.
// LATE: it was waited for in vain, and is not again, but may still turn out to be HAS.
enum { UNASKED, ASKED, LATE, HAS, LACKS };
static atomic_uchar* answers;
static uint32_t answer_count;
static atomic_uint asked;  // that have not been answered
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool make_room(void) {
  pthread_mutex_lock(&lock);
  if (answers == NULL) {
    answer_count = (uint32_t)ompi_process_info.num_procs;
    answers = calloc(answer_count, sizeof *answers);
  }
  pthread_mutex_unlock(&lock);
  return answers != NULL;
}

// Late answers may still be written: then the memory is left to the end of the process.
void peers_forget(void) {
  if (atomic_load(&asked) == 0) free(answers);
  answers = NULL;
}

static void settle(atomic_uchar* answer, bool has) {
  atomic_store(answer, has ? HAS : LACKS);
}

// On a thread of PMIx's.
static void on_answer(int status, opal_value_t* value, void* context) {
  atomic_uchar* answer = context;
  bool has = status == OPAL_SUCCESS && value != NULL && value->type == OPAL_UINT32 &&
             value->data.uint32 == TOFA_TOPO_PROTOCOL;
  unsigned char open = ASKED;
  if (!atomic_compare_exchange_strong(answer, &open, has ? HAS : LACKS) && open == LATE) {
    atomic_compare_exchange_strong(answer, &open, has ? HAS : LACKS);
  }
  atomic_fetch_sub(&asked, 1);
}

static void ask(opal_process_name_t name) {
  atomic_uchar* answer = &answers[name.vpid];
  uint32_t value = 0, *at = &value;
  int rc;
  OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, TOFA_TOPO_KEY, &name, &at, OPAL_UINT32);
  if (rc == OPAL_SUCCESS) {
    settle(answer, value == TOFA_TOPO_PROTOCOL);
    return;
  }
  if (opal_pmix.get_nb == NULL) {
    settle(answer, false);
    return;
  }
  atomic_store(answer, ASKED);
  atomic_fetch_add(&asked, 1);
  if (opal_pmix.get_nb(&name, TOFA_TOPO_KEY, NULL, on_answer, (void*)answer) != OPAL_SUCCESS) {
    atomic_fetch_sub(&asked, 1);
    settle(answer, false);
  }
}

static bool wait_for(atomic_uchar* answer, int64_t deadline) {
  while (atomic_load(answer) == ASKED && clock_ms() < deadline) opal_progress();
  unsigned char open = ASKED;
  atomic_compare_exchange_strong(answer, &open, LATE);
  return atomic_load(answer) == HAS;
}

static opal_process_name_t name_of(const ompi_communicator_t* comm, int rank) {
  return ompi_group_get_proc_name(comm->c_local_group, rank);
}

bool peers_announced(const ompi_communicator_t* comm, int first_rank, int ranks) {
  opal_jobid_t job = ompi_proc_local()->super.proc_name.jobid;
  if (!make_room()) return false;
  for (int rank = first_rank; rank < first_rank + ranks; ++rank) {
    opal_process_name_t name = name_of(comm, rank);
    if (name.jobid != job || name.vpid >= answer_count) return false;
    unsigned char answer = atomic_load(&answers[name.vpid]);
    if (answer == LACKS || answer == LATE) return false;
  }
  for (int rank = first_rank; rank < first_rank + ranks; ++rank) {
    opal_process_name_t name = name_of(comm, rank);
    if (atomic_load(&answers[name.vpid]) == UNASKED) ask(name);
  }
  int64_t deadline = clock_ms() + (int64_t)topo_parameters.ask * 1000;
  for (int rank = first_rank; rank < first_rank + ranks; ++rank) {
    if (!wait_for(&answers[name_of(comm, rank).vpid], deadline)) return false;
  }
  return true;
}

void peers_count_out(const ompi_communicator_t* comm, int rank) {
  opal_process_name_t name = name_of(comm, rank);
  bool known = name.jobid == ompi_proc_local()->super.proc_name.jobid && answers != NULL;
  if (known && name.vpid < answer_count) settle(&answers[name.vpid], false);
}

bool peers_are_apart(const ompi_communicator_t* comm) {
  return ompi_group_have_remote_peers(comm->c_local_group);
}

char** peers_hosts(const ompi_communicator_t* comm) {
  int count = comm->c_local_group->grp_proc_count;
  char** hosts = calloc((size_t)count + 1, sizeof *hosts);
  for (int i = 0; hosts != NULL && i < count; ++i) {
    opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, i);
    int rc;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, OPAL_PMIX_HOSTNAME, &name, (void**)&hosts[i], OPAL_STRING);
    if (rc != OPAL_SUCCESS) hosts[i] = NULL;
  }
  return hosts;
}

void peers_free_hosts(char** hosts, int count) {
  for (int i = 0; hosts != NULL && i < count; ++i) free(hosts[i]);
  free(hosts);
}
