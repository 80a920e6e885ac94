// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 has got from the others: chunks, kept on disk until all are there, and who is heard
// completely, in part, or not at all. A file's head tells how many entries follow, so writing
// starts when gathering has ended. Knows nothing of Open MPI.
#pragma once

#include "fetched.h"
#include "report.h"
#include "row_stream.h"

#ifdef __cplusplus
extern "C" {
#endif

struct collection;

// Of what is sent to `ranks` receivers by the first `senders` of them. Keeps its chunks in a file
// without a name in this folder. NULL: see errno.
struct collection* collection_new(uint32_t ranks, uint32_t senders, const char* folder);
void collection_free(struct collection* collection);

// Returns 0 or an errno value: EPROTO when the bytes are no chunk, and nothing of it is kept.
int collection_add(struct collection* collection, const uint8_t* bytes, size_t size);

bool collection_has(const struct collection* collection, uint32_t rank);  // at least in part

// Ranks of which nothing, or not all, has come.
uint32_t collection_missing(const struct collection* collection);
uint32_t collection_partial(const struct collection* collection);

// Fills in the members of the metadata that this knows. They point to the collection.
void collection_describe(struct collection* collection, struct mtx_metadata* metadata);

// All rows again, sender by sender. 0 or an errno value: that of `row`, or why they cannot be read.
int collection_each_row(struct collection* collection, fetched_row_fn row, void* context);

// All rows of partners that are not of this job, in the order in which they came.
typedef int (*beside_row_fn)(void* context, uint32_t sender, uint64_t set,
                             const struct partner_row* row);
int collection_each_row_beside(struct collection* all, beside_row_fn row, void* context);

// Opens the report and writes all rows. 0 or an errno value, as those of report.h.
int collection_write(struct collection* collection, struct report* report, const char* stem,
                     bool apart, const struct mtx_metadata* metadata);

// All that has been sent, for one line of text.
uint64_t collection_bytes(const struct collection* collection);
uint64_t collection_messages(const struct collection* collection);

// How long each rank ran, by rank; 0 where nothing has come of it.
const struct rank_time* collection_times(const struct collection* collection);

// How many rows there are beside those of the matrix, and what they sum up to: of other jobs, and
// of what was not sent.
struct traffic_sum {
  uint64_t rows, bytes, messages;
};
struct traffic_sum collection_to_other_jobs(const struct collection* collection);
struct traffic_sum collection_estimated(const struct collection* collection);
// And in the graphs that programs have declared: weights for bytes, edges for messages.
struct traffic_sum collection_declared(const struct collection* collection);

#ifdef __cplusplus
}
#endif
