// SPDX-License-Identifier: BSD-3-Clause
// What the communication programs share. Each program reproduces who sends how much to whom in
// which order, and nothing else. It sends through these functions, which count every byte, and
// returns job_end(), which prints the seconds from the first message until the last rank is done
// and, if the caller named files, writes the traffic there as `tofa map --graph` reads it (-o FILE:
// bytes, -m FILE: messages), and what the ranks waited for (-t FILE). With -x FILE the links and
// hosts that it names fail at the start; then no message is sent but the program's own, and instead
// of the time each rank prints a line when it is done.
//
// No rank keeps anything in global variables: the simulator runs all of them in one address space.
#pragma once

#include <mpi.h>
#include <stddef.h>

enum { kLargestMessage = 8 << 20 };

// What a rank's time goes to; within a collective, all of it is the collective's.
enum Part { kInSend, kInReceive, kInBroadcast, kInSum, kParts };

struct Job {
  const char* name;
  const char* traffic_file;
  const char* messages_file;
  const char* times_file;
  const char* failures_file;
  int iterations;
  int rank, ranks;
  double start;
  unsigned long long* sent;      // bytes, by receiver
  unsigned long long* messages;  // their number
  enum Part within;              // a collective, or kParts
  double seconds[kParts];
  MPI_Request requests[128];
  int pending;
};

// Starts MPI and reads `PROGRAM [-i ITERATIONS] [-o, -m, -t or -x FILE]... [ARGUMENT...]`; the
// arguments after the options remain in argv[1] and up.
void job_begin(struct Job* job, int* argc, char*** argv, int iterations);
// Lets the clock start: after this every rank sends what it has to.
void job_start(struct Job* job);
// Prints the time, writes the traffic, ends MPI. Answers what main should return.
int job_end(struct Job* job);
// Ends all ranks with a message when `right` is false: how the program must be called.
void job_require(struct Job* job, int right, const char* message);

void job_send(struct Job* job, int to, size_t bytes);
void job_receive(struct Job* job, int from, size_t bytes);
// Receives from one rank while sending to another: posted receive, blocking send, wait.
void job_exchange(struct Job* job, int to, size_t sent, int from, size_t received);
// Nonblocking halves; job_wait_all completes them.
void job_start_send(struct Job* job, int to, size_t bytes);
void job_start_receive(struct Job* job, int from, size_t bytes);
void job_wait_all(struct Job* job);

// Time counts as that of `part` from now on; answers what it counted as before, to enter again.
enum Part job_enter(struct Job* job, enum Part part);

// The ranks first, first + stride, ... : a row or a column of a process grid.
struct Group {
  int first, stride, count;
  int self;  // my index
};

// Sum over a group of 2^k ranks by recursive doubling.
void job_sum(struct Job* job, struct Group group, size_t bytes);
// Everyone of a group sends `bytes` to everyone else, one partner after the other.
void job_transpose(struct Job* job, struct Group group, size_t bytes);
