// SPDX-License-Identifier: BSD-3-Clause
// Carries consent.h out over the communicator on which the program makes the call. While rank 0 is
// in Open MPI's own function, those that turn up late are answered whenever Open MPI makes
// progress.
#include <ompi/constants.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/request/request.h>
#include <ompi/runtime/mpiruntime.h>
#include <opal/runtime/opal_progress.h>
#include <opal/util/output.h>
#include <pthread.h>
#include <stdlib.h>

#include "../../topology_tags.h"
#include "../consent.h"
#include "clock.h"
#include "peers.h"
#include "topo_tofa.h"

struct consultation {
  struct consent consent;
  ompi_communicator_t* comm;
  bool able;  // this process was
  unsigned char* told;
  ompi_request_t **incoming, **outgoing;  // by process; NULL: none, or done with
  struct consultation* next;
};

// Those that may still have to be answered: Open MPI tells whom it calls nothing.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct consultation* unanswered;

static int rank_of(int other) {
  return other + 1;
}

// Others wait for this process, and nothing it could do instead ends that.
static void give_in(ompi_communicator_t* comm, const char* trouble) {
  opal_output(0, "topo tofa: %s; --mca topo_tofa_reorder 0 does without", trouble);
  (void)ompi_mpi_abort(comm, OMPI_ERR_OUT_OF_RESOURCE);
}

static void answer(void* context, int other, bool all) {
  static const int answers[] = {false, true};
  struct consultation* consultation = context;
  int rc = MCA_PML_CALL(isend((void*)&answers[all], 1, &ompi_mpi_int.dt, rank_of(other),
                              TOFA_TAG_ANSWER, MCA_PML_BASE_SEND_STANDARD, consultation->comm,
                              &consultation->outgoing[other]));
  if (rc != OMPI_SUCCESS) give_in(consultation->comm, "a message cannot be sent");
}

// Who has turned up.
static int hear(struct consultation* consultation) {
  int heard = 0;
  for (int other = 0; other < consultation->consent.others; ++other) {
    const ompi_request_t* request = consultation->incoming[other];
    if (request == NULL || consultation->told[other] || !REQUEST_COMPLETE(request)) continue;
    if (request->req_status._cancelled) continue;
    consent_ready(&consultation->consent, other);
    ++heard;
  }
  return heard;
}

// Called by Open MPI, on any thread, also from within what is called here.
static int answer_latecomers(void) {
  int heard = 0;
  if (pthread_mutex_trylock(&lock) != 0) return 0;
  for (struct consultation* each = unanswered; each != NULL; each = each->next) heard += hear(each);
  pthread_mutex_unlock(&lock);
  return heard;
}

static void keep_answering(struct consultation* consultation) {
  pthread_mutex_lock(&lock);
  if (unanswered == NULL) (void)opal_progress_register(answer_latecomers);
  consultation->next = unanswered;
  unanswered = consultation;
  pthread_mutex_unlock(&lock);
}

static void stop_answering(struct consultation* consultation) {
  pthread_mutex_lock(&lock);
  struct consultation** at = &unanswered;
  while (*at != NULL && *at != consultation) at = &(*at)->next;
  if (*at != NULL) {
    *at = consultation->next;
    if (unanswered == NULL) (void)opal_progress_unregister(answer_latecomers);
  }
  pthread_mutex_unlock(&lock);
}

static struct consultation* begin(ompi_communicator_t* comm) {
  size_t others = (size_t)ompi_comm_size(comm) - 1;
  struct consultation* made = calloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->comm = comm;
  made->told = calloc(others + 1, sizeof *made->told);
  made->incoming = calloc(others + 1, sizeof(ompi_request_t*));
  made->outgoing = calloc(others + 1, sizeof(ompi_request_t*));
  if (made->told == NULL || made->incoming == NULL || made->outgoing == NULL) return NULL;
  consent_begin(&made->consent, (int)others, made->told, answer, made);
  for (int other = 0; other < (int)others; ++other) {
    int rc = MCA_PML_CALL(irecv(NULL, 0, &ompi_mpi_int.dt, rank_of(other), TOFA_TAG_READY, comm,
                                &made->incoming[other]));
    if (rc != OMPI_SUCCESS) return NULL;
  }
  return made;
}

