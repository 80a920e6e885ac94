// SPDX-License-Identifier: BSD-3-Clause
// How long this rank runs, and how much of it in MPI, where libtofa-calls.so is preloaded.
#pragma once

#include "rank_time.h"

void call_time_start(void);
struct rank_time call_time(void);  // since then
