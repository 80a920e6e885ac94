// SPDX-License-Identifier: BSD-3-Clause
// What processes ask each other when a topology is made, which the monitor counts as the library's.
#pragma once

// Messages of programs have tags from 0, those of Open MPI's collectives from -10 downwards, one by
// one: these are far below them, and within the bits that networks leave for a tag.
enum { TOFA_TAG_READY = -4194991, TOFA_TAG_ANSWER = TOFA_TAG_READY - 1 };
