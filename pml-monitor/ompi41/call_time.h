// SPDX-License-Identifier: BSD-3-Clause
// How long this rank runs, and how much of it in MPI, where libtofa-calls.so is preloaded.
#pragma once

#include "rank_time.h"

// From here on, what is told of MPI is also kept in this file, which starts with struct
// counts_head.
void call_time_keep(const char* path);
void call_time_start(void);
struct rank_time call_time(void);  // since then
void call_time_let_go(void);       // of the file, which is to be removed
