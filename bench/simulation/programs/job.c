// SPDX-License-Identifier: BSD-3-Clause
// Sends, counts, times and writes: see job.h.
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (strcmp((*argv)[1], "-i") == 0) job->iterations = atoi((*argv)[2]);
    *argc -= 2;
    *argv += 2;
  }
  job->sent = calloc((size_t)job->ranks, sizeof *job->sent);
  job_require(job, job->sent != NULL, "out of memory");
}

void job_start(struct Job* job) {
  MPI_Barrier(MPI_COMM_WORLD);
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

static int write_traffic(const struct Job* job, const unsigned long long* sent) {
  int entries = 0;
  for (int rank = 0; rank < job->ranks; ++rank) {
    entries += write_row(NULL, rank, sent + (size_t)rank * job->ranks, job->ranks);
  }
  FILE* file = fopen(job->traffic_file, "w");
  if (file == NULL) {
    perror(job->traffic_file);
    return 1;
  }
  fprintf(file, "%%%%MatrixMarket matrix coordinate integer general\n");
  fprintf(file, "%%tofa {\"version\": 1, \"ranks\": %d, \"quantity\": \"bytes\"}\n", job->ranks);
  fprintf(file, "%d %d %d\n", job->ranks, job->ranks, entries);
  for (int rank = 0; rank < job->ranks; ++rank) {
    write_row(file, rank, sent + (size_t)rank * job->ranks, job->ranks);
  }
  return fclose(file) == 0 ? 0 : 1;
}

int job_end(struct Job* job) {
  const double mine = MPI_Wtime() - job->start;
  double longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  unsigned long long* all = NULL;
  if (job->rank == 0) all = malloc((size_t)job->ranks * job->ranks * sizeof *all);
  MPI_Gather(job->sent, job->ranks, MPI_UNSIGNED_LONG_LONG, all, job->ranks, MPI_UNSIGNED_LONG_LONG,
             0, MPI_COMM_WORLD);
  int status = 0;
  if (job->rank == 0) {
    printf("%.9f\n", longest);
    if (job->traffic_file != NULL) status = write_traffic(job, all);
  }
  free(all);
  free(job->sent);
  MPI_Finalize();
  return status;
}

void job_start_send(struct Job* job, int to, size_t bytes) {
  job->sent[to] += bytes;
  MPI_Isend(outgoing, (int)bytes, MPI_BYTE, to, kTag, MPI_COMM_WORLD,
            &job->requests[job->pending++]);
}

void job_start_receive(struct Job* job, int from, size_t bytes) {
  MPI_Irecv(incoming, (int)bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD,
            &job->requests[job->pending++]);
}

void job_wait_all(struct Job* job) {
  MPI_Waitall(job->pending, job->requests, MPI_STATUSES_IGNORE);
  job->pending = 0;
}

void job_send(struct Job* job, int to, size_t bytes) {
  job->sent[to] += bytes;
  MPI_Send(outgoing, (int)bytes, MPI_BYTE, to, kTag, MPI_COMM_WORLD);
}

void job_receive(struct Job* job, int from, size_t bytes) {
  (void)job;
  MPI_Recv(incoming, (int)bytes, MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
