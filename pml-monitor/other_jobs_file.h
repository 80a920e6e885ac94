// SPDX-License-Identifier: BSD-3-Clause
// NAME.other-jobs.txt: what ranks of this job sent to processes of jobs that they spawned, were
// spawned by, or connected to. After the line `%tofa {json}` that all files of a result have, and
// one that names the columns, a line is: rank, the other job's PMIx namespace, the process's rank
// there, class of traffic, messages, bytes. Ranks count from 0. The class "fetched" is what
// MPI_Get and the like brought from there. Knows nothing of Open MPI.
#pragma once

#include "collection.h"

#ifdef __cplusplus
extern "C" {
#endif

// STEM.other-jobs.txt; for the caller to free.
char* other_jobs_path(const char* stem);

// The namespace of the job with this number, valid until the next call; NULL: its number is used.
typedef const char* (*job_name_fn)(uint32_t job);

// As those of mtx_writer.h: 0 or an errno value. Nothing is opened where there is no such traffic.
int other_jobs_write(struct mtx_writer* writer, const char* stem,
                     const struct mtx_metadata* metadata, struct collection* collection,
                     job_name_fn name_of_job);

#ifdef __cplusplus
}
#endif
