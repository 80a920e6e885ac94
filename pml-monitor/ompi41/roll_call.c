// SPDX-License-Identifier: BSD-3-Clause
// The roll call goes over PMIx: each rank adds one key to the data all ranks exchange in MPI_Init
// anyway. Where they do not, PMIx servers ask each other. Such an answer may never come.
#include "roll_call.h"

#include <ompi_config.h>

#include <ompi/proc/proc.h>
#include <opal/mca/pmix/base/base.h>
#include <opal/mca/pmix/pmix.h>
#include <opal/runtime/opal_progress.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static const char key[] = "pml.tofa.present";

// What ranks say to each other in MPI_Finalize; those of another version do not take part.
enum { PROTOCOL = 8 };

bool roll_call_announce(void) {
  uint32_t version = PROTOCOL;
  int rc;
  OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, (char*)key, &version, OPAL_UINT32);
  return rc == OPAL_SUCCESS;
}

// Shared with PMIx's thread; freed by whoever comes last.
struct question {
  atomic_int holders;
  atomic_bool answered;
  bool present;
};

static void let_go(struct question* question) {
  if (atomic_fetch_sub(&question->holders, 1) == 1) free(question);
}

static void answer(int status, opal_value_t* value, void* context) {
  struct question* question = context;
  question->present = status == OPAL_SUCCESS && value != NULL && value->type == OPAL_UINT32 &&
                      value->data.uint32 == PROTOCOL;
  atomic_store(&question->answered, true);
  let_go(question);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool ask(const opal_process_name_t* name, double limit_seconds) {
  struct question* question = calloc(1, sizeof *question);
  if (question == NULL || opal_pmix.get_nb == NULL) {
    free(question);
    return false;
  }
  atomic_init(&question->holders, 2);
  if (opal_pmix.get_nb(name, key, NULL, answer, question) != OPAL_SUCCESS) {
    free(question);
    return false;
  }
  double until = now() + limit_seconds;
  while (!atomic_load(&question->answered) && now() < until) {
    opal_progress();
    nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
  }
  bool present = atomic_load(&question->answered) && question->present;
  let_go(question);
  return present;
}

bool roll_call_present(uint32_t world_rank, double limit_seconds) {
  opal_process_name_t name = ompi_proc_local()->super.proc_name;
  if (name.vpid == world_rank) return true;
  name.vpid = world_rank;
  uint32_t version = 0;
  uint32_t* found = &version;
  int rc;
  OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &name, &found, OPAL_UINT32);
  if (rc == OPAL_SUCCESS) return version == PROTOCOL;
  return !opal_pmix_collect_all_data && ask(&name, limit_seconds);
}

uint32_t roll_call_late(const struct collection* collection, uint32_t ranks) {
  uint32_t late = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    late += !collection_has(collection, rank) && roll_call_present(rank, 0);
  }
  return late;
}
