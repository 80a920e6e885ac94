// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose algorithm is what is asked about: in phases that wait for each other, or all at
// once from one rank. The job's clock counts what is inside as time of the collective.
#pragma once

#include "job.h"

enum Algorithm { kBinomial, kLinear };

// Reads "binomial" or "linear"; ends the job with a message otherwise.
enum Algorithm algorithm_of(struct Job* job, const char* name);

// Rank 0 tells everybody: in a binomial tree, the far half first, or one rank after the other.
void broadcast(struct Job* job, enum Algorithm algorithm, size_t bytes);
// Everybody gets the sum: by recursive doubling among 2^k ranks, or over rank 0, which gets all
// parts and sends the sum to each.
void sum_over_all(struct Job* job, enum Algorithm algorithm, size_t bytes);
