// SPDX-License-Identifier: BSD-3-Clause
// What counting costs, in nanoseconds per message. Started as a monitored program; blocks of
// messages through the monitor alternate with blocks through the bare PML, in one process, whose
// table of functions is exchanged between them. Printed are medians over the blocks.
//
//   mpirun -n 2 --mca pml_monitoring_enable 1 tofa-monitor-cost [BLOCKS]
//   mpirun -n N [--mca pml_monitoring_enable 1] tofa-monitor-cost finalize
//
// The second prints the seconds that MPI_Finalize takes on rank 0 when each rank has sent to 30
// others; what is added is the difference between runs with and without monitoring.
//
// Works with any component that puts itself in front of ob1, so with Open MPI's own, too
// (--mca pml ^tofa).
#define _GNU_SOURCE  // RTLD_NOLOAD
#include <ompi_config.h>

#include <dlfcn.h>
#include <mpi.h>
#include <ompi/mca/pml/pml.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESSAGES = 4096, WINDOW = 64, COMMUNICATORS = 30, TAG = 1 };

enum { BARE, MONITORED };

static mca_pml_base_module_t tables[2];
static int rank, ranks;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return values[count / 2];
}

// A message to oneself: nothing but MPI's own work.
static void self_sends(bool monitored) {
  (void)monitored;
  char sent = 0, received;
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_CHAR, 0, TAG, MPI_COMM_SELF, &request);
    MPI_Send(&sent, 1, MPI_CHAR, 0, TAG, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// The same, over many communicators in turn.
static MPI_Comm communicators[COMMUNICATORS];

static void many_communicators(bool monitored) {
  (void)monitored;
  char sent = 0, received;
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Comm communicator = communicators[i % COMMUNICATORS];
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_CHAR, 0, TAG, communicator, &request);
    MPI_Send(&sent, 1, MPI_CHAR, 0, TAG, communicator);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static MPI_Request persistent[2];  // as they were made: by the bare PML, by the monitored one
static char persistent_byte;

static void persistent_starts(bool monitored) {
  char received;
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, persistent[monitored]};
    MPI_Irecv(&received, 1, MPI_CHAR, 0, TAG, MPI_COMM_SELF, &requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

// Rank 0 to rank 1, so many at a time.
static void in_flight(bool monitored) {
  (void)monitored;
  static char bytes[WINDOW];
  MPI_Request requests[WINDOW];
  for (int i = 0; i < MESSAGES; i += WINDOW) {
    for (int at = 0; at < WINDOW; ++at) {
      if (rank == 0) {
        MPI_Isend(&bytes[at], 1, MPI_CHAR, 1, TAG, MPI_COMM_WORLD, &requests[at]);
      } else {
        MPI_Irecv(&bytes[at], 1, MPI_CHAR, 0, TAG, MPI_COMM_WORLD, &requests[at]);
      }
    }
    MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
  }
}

struct cost {
  const char* name;
  void (*run)(bool monitored);
  bool both;  // ranks 0 and 1, instead of rank 0
};

static void measure(const struct cost* cost, int blocks) {
  double* times[2] = {calloc((size_t)blocks, sizeof(double)),
                      calloc((size_t)blocks, sizeof(double))};
  double* added = calloc((size_t)blocks, sizeof(double));
  if (times[0] == NULL || times[1] == NULL || added == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int block = -2; block < 2 * blocks; ++block) {
    bool monitored = block % 2 != 0;
    if (cost->both) MPI_Barrier(MPI_COMM_WORLD);
    mca_pml = tables[monitored];
    double start = now();
    cost->run(monitored);
    double time = (now() - start) / MESSAGES;
    mca_pml = tables[MONITORED];
    if (block >= 0) times[monitored][block / 2] = time;
  }
  for (int i = 0; i < blocks; ++i) added[i] = times[1][i] - times[0][i];
  if (rank == 0) {
    double bare = median(times[0], blocks), counted = median(times[1], blocks);
    printf("| %-28s | %6.1f | %6.1f | %5.1f |\n", cost->name, bare, counted, median(added, blocks));
    fflush(stdout);
  }
  free(times[0]);
  free(times[1]);
  free(added);
}

// The PML's own table, from its library, which is loaded.
static bool find_tables(void) {
  tables[MONITORED] = mca_pml;
  void* library = dlopen("mca_pml_ob1.so", RTLD_LAZY | RTLD_NOLOAD);
  const mca_pml_base_module_t* bare = library != NULL ? dlsym(library, "mca_pml_ob1") : NULL;
  if (bare == NULL) return false;
  tables[BARE] = *bare;
  return tables[BARE].pml_isend != tables[MONITORED].pml_isend;
}

static void make_objects(void) {
  for (int i = 0; i < COMMUNICATORS; ++i) MPI_Comm_dup(MPI_COMM_SELF, &communicators[i]);
  for (int table = BARE; table <= MONITORED; ++table) {
    mca_pml = tables[table];
    MPI_Send_init(&persistent_byte, 1, MPI_CHAR, 0, TAG, MPI_COMM_SELF, &persistent[table]);
  }
}

static void free_objects(void) {
  for (int table = BARE; table <= MONITORED; ++table) MPI_Request_free(&persistent[table]);
  for (int i = 0; i < COMMUNICATORS; ++i) MPI_Comm_free(&communicators[i]);
}

// All ranks enter MPI_Finalize at the same time, as near as a barrier gets them.
static int time_finalize(void) {
  for (int i = 1; i <= COMMUNICATORS && i < ranks; ++i) {
    int to = (rank + i * i) % ranks, from = (rank + ranks - i * i % ranks) % ranks;
    char sent = 0, received;
    MPI_Sendrecv(&sent, 1, MPI_CHAR, to, TAG, &received, 1, MPI_CHAR, from, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double start = now();
  MPI_Finalize();
  if (rank == 0) printf("MPI_Finalize with %d ranks: %.3f s\n", ranks, (now() - start) / 1e9);
  return 0;
}

int main(int argc, char** argv) {
  static const struct cost costs[] = {{"message to oneself", self_sends, false},
                                      {"the same, 30 communicators", many_communicators, false},
                                      {"persistent message started", persistent_starts, false},
                                      {"64 in flight, two ranks", in_flight, true}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "finalize") == 0) return time_finalize();
  int blocks = argc > 1 ? atoi(argv[1]) : 1001;
  if (blocks < 1 || !find_tables()) {
    if (rank == 0) {
      fputs(
          "usage: mpirun -n 2 --mca pml_monitoring_enable 1 tofa-monitor-cost [BLOCKS]; the monitor "
          "is not in front of the PML ob1 here\n",
          stderr);
    }
    MPI_Finalize();
    return 2;
  }
  make_objects();
  if (rank == 0) {
    printf("| nanoseconds per message      |   bare | counted | added |\n|---|---|---|---|\n");
  }
  for (size_t i = 0; i < sizeof costs / sizeof *costs; ++i) {
    if (costs[i].both ? ranks == 2 : rank == 0) measure(&costs[i], blocks);
  }
  free_objects();
  MPI_Finalize();
  return 0;
}
