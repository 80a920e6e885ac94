// SPDX-License-Identifier: BSD-3-Clause
// Describes a job and its allocation to the planner: which nodes each application context may use,
// in the order the stock by-slot mapping would fill them, and how many ranks each node takes.
#include "adapter.h"

#include <stdlib.h>

#include "orte/mca/rmaps/base/base.h"
#include "orte/mca/rmaps/base/rmaps_private.h"
#include "orte/util/attr.h"

// The stock filter (usable nodes, hostfile, -host, --nolocal, ...) skips nodes without a daemon: as
// long as none has been started, claim for the moment that there is no virtual machine.
static int target_nodes(orte_job_t* job, orte_app_context_t* app, bool daemons_run,
                        opal_list_t* nodes) {
  orte_job_t* daemons = orte_get_job_data_object(ORTE_PROC_MY_NAME->jobid);
  if (daemons == NULL) return ORTE_ERR_NOT_FOUND;
  const bool first = job->originator.jobid == ORTE_JOBID_INVALID && !daemons_run;
  const bool had_no_vm = orte_get_attribute(&daemons->attributes, ORTE_JOB_NO_VM, NULL, OPAL_BOOL);
  if (first && !had_no_vm)
    orte_set_attribute(&daemons->attributes, ORTE_JOB_NO_VM, ORTE_ATTR_LOCAL, NULL, OPAL_BOOL);
  // Full nodes stay in the list here; the planner sees that they have no slots.
  orte_mapping_policy_t policy = job->map->mapping;
  policy |= orte_rmaps_base.mapping & ORTE_MAPPING_NO_USE_LOCAL;
  ORTE_UNSET_MAPPING_DIRECTIVE(policy, ORTE_MAPPING_NO_OVERSUBSCRIBE);
  orte_std_cntr_t slots = 0;
  const int rc = orte_rmaps_base_get_target_nodes(nodes, &slots, app, policy, true, true);
  if (first && !had_no_vm) orte_remove_attribute(&daemons->attributes, ORTE_JOB_NO_VM);
  return rc;
}

static bool slots_unknown(const orte_node_t* node) {
  return !orte_managed_allocation && !ORTE_FLAG_TEST(node, ORTE_NODE_FLAG_SLOTS_GIVEN);
}

// Whether the slots of nodes are set by what their daemons report.
static bool slots_are_told(void) {
  return orte_set_slots != NULL && strncmp(orte_set_slots, "none", strlen(orte_set_slots)) != 0;
}

static unsigned at_least_zero(int value) {
  return value > 0 ? (unsigned)value : 0;
}

// Index of a node in the allocation, added when it is new.
static unsigned index_of(tofa_allocation* allocation, orte_node_t* node) {
  tofa_job* job = &allocation->job;
  for (unsigned i = 0; i < job->node_count; ++i)
    if (allocation->objects[i] == node) return i;
  OBJ_RETAIN(node);
  allocation->objects[job->node_count] = node;
  allocation->nodes[job->node_count] = (tofa_node){
      .name = node->name,
      .slots = at_least_zero(node->slots - node->slots_inuse),
      .slots_max = node->slots_max > 0 ? at_least_zero(node->slots_max - node->slots_inuse) : 0,
  };
  return (unsigned)job->node_count++;
}

// Without -n there is a rank for every slot. A -host or hostfile without slot counts is an error of
// its own then, which the runtime reports.
static bool count_ranks(const tofa_allocation* allocation, orte_app_context_t* app,
                        tofa_app* described) {
  if (app->num_procs > 0) {
    described->ranks = (unsigned)app->num_procs;
    return true;
  }
  const bool named = orte_get_attribute(&app->attributes, ORTE_APP_DASH_HOST, NULL, OPAL_STRING) ||
                     orte_get_attribute(&app->attributes, ORTE_APP_HOSTFILE, NULL, OPAL_STRING);
  const unsigned per_rank = allocation->job.cpus_per_rank > 1 ? allocation->job.cpus_per_rank : 1;
  for (size_t i = 0; i < described->node_count; ++i) {
    const unsigned node = described->nodes[i];
    const orte_node_t* object = allocation->objects[node];
    if (named && slots_unknown(object) && !slots_are_told()) return false;
    const unsigned slots = allocation->nodes[node].slots;
    described->ranks += slots / per_rank > 0 ? slots / per_rank : slots > 0;
  }
  app->num_procs = (orte_std_cntr_t)described->ranks;
  return described->ranks > 0;
}

