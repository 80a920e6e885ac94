// SPDX-License-Identifier: BSD-3-Clause
// The settings of the mapper, for C: what may follow `--map-by tofa:` and, as rmaps_tofa_KEY, be an
// MCA parameter. A view of the table that all front-ends share, tofa/settings.hpp.
#ifndef TOFA_RMAPS_KEYS_H
#define TOFA_RMAPS_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* name;
  const char* default_value;  // what ompi_info shows; NULL when there is none
  const char* help;
  int info_level;  // of MPI_T: 1 end user basic ... 9 developer
  bool is_switch;  // may stand without a value, meaning 1
} tofa_key;

// All of them, for as long as the component is loaded; none when memory runs out.
const tofa_key* tofa_all_keys(size_t* count);

// The key called by the first `length` characters of `name`, ignoring case; NULL when there is
// none.
const tofa_key* tofa_find_key(const char* name, size_t length);

// The key that was probably meant, or NULL.
const tofa_key* tofa_closest_key(const char* name, size_t length);

// "graph, topology, ..." in newly allocated memory.
char* tofa_list_keys(void);

#ifdef __cplusplus
}
#endif

#endif
