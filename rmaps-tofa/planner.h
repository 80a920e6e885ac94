// SPDX-License-Identifier: BSD-3-Clause
// The planner: decides which rank runs on which node, for any runtime. It knows no runtime header;
// a runtime's adapter describes the job and the allocation in plain C and gets the placement, or
// the reason why there is none, and the texts to show the user. No C++ exception leaves it.
#ifndef TOFA_RMAPS_PLANNER_H
#define TOFA_RMAPS_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* key;  // see keys.h
  const char* value;
} tofa_setting;

// Checks a value the user gave. Returns NULL when it is fine, else what is wrong and what would be
// right, newly allocated. Files are not opened here.
char* tofa_check_setting(const char* key, const char* value);

typedef struct {
  const char* name;
  unsigned slots;      // free ones
  unsigned slots_max;  // free ones up to the hard limit; 0 when there is no limit
} tofa_node;

// One application context: a consecutive range of ranks and the nodes that may hold them.
typedef struct {
  unsigned ranks;
  // Indices into tofa_job.nodes, in the order the default mapping would fill them.
  const unsigned* nodes;
  size_t node_count;
} tofa_app;

typedef struct {
  const tofa_setting* settings;  // only what was asked for explicitly
  size_t setting_count;
  const tofa_node* nodes;  // the allocation
  size_t node_count;
  const tofa_app* apps;
  size_t app_count;
  unsigned cpus_per_rank;  // a rank takes that many slots where there are enough; 0 means 1
  bool oversubscribe;      // more ranks than slots are allowed
  // Where the component was loaded from, to find tofa-query; may be NULL.
  const char* component_dir;
} tofa_job;

typedef struct tofa_traffic tofa_traffic;  // who talks to whom, for later

typedef struct {
  char* error;             // why the job must not start; NULL when it may
  unsigned* node_of_rank;  // index into tofa_job.nodes; NULL with an error
  size_t ranks;
  bool* excluded;   // per node of the job: start nothing there; NULL with an error
  char** warnings;  // one line each
  size_t warning_count;
  char* report;           // lines to print when the setting `report` is on, NULL otherwise
  tofa_traffic* traffic;  // NULL with an error
} tofa_plan;

// Never returns NULL except when memory runs out.
tofa_plan* tofa_make_plan(const tofa_job* job);
void tofa_free_plan(tofa_plan* plan);

// Ranks that share a node, and the places that the runtime has bound them to, as far apart as what
// they do not share: packages, caches, cores.
typedef struct {
  const unsigned* ranks;  // ranks[i] is bound to place i
  size_t count;
  const unsigned* groups;  // groups[level * count + i]: the part of that level place i belongs to
  size_t levels;           // the outermost first
} tofa_node_inside;

// Finds the place that each of the ranks should have instead, so that those that talk sit close:
// place_of[i] is that of ranks[i]. Never worse than the places they have; these, where nothing can
// be said.
void tofa_arrange_node(const tofa_plan* plan, const tofa_node_inside* inside, unsigned* place_of);

#ifdef __cplusplus
}
#endif

#endif
