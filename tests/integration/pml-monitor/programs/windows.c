// SPDX-License-Identifier: BSD-3-Clause
// Every one-sided call, on windows of each kind, on the world and on reordered parts of it. The
// argument is the one-sided component: osc/rdma of Open MPI 4.1.4 crashes in compare-and-swap. A
// second argument leaves windows open at the end. `shared` is for shared windows only, and with
// `kill`, rank 1 dies in the middle.
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

enum { REGION = 2000, SLOTS = 3 * REGION };  // an origin has a region at each of its targets

static int rank, size;
static int swaps = 1;
static long source[SLOTS], result[SLOTS];

static void put(int world, long long bytes) {
  expect_send(world, bytes);
}

// What goes there and comes back.
static void exchange(int world, long long bytes, long long back) {
  expect_send(world, bytes);
  expect_get(world, back);
}

static void plain_calls(MPI_Win window, MPI_Aint base, int target, int world) {
  MPI_Put(source, 100, MPI_LONG, target, base, 100, MPI_LONG, window);
  put(world, 800);
  MPI_Put(source, 0, MPI_LONG, target, base, 0, MPI_LONG, window);  // is no message
  MPI_Put(source, 9, MPI_LONG, MPI_PROC_NULL, base, 9, MPI_LONG, window);
  MPI_Win_flush(target, window);
  MPI_Get(result, 300, MPI_LONG, target, base, 300, MPI_LONG, window);
  expect_get(world, 2400);
  MPI_Accumulate(source, 7, MPI_LONG, target, base + 400, 7, MPI_LONG, MPI_SUM, window);
  put(world, 56);
  MPI_Win_flush(target, window);
  MPI_Get_accumulate(source, 5, MPI_LONG, result, 5, MPI_LONG, target, base + 400, 5, MPI_LONG,
                     MPI_SUM, window);
  exchange(world, 40, 40);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, result + 10, 6, MPI_LONG, target, base + 400, 6, MPI_LONG,
                     MPI_NO_OP, window);
  expect_get(world, 48);
  MPI_Fetch_and_op(source, result + 20, MPI_LONG, target, base + 500, MPI_SUM, window);
  exchange(world, 8, 8);
  MPI_Fetch_and_op(NULL, result + 21, MPI_LONG, target, base + 500, MPI_NO_OP, window);
  expect_get(world, 8);
  if (swaps) {
    MPI_Compare_and_swap(source, source + 1, result + 22, MPI_LONG, target, base + 501, window);
    exchange(world, 16, 8);
  }
  MPI_Win_flush(target, window);
}

static void calls_with_requests(MPI_Win window, MPI_Aint base, int target, int world) {
  MPI_Request requests[4];
  MPI_Datatype column;  // 3 longs, far apart
  MPI_Type_vector(3, 1, 4, MPI_LONG, &column);
  MPI_Type_commit(&column);
  MPI_Rput(source, 2, column, target, base + 600, 2, column, window, &requests[0]);
  put(world, 48);
  MPI_Rget(result + 700, 1000, MPI_LONG, target, base + 700, 1000, MPI_LONG, window, &requests[1]);
  expect_get(world, 8000);
  MPI_Raccumulate(source, 11, MPI_LONG, target, base + 1800, 11, MPI_LONG, MPI_SUM, window,
                  &requests[2]);
  put(world, 88);
  MPI_Rget_accumulate(source, 12, MPI_LONG, result + 1900, 12, MPI_LONG, target, base + 1900, 12,
                      MPI_LONG, MPI_SUM, window, &requests[3]);
  exchange(world, 96, 96);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  MPI_Win_flush(target, window);
}

// To the next rank, the one after it, and to oneself.
static void use(MPI_Win window, MPI_Comm comm) {
  int own, members;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &members);
  MPI_Win_lock_all(0, window);
  for (int by = 0; by < 3; ++by) {
    int target = (own + by) % members, world = expect_world_rank(comm, target);
    MPI_Aint base = (MPI_Aint)by * REGION;
    plain_calls(window, base, target, world);
    calls_with_requests(window, base, target, world);
  }
  MPI_Win_unlock_all(window);
}

