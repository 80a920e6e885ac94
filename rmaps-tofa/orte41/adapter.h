// SPDX-License-Identifier: BSD-3-Clause
// The adapter to ORTE, the runtime inside Open MPI 4.1: what its files share. See
// rmaps-tofa/README.md for the hooks and why each one exists.
#ifndef TOFA_ORTE41_ADAPTER_H
#define TOFA_ORTE41_ADAPTER_H

#include "orte_config.h"

#include <stdbool.h>

#include "orte/constants.h"
#include "orte/mca/rmaps/rmaps.h"
#include "orte/runtime/orte_globals.h"
#include "request.h"

extern orte_rmaps_base_component_t mca_rmaps_tofa_component;

// What the user asked of tofa, from wherever it came.
typedef struct {
  bool active;             // tofa is asked for
  bool in_job_policy;      // the policy on the command line of the last application was ours
  bool selected_alone;     // `--mca rmaps tofa`: no other mapper is loaded
  char* stock_policy;      // what the runtime is told instead: slot, with the stock modifiers
  char* error;             // the request is wrong; reported when the component is opened
  tofa_settings settings;  // from --map-by
} tofa_orte_request;
extern tofa_orte_request tofa_request;

// policy.c: takes the request out of the runtime's mapping policy, and hides it from daemons and
// applications.
void tofa_policy_take_parameter(void);
bool tofa_policy_take(char** policy);
void tofa_policy_hide(char*** environment);
void tofa_policy_hide_from_daemons(void);

// profiling.c: says, once, when the ranks of an application context will not be profiled although
// its environment asks for it.
void tofa_profiling_check(char** environment);

// schizo_hook.c: sees the parsed command line before the runtime does.
int tofa_schizo_install(void);
void tofa_schizo_remove(void);

// parameters.c: the settings as MCA parameters.
int tofa_parameters_register(void);
// Adds those that were set to `settings`, where --map-by did not set them. Returns an error message
// or NULL.
char* tofa_parameters_collect(tofa_settings* settings);

// allocation.c: the job and its allocation as the planner wants them.
typedef struct {
  tofa_job job;
  tofa_node* nodes;
  orte_node_t** objects;  // the runtime's object of each node; held
  tofa_app* apps;
  unsigned** app_nodes;
  bool complete;  // false: the runtime has to refuse this job itself, or it is too early
  bool early;     // what slots a node has is only known when its daemon has reported
} tofa_allocation;
int tofa_allocation_describe(orte_job_t* job, bool daemons_run, tofa_allocation* allocation);
void tofa_allocation_release(tofa_allocation* allocation);

// placement.c: decides before the daemons start, and remembers until the job is mapped.
int tofa_placement_install(void);
// Decides now, when the daemons run, if it was too early before.
int tofa_placement_make_up(orte_job_t* job);
// The node of each rank of this job; NULL when it is not ours.
orte_node_t* const* tofa_placement_of(const orte_job_t* job, size_t* ranks);
// The plan it comes from; NULL when the job is not ours.
const tofa_plan* tofa_placement_plan(const orte_job_t* job);
void tofa_placement_forget(orte_jobid_t jobid);

// map_job.c: the mapper module.
extern orte_rmaps_base_module_t tofa_rmaps_module;

// binding.c: computes the bindings of all ranks here.
int tofa_bind(orte_job_t* job);

// inside.c: lets the ranks of a node, which have been bound, exchange their bindings so that
// partners are close.
void tofa_arrange_inside(orte_node_t* node, opal_pointer_array_t* ranks, const tofa_plan* plan);

#endif
