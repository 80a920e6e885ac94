// SPDX-License-Identifier: BSD-3-Clause
// The MPI_T variables of Open MPI's own monitoring, used as its own programs for them do: they are
// there, bind to MPI_COMM_WORLD, say what was sent, and write files on demand. Ends with a status
// other than 0 and a line on what is wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 26, MOST_RANKS = 64 };

static int rank, size;
static MPI_T_pvar_session session;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

// `object` is the address of a communicator, as MPI wants it, or what programs hand over instead.
static MPI_T_pvar_handle start(const char* name, int class, void* object) {
  int index, count = 0;
  MPI_T_pvar_handle handle;
  check(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS, name);
  check(MPI_T_pvar_handle_alloc(session, index, object, &handle, &count) == MPI_SUCCESS, name);
  if (class == MPI_T_PVAR_CLASS_SIZE) check(count == size, "number of values");
  check(MPI_T_pvar_start(session, handle) == MPI_SUCCESS, "start");
  return handle;
}

static void ring(void) {
  for (int i = 0; i < ROUNDS; ++i) {
    int sent = i, received;
    MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 1, &received, 1, MPI_INT,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void messages(void) {
  MPI_Comm world = MPI_COMM_WORLD;
  unsigned long counts[MOST_RANKS] = {0}, sizes[MOST_RANKS] = {0};
  MPI_T_pvar_handle count = start("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &world);
  MPI_T_pvar_handle bytes =
      start("pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
  check(MPI_T_pvar_read(session, count, counts) == MPI_SUCCESS, "read");
  check(MPI_T_pvar_read(session, bytes, sizes) == MPI_SUCCESS, "read");
  unsigned long before = counts[(rank + 1) % size], bytes_before = sizes[(rank + 1) % size];
  ring();
  check(MPI_T_pvar_read(session, count, counts) == MPI_SUCCESS, "read");
  check(MPI_T_pvar_read(session, bytes, sizes) == MPI_SUCCESS, "read");
  check(counts[(rank + 1) % size] - before == ROUNDS, "messages_count");
  check(sizes[(rank + 1) % size] - bytes_before == ROUNDS * sizeof(int), "messages_size");
  check(MPI_T_pvar_stop(session, count) == MPI_SUCCESS, "stop");
  check(MPI_T_pvar_stop(session, bytes) == MPI_SUCCESS, "stop");
  check(MPI_T_pvar_handle_free(session, &count) == MPI_SUCCESS, "free");
  check(MPI_T_pvar_handle_free(session, &bytes) == MPI_SUCCESS, "free");
}

static void collectives_and_windows(void) {
  static const char* const sizes[] = {"messages_count", "messages_size"};
  unsigned long values[MOST_RANKS] = {0}, total = 0;
  MPI_Comm world = MPI_COMM_WORLD;
  char name[64];
  for (int i = 0; i < 2; ++i) {
    snprintf(name, sizeof name, "coll_monitoring_%s", sizes[i]);
    MPI_T_pvar_handle handle = start(name, MPI_T_PVAR_CLASS_SIZE, &world);
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, name);
    check(rank != 0 || values[1] > 0, name);
    check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "free");
  }
  static const char* const shapes[] = {"o2a", "a2o", "a2a"};
  for (int i = 0; i < 3; ++i) {
    snprintf(name, sizeof name, "coll_monitoring_%s_count", shapes[i]);
    MPI_T_pvar_handle handle = start(name, MPI_T_PVAR_CLASS_COUNTER, &world);
    snprintf(name, sizeof name, "coll_monitoring_%s_size", shapes[i]);
    MPI_T_pvar_handle bytes = start(name, MPI_T_PVAR_CLASS_AGGREGATE, &world);
    check(MPI_T_pvar_read(session, handle, &total) == MPI_SUCCESS, name);
    check(MPI_T_pvar_read(session, bytes, &total) == MPI_SUCCESS, name);
    check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "free");
    check(MPI_T_pvar_handle_free(session, &bytes) == MPI_SUCCESS, "free");
  }
  static const char* const ways[] = {"sent_count", "sent_size", "recv_count", "recv_size"};
  for (int i = 0; i < 4; ++i) {
    snprintf(name, sizeof name, "osc_monitoring_messages_%s", ways[i]);
    MPI_T_pvar_handle handle = start(name, MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    int memory = 0, value = 7;
    MPI_Win window;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    check(MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS, name);
    check(i > 1 || values[(rank + 1) % size] > 0, name);
    check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "free");
  }
}

static void flush(void) {
  char stem[] = "flushed";
  MPI_T_pvar_handle handle = start("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, NULL);
  ring();
  check(MPI_T_pvar_write(session, handle, stem) == MPI_SUCCESS, "write");
  check(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS, "flush");
  check(MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS, "free");
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(size > 1 && size <= MOST_RANKS, "2 to 64 ranks");
  check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS, "MPI_T_init_thread");
  check(MPI_T_pvar_session_create(&session) == MPI_SUCCESS, "session");
  messages();
  collectives_and_windows();
  flush();
  check(MPI_T_pvar_session_free(&session) == MPI_SUCCESS, "session");
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
