// SPDX-License-Identifier: BSD-3-Clause
// Requests live in the PML's free lists and are used again for other purposes. So the replaced
// pointers are put back when a request is freed; for one PML they are the same in every send
// request. What is known of a request is found by its address, in open addressing; memory that was
// once a watched request keeps its entry, because it will likely be one again.
#include "persistent.h"

#include <pthread.h>
#include <stdlib.h>

enum { FIRST_BITS = 6 };

struct watch {
  ompi_request_t* request;  // NULL: free
  struct persistent_send send;
};

static struct watch* watches;
static unsigned bits;  // there are 2 to this power
static size_t used;    // at most half
static bool locking;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ompi_request_start_fn_t our_start;
static ompi_request_start_fn_t real_start;
static ompi_request_free_fn_t real_free;

static void lock(void) {
  if (locking) pthread_mutex_lock(&mutex);
}

static void unlock(void) {
  if (locking) pthread_mutex_unlock(&mutex);
}

int persistent_init(ompi_request_start_fn_t start, bool threads) {
  our_start = start;
  locking = threads;
  bits = FIRST_BITS;
  watches = calloc((size_t)1 << bits, sizeof *watches);
  return watches != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static int free_watched(ompi_request_t** request);

bool persistent_is_watched(const ompi_request_t* request) {
  return request->req_free == free_watched;
}

static void unwatch(ompi_request_t* request) {
  request->req_start = real_start;
  request->req_free = real_free;
}

void persistent_unwatch_all(void) {
  for (size_t i = 0; i < (size_t)1 << bits; ++i) {
    ompi_request_t* request = watches[i].request;
    if (request != NULL && persistent_is_watched(request)) unwatch(request);
  }
  free(watches);
  watches = NULL;
}

static int free_watched(ompi_request_t** request) {
  unwatch(*request);
  return real_free(request);
}

// The entry of this request, or the free one where it belongs.
static struct watch* entry_of(const ompi_request_t* request) {
  size_t mask = ((size_t)1 << bits) - 1;
  size_t at = ((uintptr_t)request * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - bits);
  while (watches[at].request != NULL && watches[at].request != request) at = (at + 1) & mask;
  return &watches[at];
}

// False when memory runs out.
static bool make_room(void) {
  size_t count = (size_t)1 << bits;
  if (used < count / 2) return true;
  struct watch* before = watches;
  struct watch* larger = calloc(2 * count, sizeof *larger);
  if (larger == NULL) return false;
  watches = larger;
  ++bits;
  for (size_t i = 0; i < count; ++i) {
    if (before[i].request != NULL) *entry_of(before[i].request) = before[i];
  }
  free(before);
  return true;
}

void persistent_watch(ompi_request_t* request, const struct persistent_send* send) {
  lock();
  if (!persistent_is_watched(request)) {
    real_start = request->req_start;
    real_free = request->req_free;
  }
  bool room = make_room();
  if (room) {
    struct watch* watch = entry_of(request);
    used += watch->request == NULL;
    *watch = (struct watch){.request = request, .send = *send};
  }
  unlock();
  if (!room) return;
  request->req_start = our_start;
  request->req_free = free_watched;
}

bool persistent_lookup(const ompi_request_t* request, struct persistent_send* send) {
  if (!persistent_is_watched(request)) return false;
  lock();
  const struct watch* watch = entry_of(request);
  bool found = watch->request != NULL;
  if (found) *send = watch->send;
  unlock();
  return found;
}
