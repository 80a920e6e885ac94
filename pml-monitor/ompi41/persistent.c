// SPDX-License-Identifier: BSD-3-Clause
// Requests live in the PML's free lists and are used again for other purposes. So the replaced
// pointers are put back when a request is freed; for one PML they are the same in every send
// request.
#include "persistent.h"

#include <opal/class/opal_hash_table.h>
#include <opal/threads/mutex.h>
#include <stdlib.h>

struct watch {
  ompi_request_t* request;
  struct persistent_send send;
};

static opal_mutex_t lock;
static opal_hash_table_t watched;  // address of the request -> struct watch
static ompi_request_start_fn_t real_start;
static ompi_request_free_fn_t real_free;

static uint64_t key_of(const ompi_request_t* request) {
  return (uint64_t)(uintptr_t)request;
}

int persistent_init(void) {
  OBJ_CONSTRUCT(&lock, opal_mutex_t);
  OBJ_CONSTRUCT(&watched, opal_hash_table_t);
  return opal_hash_table_init(&watched, 64);
}

static void unwatch(ompi_request_t* request) {
  request->req_start = real_start;
  request->req_free = real_free;
}

void persistent_unwatch_all(void) {
  uint64_t key;
  struct watch* watch;
  OPAL_HASH_TABLE_FOREACH(key, uint64, watch, &watched) {
    unwatch(watch->request);
    free(watch);
  }
  OBJ_DESTRUCT(&watched);
  OBJ_DESTRUCT(&lock);
}

// With the lock held; NULL when the request is not watched.
static struct watch* find(const ompi_request_t* request) {
  void* watch = NULL;
  int rc = opal_hash_table_get_value_uint64(&watched, key_of(request), &watch);
  return rc == OPAL_SUCCESS ? watch : NULL;
}

static int free_watched(ompi_request_t** request) {
  unwatch(*request);
  opal_mutex_lock(&lock);
  struct watch* watch = find(*request);
  if (watch != NULL) (void)opal_hash_table_remove_value_uint64(&watched, key_of(*request));
  opal_mutex_unlock(&lock);
  free(watch);
  return real_free(request);
}

// With the lock held: the watch on this request, new or left by an earlier use of the same memory.
static struct watch* find_or_add(ompi_request_t* request) {
  struct watch* watch = find(request);
  if (watch != NULL) return watch;
  watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  if (opal_hash_table_set_value_uint64(&watched, key_of(request), watch) != OPAL_SUCCESS) {
    free(watch);
    return NULL;
  }
  return watch;
}

void persistent_watch(ompi_request_t* request, const struct persistent_send* send,
                      ompi_request_start_fn_t start) {
  opal_mutex_lock(&lock);
  if (request->req_free != free_watched) {
    real_start = request->req_start;
    real_free = request->req_free;
  }
  struct watch* watch = find_or_add(request);
  if (watch != NULL) *watch = (struct watch){.request = request, .send = *send};
  opal_mutex_unlock(&lock);
  if (watch == NULL) return;
  request->req_start = start;
  request->req_free = free_watched;
}

bool persistent_lookup(ompi_request_t* request, struct persistent_send* send) {
  opal_mutex_lock(&lock);
  const struct watch* watch = find(request);
  bool found = watch != NULL;
  if (found) *send = watch->send;
  opal_mutex_unlock(&lock);
  return found;
}