static void fences(MPI_Win window) {
  MPI_Win_fence(0, window);
  MPI_Put(source, 1000, MPI_LONG, (rank + 1) % size, 0, 1000, MPI_LONG, window);
  put((rank + 1) % size, 8000);
  MPI_Win_fence(0, window);
  MPI_Get(result, 20, MPI_LONG, (rank + 1) % size, 0, 20, MPI_LONG, window);
  expect_get((rank + 1) % size, 160);
  MPI_Win_fence(0, window);
}

static void attached(MPI_Comm comm) {
  static char memory[SLOTS * 8];
  MPI_Aint bases[EXPECT_RANKS], own;
  MPI_Win window;
  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window);
  MPI_Win_attach(window, memory, sizeof memory);
  MPI_Get_address(memory, &own);
  MPI_Allgather(&own, 1, MPI_AINT, bases, 1, MPI_AINT, comm);
  int target = (rank + 1) % size;
  MPI_Win_lock_all(0, window);
  MPI_Put(source, 40, MPI_LONG, target, bases[target], 40, MPI_LONG, window);
  put(target, 320);
  MPI_Win_unlock_all(window);
  MPI_Barrier(comm);
  MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
}

static void windows_on(MPI_Comm comm, int keep_open) {
  static long memory[SLOTS];
  MPI_Win window;
  void* base;
  MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &window);
  use(window, comm);
  MPI_Win_free(&window);
  MPI_Win_allocate(sizeof memory, sizeof(long), MPI_INFO_NULL, comm, &base, &window);
  memset(base, 0, sizeof memory);
  MPI_Barrier(comm);
  use(window, comm);
  if (comm == MPI_COMM_WORLD) fences(window);
  if (!keep_open) MPI_Win_free(&window);
}

static void shared(void) {
  MPI_Win window;
  void* base;
  MPI_Win_allocate_shared(SLOTS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                          &window);
  memset(base, 0, SLOTS * sizeof(long));
  MPI_Barrier(MPI_COMM_WORLD);
  use(window, MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

// Each rank leaves in sent.RANK how many messages it has put, before the next.
static void put_until_killed(void) {
  MPI_Win window;
  void* base;
  char name[32];
  snprintf(name, sizeof name, "sent.%d", rank);
  MPI_Win_allocate(SLOTS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                   &window);
  MPI_Win_lock_all(0, window);
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (unsigned long done = 0;; ++done) {
    if (pwrite(fd, &done, sizeof done, 0) != sizeof done) MPI_Abort(MPI_COMM_WORLD, 2);
    if (done == 200) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && done == 300) raise(SIGKILL);
    MPI_Put(source, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, window);
    MPI_Win_flush((rank + 1) % size, window);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < SLOTS; ++i) source[i] = rank + i;
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "kill") == 0) put_until_killed();
  MPI_Comm reversed, some;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reversed);
  // One part only: osc/rdma of Open MPI 4.1.4 confuses windows of two that are made at a time.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2 == 0 ? 0 : MPI_UNDEFINED, -rank, &some);
  if (strcmp(how, "shared") == 0) {
    shared();
  } else {
    swaps = strcmp(how, "rdma") != 0;
    windows_on(MPI_COMM_WORLD, 0);
    windows_on(reversed, 0);
    if (some != MPI_COMM_NULL) windows_on(some, argc > 2);
    if (strcmp(how, "ucx") != 0) attached(MPI_COMM_WORLD);
  }
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  MPI_Comm_free(&reversed);
  long sum = 0;
  for (int i = 0; i < SLOTS; ++i) sum += result[i] * (i + 1);
  printf("rank %d sums up to %ld\n", rank, sum);
  expect_write();
  MPI_Finalize();
  return 0;
}
