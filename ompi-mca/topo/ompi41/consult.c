// SPDX-License-Identifier: BSD-3-Clause
// Carries consent.h out over the communicator on which the program makes the call. While rank 0 is
// in Open MPI's own function, those that turn up late are answered whenever Open MPI makes
// progress.
#include "consult.h"

#include <ompi/constants.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/runtime/mpiruntime.h>
#include <opal/runtime/opal_progress.h>
#include <opal/util/output.h>
#include <pthread.h>
#include <stdlib.h>

#include "clock.h"
#include "peers.h"
#include "topo_tofa.h"

// Those of calls in Open MPI's own function: Open MPI tells whom it calls nothing.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct consultation* answering;

static int rank_of(int other) {
  return other + 1;
}

// Others wait for this process, and nothing it could do instead ends that.
static void give_in(ompi_communicator_t* comm, const char* trouble) {
  opal_output(0, "topo tofa: %s; --mca topo_tofa_reorder 0 does without", trouble);
  (void)ompi_mpi_abort(comm, OMPI_ERR_OUT_OF_RESOURCE);
}

// Nobody waits for it to be sent: the other process goes on when it has it, and this one does not
// end the call before.
static void answer(void* context, int other, bool all) {
  static const int answers[] = {false, true};
  struct consultation* consultation = context;
  ompi_request_t* request = NULL;
  int rc = MCA_PML_CALL(isend((void*)&answers[all], 1, &ompi_mpi_int.dt, rank_of(other),
                              consultation->tags.answer, MCA_PML_BASE_SEND_STANDARD,
                              consultation->comm, &request));
  if (rc == OMPI_SUCCESS) rc = ompi_request_free(&request);
  if (rc != OMPI_SUCCESS) give_in(consultation->comm, "a message cannot be sent");
}

static int await_question(struct consultation* consultation) {
  return MCA_PML_CALL(irecv(NULL, 0, &ompi_mpi_int.dt, MPI_ANY_SOURCE, consultation->tags.question,
                            consultation->comm, &consultation->question));
}

// Takes a question that has come, or that will not. Whether it has.
static bool take(struct consultation* consultation) {
  ompi_status_public_t status;
  int rc = ompi_request_wait(&consultation->question, &status);
  consultation->question = NULL;
  if (rc != OMPI_SUCCESS || status._cancelled) return false;
  consent_ready(&consultation->consent, status.MPI_SOURCE - rank_of(0));
  return true;
}

// Who has turned up.
static int hear(struct consultation* consultation) {
  int heard = 0;
  while (consultation->question != NULL && REQUEST_COMPLETE(consultation->question)) {
    heard += take(consultation);
    if (await_question(consultation) == OMPI_SUCCESS) continue;
    consultation->question = NULL;
    give_in(consultation->comm, "no memory to answer other processes");
  }
  return heard;
}

// Called by Open MPI, on any thread, also from within what is called here.
static int answer_latecomers(void) {
  int heard = 0;
  if (pthread_mutex_trylock(&lock) != 0) return 0;
  for (struct consultation* each = answering; each != NULL; each = each->next) heard += hear(each);
  pthread_mutex_unlock(&lock);
  return heard;
}

static int keep_answering(struct consultation* consultation) {
  int rc = OMPI_SUCCESS;
  pthread_mutex_lock(&lock);
  if (answering == NULL) rc = opal_progress_register(answer_latecomers);
  if (rc == OMPI_SUCCESS) {
    consultation->next = answering;
    answering = consultation;
  }
  pthread_mutex_unlock(&lock);
  return rc;
}

static void stop_answering(const struct consultation* consultation) {
  pthread_mutex_lock(&lock);
  struct consultation** at = &answering;
  while (*at != NULL && *at != consultation) at = &(*at)->next;
  if (*at != NULL) {
    *at = consultation->next;
    if (answering == NULL) (void)opal_progress_unregister(answer_latecomers);
  }
  pthread_mutex_unlock(&lock);
}

