// SPDX-License-Identifier: BSD-3-Clause
// Whether all processes of a communicator reorder their ranks in this call, as its rank 0 finds it
// out. Knows nothing of Open MPI.
//
// A process that lacks the component creates a topology as Open MPI does by itself, and answers
// nobody. One that has it may not have heard that others do, or think that they do not, or may not
// have been asked by the program to reorder, though others were. Still, all must do the same, or
// the call never ends. So:
//
// - Another process that is to reorder, and knows for certain that rank 0 has the component, says
//   that it is ready, and waits for the answer, however long that takes. All others say nothing,
//   and take Open MPI's own way.
// - Rank 0 listens in each call, whether it is to reorder or not. It answers "all" when all others
//   have said that they are ready, and then all of them wait for it. When it gives up, for whatever
//   reason and whenever it likes, it answers "not all" to those that wait, and takes Open MPI's own
//   way, too. There it waits for all others, as Open MPI does in each such call, and answers "not
//   all" to those that turn up late.
// - Others may be through with a call, and ready in the next, while rank 0 still listens to those
//   who are late. So each call has a number, which all processes know, and rank 0 hears only what
//   is said in its own call. The rest waits until it gets there.
//
// So each that is ready gets one answer, all get the same, and "all" only when nobody has taken
// Open MPI's own way. What processes know of each other, what the program asks of each of them, and
// how long rank 0 waits, can only lead to "not all".
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum consent_verdict { CONSENT_OPEN, CONSENT_ALL, CONSENT_NOT_ALL };

// Of rank 0.
struct consent {
  int others;           // processes besides rank 0, numbered from 0
  int ready;            // of them
  unsigned char* told;  // by process: whether it is ready; NULL: no memory
  enum consent_verdict verdict;
  void (*answer)(void* context, int other, bool all);  // once to each that is ready
  void* context;
};

// `told` has room for all others, and is the caller's. Without it the verdict is "not all".
void consent_begin(struct consent* consent, int others, unsigned char* told,
                   void (*answer)(void* context, int other, bool all), void* context);

// A process is ready: counted once, and answered as soon as the verdict is known.
void consent_ready(struct consent* consent, int other);

// Rank 0 waits no longer. Too late when all are ready.
void consent_give_up(struct consent* consent);

// Whether it has said that it is ready, as far as there was memory to keep that.
bool consent_is_ready(const struct consent* consent, int other);

#ifdef __cplusplus
}
#endif
