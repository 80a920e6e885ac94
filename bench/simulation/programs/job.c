// SPDX-License-Identifier: BSD-3-Clause
// Sends, counts, times and writes: see job.h.
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failures.h"

enum { kTag = 7 };

// Nobody looks at the content of a message, so that all of them may start at the same place.
static char outgoing[kLargestMessage];
static char incoming[kLargestMessage];

void job_require(struct Job* job, int right, const char* message) {
  if (right) return;
  if (job->rank == 0) fprintf(stderr, "%s: %s\n", job->name, message);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

void job_begin(struct Job* job, int* argc, char*** argv, int iterations) {
  MPI_Init(argc, argv);
  memset(job, 0, sizeof *job);
  job->name = (*argv)[0];
  job->iterations = iterations;
  MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job->ranks);
  while (*argc > 2 && (*argv)[1][0] == '-') {
    if (strcmp((*argv)[1], "-o") == 0) job->traffic_file = (*argv)[2];
    if (strcmp((*argv)[1], "-m") == 0) job->messages_file = (*argv)[2];
    if (strcmp((*argv)[1], "-t") == 0) job->times_file = (*argv)[2];
    if (strcmp((*argv)[1], "-x") == 0) job->failures_file = (*argv)[2];
    if (strcmp((*argv)[1], "-i") == 0) job->iterations = atoi((*argv)[2]);
    *argc -= 2;
    *argv += 2;
  }
  job->sent = calloc((size_t)job->ranks, sizeof *job->sent);
  job->messages = calloc((size_t)job->ranks, sizeof *job->messages);
  job->within = kParts;
  job_require(job, job->sent != NULL && job->messages != NULL, "out of memory");
}

void job_start(struct Job* job) {
  if (job->failures_file == NULL) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (job->rank == 0) {
    job_require(job, turn_off(job->failures_file) == 0, "cannot turn off what should fail");
  }
  job->start = MPI_Wtime();
}

static int write_row(FILE* file, int sender, const unsigned long long* row, int ranks) {
  int entries = 0;
  for (int to = 0; to < ranks; ++to) {
    if (row[to] == 0) continue;
    if (file != NULL) fprintf(file, "%d %d %llu\n", sender + 1, to + 1, row[to]);
    ++entries;
  }
  return entries;
}

static int write_traffic(const char* path, const char* quantity, int ranks,
                         const unsigned long long* sent) {
  int entries = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    entries += write_row(NULL, rank, sent + (size_t)rank * ranks, ranks);
  }
  FILE* file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return 1;
  }
  fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n");
  fprintf(file, "%%tofa {\"version\": 1, \"ranks\": %d, \"quantity\": \"%s\"}\n", ranks, quantity);
  fprintf(file, "%d %d %d\n", ranks, ranks, entries);
  for (int rank = 0; rank < ranks; ++rank) {
    write_row(file, rank, sent + (size_t)rank * ranks, ranks);
  }
  return fclose(file) == 0 ? 0 : 1;
}

// The matrix of all ranks' rows.
static int collect_traffic(struct Job* job, const char* path, const char* quantity,
                           unsigned long long* row) {
  unsigned long long* all = NULL;
  if (job->rank == 0) all = malloc((size_t)job->ranks * job->ranks * sizeof *all);
  MPI_Gather(row, job->ranks, MPI_UNSIGNED_LONG_LONG, all, job->ranks, MPI_UNSIGNED_LONG_LONG, 0,
             MPI_COMM_WORLD);
  const int status = job->rank == 0 ? write_traffic(path, quantity, job->ranks, all) : 0;
  free(all);
  return status;
}

// Seconds by part, as JSON: the mean over the ranks, and the most of any.
static int write_times(const struct Job* job) {
  static const char* const names[kParts] = {"send", "receive", "broadcast", "sum"};
  double sums[kParts];
  double most[kParts];
  MPI_Reduce(job->seconds, sums, kParts, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(job->seconds, most, kParts, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (job->rank != 0) return 0;
  FILE* file = fopen(job->times_file, "w");
  if (file == NULL) {
    perror(job->times_file);
    return 1;
  }
  for (int part = 0; part < kParts; ++part) {
    fprintf(file, "%s\"%s\": {\"mean\": %.9f, \"most\": %.9f}", part == 0 ? "{" : ", ", names[part],
            sums[part] / job->ranks, most[part]);
  }
  fprintf(file, "}\n");
  return fclose(file) == 0 ? 0 : 1;
}

int job_end(struct Job* job) {
  const double mine = MPI_Wtime() - job->start;
  int status = 0;
  if (job->failures_file != NULL) {
    printf("done\n");
  } else {
    double longest = 0;
    MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (job->rank == 0) printf("%.9f\n", longest);
    if (job->traffic_file != NULL)
      status |= collect_traffic(job, job->traffic_file, "bytes", job->sent);
    if (job->messages_file != NULL)
      status |= collect_traffic(job, job->messages_file, "messages", job->messages);
    if (job->times_file != NULL) status |= write_times(job);
  }
  free(job->sent);
  free(job->messages);
  MPI_Finalize();
  return status;
}

enum Part job_enter(struct Job* job, enum Part part) {
  const enum Part before = job->within;
  job->within = part;
  return before;
}

// The clock itself takes simulated time, so that only who wants to know looks at it.
static double now(const struct Job* job) {
  return job->times_file != NULL ? MPI_Wtime() : 0;
}

static void spend(struct Job* job, enum Part part, double since) {
  job->seconds[job->within == kParts ? part : job->within] += now(job) - since;
}

static void count(struct Job* job, int to, size_t bytes) {
  job->sent[to] += bytes;
  ++job->messages[to];
}

void job_start_send(struct Job* job, int to, size_t bytes) {
  count(job, to, bytes);
  MPI_Isend(outgoing, (int)bytes, MPI_BYTE, to, kTag, MPI_COMM_WORLD,
            &job->requests[job->pending++]);
}

void job_start_receive(struct Job* job, int from, size_t bytes) {
  MPI_Irecv(incoming, (int)bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD,
            &job->requests[job->pending++]);
}

void job_wait_all(struct Job* job) {
  const double since = now(job);
  MPI_Waitall(job->pending, job->requests, MPI_STATUSES_IGNORE);
  job->pending = 0;
  spend(job, kInReceive, since);
}

void job_send(struct Job* job, int to, size_t bytes) {
  const double since = now(job);
  count(job, to, bytes);
  MPI_Send(outgoing, (int)bytes, MPI_BYTE, to, kTag, MPI_COMM_WORLD);
  spend(job, kInSend, since);
}

void job_receive(struct Job* job, int from, size_t bytes) {
  const double since = now(job);
  MPI_Recv(incoming, (int)bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  spend(job, kInReceive, since);
}

void job_exchange(struct Job* job, int to, size_t sent, int from, size_t received) {
  job_start_receive(job, from, received);
  job_send(job, to, sent);
  job_wait_all(job);
}

void job_sum(struct Job* job, struct Group group, size_t bytes) {
  for (int distance = 1; distance < group.count; distance *= 2) {
    const int partner = group.first + (group.self ^ distance) * group.stride;
    job_exchange(job, partner, bytes, partner, bytes);
  }
}

void job_transpose(struct Job* job, struct Group group, size_t bytes) {
  for (int step = 1; step < group.count; ++step) {
    const int to = group.first + (group.self + step) % group.count * group.stride;
    const int from = group.first + (group.self + group.count - step) % group.count * group.stride;
    job_exchange(job, to, bytes, from, bytes);
  }
}