// All have been in this call by now, and whoever was able has said so: others would be waited for
// in vain in the next one, too.
static void remember_silent(const struct consultation* consultation) {
  if (!consultation->asked || consultation->consent.told == NULL) return;
  for (int other = 0; other < consultation->consent.others; ++other) {
    if (consent_is_ready(&consultation->consent, other)) continue;
    peers_count_out(consultation->comm, rank_of(other));
  }
}

void consult_end(struct consultation* consultation) {
  if (consultation->question == NULL) return;
  stop_answering(consultation);
  (void)hear(consultation);
  if (consultation->question != NULL) {
    (void)ompi_request_cancel(consultation->question);
    (void)take(consultation);
  }
  remember_silent(consultation);
  free(consultation->consent.told);
}

static void tell(const struct consultation* consultation, const char* call, const char* why) {
  if (!topo_parameters.verbose) return;
  opal_output(0, "topo tofa: %s with %d processes: ranks stay: %s", call,
              consultation->consent.others + 1, why);
}

static void wait_for_all(struct consultation* consultation) {
  int64_t deadline = clock_ms() + (int64_t)topo_parameters.wait * 1000;
  while (consultation->consent.verdict == CONSENT_OPEN && clock_ms() < deadline) {
    (void)hear(consultation);
    if (consultation->consent.verdict == CONSENT_OPEN) opal_progress();
  }
}

// What keeps all from reordering; NULL: nothing does.
static const char* ask_all(struct consultation* consultation) {
  ompi_communicator_t* comm = consultation->comm;
  if (consultation->consent.told == NULL) return "out of memory";
  if (!peers_announced(comm, 0, ompi_comm_size(comm))) {
    return "a process lacks the component, or is of another job";
  }
  wait_for_all(consultation);
  if (consultation->consent.verdict == CONSENT_ALL) return NULL;
  return "a process has not come to this call within topo_tofa_wait seconds, or does without";
}

// Of rank 0.
static int preside(const char* call, bool ready, struct consultation* consultation, bool* all) {
  int others = ompi_comm_size(consultation->comm) - 1;
  unsigned char* told = ready ? calloc((size_t)others, sizeof *told) : NULL;
  consent_begin(&consultation->consent, others, told, answer, consultation);
  consultation->asked = ready;
  int rc = await_question(consultation);
  if (rc != OMPI_SUCCESS) {
    consultation->question = NULL;
    free(told);
    return rc;
  }
  const char* trouble = ready ? ask_all(consultation) : NULL;
  consent_give_up(&consultation->consent);
  *all = consultation->consent.verdict == CONSENT_ALL;
  if (trouble != NULL) tell(consultation, call, trouble);
  if (!*all) return keep_answering(consultation);
  consult_end(consultation);
  return OMPI_SUCCESS;
}

// Of the others. Once the question is sent, there will be an answer; where it cannot be, nobody
// waits for this process.
static int ask_root(const struct consultation* consultation, bool* all) {
  ompi_communicator_t* comm = consultation->comm;
  int answered = false;
  if (!peers_announced(comm, 0, 1)) return OMPI_SUCCESS;
  int rc = MCA_PML_CALL(send(NULL, 0, &ompi_mpi_int.dt, 0, consultation->tags.question,
                             MCA_PML_BASE_SEND_STANDARD, comm));
  if (rc != OMPI_SUCCESS) return OMPI_SUCCESS;
  rc = MCA_PML_CALL(
      recv(&answered, 1, &ompi_mpi_int.dt, 0, consultation->tags.answer, comm, MPI_STATUS_IGNORE));
  *all = rc == OMPI_SUCCESS && answered;
  return rc;
}

int consult_all(const char* call, ompi_communicator_t* comm, bool ready,
                struct consultation* consultation, bool* all) {
  *consultation = (struct consultation){.comm = comm, .tags = topology_tags_of(comm->c_nbc_tag)};
  *all = false;
  if (ompi_comm_size(comm) == 1) return OMPI_SUCCESS;
  if (ompi_comm_rank(comm) == 0) return preside(call, ready, consultation, all);
  return ready ? ask_root(consultation, all) : OMPI_SUCCESS;
}