static void finish(ompi_request_t** request) {
  if (*request != NULL) (void)ompi_request_wait(request, MPI_STATUS_IGNORE);
  *request = NULL;
}

// All have been in this call by now, and whoever was able has said so: others would be waited for
// in vain in the next one, too.
static void remember_silent(const struct consultation* consultation) {
  if (!consultation->able) return;
  for (int other = 0; other < consultation->consent.others; ++other) {
    if (!consultation->told[other]) peers_count_out(consultation->comm, rank_of(other));
  }
}

void consult_end(struct consultation* consultation) {
  if (consultation == NULL) return;
  stop_answering(consultation);
  for (int other = 0; other < consultation->consent.others; ++other) {
    if (consultation->told[other]) continue;
    (void)ompi_request_cancel(consultation->incoming[other]);
    ompi_request_wait_completion(consultation->incoming[other]);
  }
  (void)hear(consultation);
  remember_silent(consultation);
  for (int other = 0; other < consultation->consent.others; ++other) {
    finish(&consultation->incoming[other]);
    finish(&consultation->outgoing[other]);
  }
  free(consultation->told);
  free(consultation->incoming);
  free(consultation->outgoing);
  free(consultation);
}

static void tell(const struct consultation* consultation, const char* call, const char* why) {
  if (!topo_parameters.verbose) return;
  opal_output(0, "topo tofa: %s with %d processes: ranks stay: %s", call,
              consultation->consent.others + 1, why);
}

static const char* wait_for_all(struct consultation* consultation) {
  int64_t deadline = clock_ms() + (int64_t)topo_parameters.wait * 1000;
  while (consultation->consent.verdict == CONSENT_OPEN && clock_ms() < deadline) {
    (void)hear(consultation);
    if (consultation->consent.verdict == CONSENT_OPEN) opal_progress();
  }
  return "a process has not come to this call within topo_tofa_wait seconds, or does without";
}

static bool ask_all(const char* call, ompi_communicator_t* comm, bool able,
                    struct consultation** consultation) {
  struct consultation* made = begin(comm);
  *consultation = made;
  if (made == NULL) {
    give_in(comm, "no memory to answer other processes");
    return false;
  }
  made->able = able;
  const char* trouble = NULL;
  if (able && !peers_announced(comm, 0, ompi_comm_size(comm))) {
    trouble = "a process lacks the component, or is of another job";
  } else if (able) {
    trouble = wait_for_all(made);
  }
  consent_give_up(&made->consent);
  if (made->consent.verdict == CONSENT_ALL) {
    consult_end(made);
    *consultation = NULL;
    return true;
  }
  if (trouble != NULL) tell(made, call, trouble);
  keep_answering(made);
  return false;
}

static bool ask_root(ompi_communicator_t* comm) {
  int all = false;
  if (!peers_announced(comm, 0, 1)) return false;
  int rc = MCA_PML_CALL(
      send(NULL, 0, &ompi_mpi_int.dt, 0, TOFA_TAG_READY, MCA_PML_BASE_SEND_STANDARD, comm));
  if (rc != OMPI_SUCCESS) return false;
  rc = MCA_PML_CALL(recv(&all, 1, &ompi_mpi_int.dt, 0, TOFA_TAG_ANSWER, comm, MPI_STATUS_IGNORE));
  return rc == OMPI_SUCCESS && all;
}

bool consult_all(const char* call, ompi_communicator_t* comm, bool able,
                 struct consultation** consultation) {
  *consultation = NULL;
  if (ompi_comm_size(comm) == 1) return false;
  if (ompi_comm_rank(comm) == 0) return ask_all(call, comm, able, consultation);
  return able && ask_root(comm);
}