// False when the runtime has to refuse the application itself, when it is too early to say how many
// ranks nodes take, or memory runs out.
static bool describe_app(tofa_allocation* allocation, orte_job_t* job, orte_app_context_t* app,
                         bool daemons_run) {
  opal_list_t nodes;
  orte_node_t* node;
  OBJ_CONSTRUCT(&nodes, opal_list_t);
  const size_t which = allocation->job.app_count;
  tofa_app* described = &allocation->apps[which];
  bool good = target_nodes(job, app, daemons_run, &nodes) == ORTE_SUCCESS;
  if (good) {
    allocation->app_nodes[which] = calloc(opal_list_get_size(&nodes), sizeof(unsigned));
    good = allocation->app_nodes[which] != NULL;
  }
  if (good) {
    OPAL_LIST_FOREACH(node, &nodes, orte_node_t) {
      allocation->app_nodes[which][described->node_count++] = index_of(allocation, node);
      allocation->early |= !daemons_run && slots_unknown(node) && slots_are_told();
    }
    described->nodes = allocation->app_nodes[which];
    allocation->job.app_count++;
    good = !allocation->early && count_ranks(allocation, app, described);
  }
  OPAL_LIST_DESTRUCT(&nodes);
  return good;
}

// The runtime settles this when it maps the job; the same rules, in the same order.
static bool may_oversubscribe(const orte_job_t* job) {
  const orte_mapping_policy_t own = ORTE_GET_MAPPING_DIRECTIVE(job->map->mapping);
  const orte_mapping_policy_t base = ORTE_GET_MAPPING_DIRECTIVE(orte_rmaps_base.mapping);
  if (own & ORTE_MAPPING_SUBSCRIBE_GIVEN) return !(own & ORTE_MAPPING_NO_OVERSUBSCRIBE);
  return (base & ORTE_MAPPING_SUBSCRIBE_GIVEN) && !(base & ORTE_MAPPING_NO_OVERSUBSCRIBE);
}

static unsigned cpus_per_rank(const orte_job_t* job) {
  if (job->map->cpus_per_rank > 0) return (unsigned)job->map->cpus_per_rank;
  return at_least_zero(orte_rmaps_base.cpus_per_rank);
}

int tofa_allocation_describe(orte_job_t* job, bool daemons_run, tofa_allocation* allocation) {
  *allocation = (tofa_allocation){0};
  const size_t pool = (size_t)orte_node_pool->size;
  const size_t apps = (size_t)job->apps->size;
  allocation->nodes = calloc(pool, sizeof *allocation->nodes);
  allocation->objects = calloc(pool, sizeof *allocation->objects);
  allocation->apps = calloc(apps, sizeof *allocation->apps);
  allocation->app_nodes = calloc(apps, sizeof *allocation->app_nodes);
  if (!allocation->nodes || !allocation->objects || !allocation->apps || !allocation->app_nodes) {
    tofa_allocation_release(allocation);
    return ORTE_ERR_OUT_OF_RESOURCE;
  }
  allocation->job.nodes = allocation->nodes;
  allocation->job.apps = allocation->apps;
  allocation->job.cpus_per_rank = cpus_per_rank(job);
  allocation->job.oversubscribe = may_oversubscribe(job);
  allocation->complete = true;
  for (int i = 0; i < job->apps->size && allocation->complete; ++i) {
    orte_app_context_t* app = (orte_app_context_t*)opal_pointer_array_get_item(job->apps, i);
    if (app != NULL) allocation->complete = describe_app(allocation, job, app, daemons_run);
  }
  return ORTE_SUCCESS;
}

void tofa_allocation_release(tofa_allocation* allocation) {
  for (size_t i = 0; i < allocation->job.node_count; ++i) OBJ_RELEASE(allocation->objects[i]);
  for (size_t i = 0; allocation->app_nodes != NULL && i < allocation->job.app_count; ++i)
    free(allocation->app_nodes[i]);
  free(allocation->nodes);
  free(allocation->objects);
  free(allocation->apps);
  free(allocation->app_nodes);
  *allocation = (tofa_allocation){0};
}
