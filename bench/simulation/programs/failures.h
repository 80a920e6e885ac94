// SPDX-License-Identifier: BSD-3-Clause
// Links and hosts of the simulated machine that fail while a program runs.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Lines `link NAME` and `host NAME`: turns each of them off, in this order. Answers 0, or 1 when
// the file cannot be read or names what is not there. A host that is turned off ends its ranks, the
// caller among them.
int turn_off(const char* file);

#ifdef __cplusplus
}
#endif
