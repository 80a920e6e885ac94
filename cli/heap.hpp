// SPDX-License-Identifier: BSD-3-Clause
// The command lives for a tenth of a second, and on virtual machines every page of 4 KiB that it
// touches first takes 10 to 40 microseconds of it: a fifth of the time for some thousand ranks.
#pragma once

namespace tofa::cli {

// Takes the first 32 megabytes in large pages, where the system has such (glibc on Linux), for all
// threads together, and keeps what is freed. To be called first of all.
void take_large_pages();

}  // namespace tofa::cli
