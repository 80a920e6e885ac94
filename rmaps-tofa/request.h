// SPDX-License-Identifier: BSD-3-Clause
// The text of a mapping request: `tofa`, or `tofa:` and a comma-separated list in which our
// KEY=VALUE settings stand beside the stock modifiers (PE=2, SPAN, OVERSUBSCRIBE, NOOVERSUBSCRIBE).
// Only our keys are taken; what is left becomes a stock `slot` policy that the runtime can parse.
// No runtime header is needed here.
#ifndef TOFA_RMAPS_REQUEST_H
#define TOFA_RMAPS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "planner.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  tofa_setting* items;  // keys are those of keys.h, values are owned
  size_t count;
} tofa_settings;

// Sets a key, replacing an earlier value. False when memory runs out.
bool tofa_settings_set(tofa_settings* settings, const char* key, const char* value);
const char* tofa_settings_get(const tofa_settings* settings, const char* key);
void tofa_settings_clear(tofa_settings* settings);

// Whether a policy text asks for tofa; false for NULL.
bool tofa_request_matches(const char* policy);

// Takes our keys out of a policy that matches: adds them to `settings` and stores the stock policy
// to use instead, newly allocated, in `stock`. Returns NULL, or an error message in newly allocated
// memory.
char* tofa_request_parse(const char* policy, tofa_settings* settings, char** stock);

#ifdef __cplusplus
}
#endif

#endif
