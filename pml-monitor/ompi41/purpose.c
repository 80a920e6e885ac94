// SPDX-License-Identifier: BSD-3-Clause
// A communicator that comes to life while its thread makes a window is one of the window. MPI-IO
// duplicates the communicator that it is given when it opens a file: so the first duplicate of a
// file's communicator, while the file is there, is the file's. What is made of such communicators
// is for the same purpose; Open MPI gives each a name that tells what it is made of.
#include "purpose.h"

#include <limits.h>
#include <ompi/file/file.h>
#include <opal/class/opal_pointer_array.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "windows.h"

enum purpose { OF_USER, OF_WINDOW, OF_FILE };

// By context id. Replaced by larger ones, and read without a lock; NULL: all are the user's.
struct purposes {
  struct purposes* smaller;
  uint32_t size;
  _Atomic uint8_t of[];
};

// Files that have their communicator.
struct owner {
  struct owner* next;
  const ompi_file_t* file;
  uint32_t context;
};

enum { FIRST_SIZE = 256, MOST_CONTEXTS = 1 << 24 };

_Atomic int purpose_settled = INT_MAX;

// The latest communicator, and how many there were with it; NULL: it is settled.
static const ompi_communicator_t* latest;
static int communicators_with_latest;

static _Atomic(struct purposes*) purposes;
static struct owner* owners;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum purpose purpose_of(uint32_t context) {
  struct purposes* all = atomic_load_explicit(&purposes, memory_order_acquire);
  if (all == NULL || context >= all->size) return OF_USER;
  return atomic_load_explicit(&all->of[context], memory_order_relaxed);
}

bool purpose_is_the_users(const ompi_communicator_t* comm) {
  return purpose_of(comm->c_contextid) == OF_USER;
}

enum traffic_kind purpose_of_message(const ompi_communicator_t* comm, int tag) {
  switch (purpose_of(comm->c_contextid)) {
    case OF_FILE:
      return TRAFFIC_IO;
    case OF_WINDOW:
      return tag >= 0 ? TRAFFIC_KINDS : TRAFFIC_LIBRARY;
    default:
      return kind_of_tag(tag);
  }
}

// With the lock held. False: no memory, or beyond what is kept.
static bool make_room(uint32_t context) {
  struct purposes* all = atomic_load(&purposes);
  if (all != NULL && context < all->size) return true;
  if (context >= MOST_CONTEXTS) return false;
  uint32_t size = all != NULL ? all->size : FIRST_SIZE;
  while (size <= context) size *= 2;
  struct purposes* larger = calloc(1, sizeof *larger + size);
  if (larger == NULL) return false;
  larger->size = size;
  larger->smaller = all;
  for (uint32_t i = 0; all != NULL && i < all->size; ++i) larger->of[i] = all->of[i];
  atomic_store_explicit(&purposes, larger, memory_order_release);
  return true;
}

// "MPI COMMUNICATOR 5 DUP FROM 0"; negative: made of none.
static int made_of(const ompi_communicator_t* comm) {
  static const char from[] = " FROM ";
  const char* found = strstr(comm->c_name, from);
  return found != NULL ? atoi(found + sizeof from - 1) : -1;
}

static bool has_communicator(const ompi_file_t* file) {
  const struct owner* owner = owners;
  while (owner != NULL && owner->file != file) owner = owner->next;
  return owner != NULL;
}

// A file whose communicator this is the first duplicate of; NULL: there is none.
static const ompi_file_t* opened_with(int context) {
  const ompi_file_t* found = NULL;
  // A file that another thread closes leaves the table before its memory goes.
  opal_mutex_lock(&ompi_file_f_to_c_table.lock);
  for (int i = 0; i < ompi_file_f_to_c_table.size && found == NULL; ++i) {
    const ompi_file_t* file = ompi_file_f_to_c_table.addr[i];
    if (file == NULL || file == &ompi_mpi_file_null.file || file->f_comm == NULL) continue;
    if ((file->f_flags & OMPI_FILE_ISCLOSED) != 0) continue;
    if ((int)file->f_comm->c_contextid == context && !has_communicator(file)) found = file;
  }
  opal_mutex_unlock(&ompi_file_f_to_c_table.lock);
  return found;
}

static bool own(const ompi_file_t* file, uint32_t context) {
  struct owner* owner = malloc(sizeof *owner);
  if (owner == NULL) return false;
  *owner = (struct owner){.next = owners, .file = file, .context = context};
  owners = owner;
  return true;
}

// With the lock held.
static enum purpose decide(const ompi_communicator_t* comm) {
  if (windows_opening()) return OF_WINDOW;
  int parent = made_of(comm);
  if (parent < 0) return OF_USER;
  enum purpose inherited = purpose_of((uint32_t)parent);
  if (inherited != OF_USER) return inherited;
  const ompi_file_t* file = opened_with(parent);
  return file != NULL && own(file, comm->c_contextid) ? OF_FILE : OF_USER;
}

static int communicators(void) {
  return ompi_comm_f_to_c_table.size - ompi_comm_f_to_c_table.number_free;
}

void purpose_of_new(ompi_communicator_t* comm) {
  pthread_mutex_lock(&lock);
  enum purpose purpose = decide(comm);
  if (purpose != OF_USER && make_room(comm->c_contextid)) {
    atomic_store(&atomic_load(&purposes)->of[comm->c_contextid], (uint8_t)purpose);
  }
  communicators_with_latest = communicators();
  purpose_settled = communicators_with_latest - 1;
  latest = comm;
  pthread_mutex_unlock(&lock);
}

// After the PML has been told of a communicator, ranks agree once more before it gets its
// collectives.
bool purpose_is_unsettled(void) {
  pthread_mutex_lock(&lock);
  if (latest != NULL && latest->c_coll != NULL) {
    purpose_settled = communicators_with_latest;
    latest = NULL;
  }
  bool unsettled = communicators() > purpose_settled;
  pthread_mutex_unlock(&lock);
  return unsettled;
}

static void forget(const ompi_communicator_t* comm) {
  atomic_store(&atomic_load(&purposes)->of[comm->c_contextid], (uint8_t)OF_USER);
  for (struct owner** at = &owners; *at != NULL; at = &(*at)->next) {
    if ((*at)->context != comm->c_contextid) continue;
    struct owner* gone = *at;
    *at = gone->next;
    free(gone);
    break;
  }
}

void purpose_forget(ompi_communicator_t* comm) {
  pthread_mutex_lock(&lock);
  purpose_settled = communicators() - 1;  // it is among them still
  latest = NULL;
  if (purpose_of(comm->c_contextid) != OF_USER) forget(comm);
  pthread_mutex_unlock(&lock);
}

void purpose_forget_all(void) {
  struct purposes* all = atomic_exchange(&purposes, NULL);
  while (all != NULL) {
    struct purposes* smaller = all->smaller;
    free(all);
    all = smaller;
  }
  while (owners != NULL) {
    struct owner* next = owners->next;
    free(owners);
    owners = next;
  }
}
