// SPDX-License-Identifier: BSD-3-Clause
// Decides the placement as soon as the allocation is known, before the runtime starts its daemons,
// so that nodes without ranks get none: they are marked as not included. The runtime has no hook
// between the two, so the state machine's callback is wrapped. Where a hostfile does not say how
// many slots nodes have, their daemons do: all of them are started, as without us, and it is
// decided when the job is mapped.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>

#include "adapter.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>

#include "orte/mca/rmaps/base/base.h"
#include "orte/mca/state/state.h"
#include "orte/orted/orted_submit.h"
#include "orte/util/attr.h"

typedef struct placement {
  struct placement* next;
  orte_jobid_t jobid;
  tofa_plan* plan;
  size_t ranks;
  orte_node_t** node_of_rank;  // held
} placement;
static placement* placements;

// The job that is placed when its daemons run, of those that mpirun starts itself there is one, and
// by index those of its application contexts for which nobody has said how many ranks they have.
static orte_jobid_t early_job = ORTE_JOBID_INVALID;
static bool* uncounted;

static orte_state_cbfunc_t next_callback;

static const placement* find(const orte_job_t* job) {
  const placement* p = placements;
  while (p != NULL && p->jobid != job->jobid) p = p->next;
  return p;
}

orte_node_t* const* tofa_placement_of(const orte_job_t* job, size_t* ranks) {
  const placement* p = find(job);
  if (p == NULL) return NULL;
  *ranks = p->ranks;
  return p->node_of_rank;
}

const tofa_plan* tofa_placement_plan(const orte_job_t* job) {
  const placement* p = find(job);
  return p != NULL ? p->plan : NULL;
}

void tofa_placement_forget(orte_jobid_t jobid) {
  for (placement** link = &placements; *link != NULL; link = &(*link)->next) {
    placement* p = *link;
    if (p->jobid != jobid) continue;
    *link = p->next;
    for (size_t rank = 0; rank < p->ranks; ++rank) OBJ_RELEASE(p->node_of_rank[rank]);
    free(p->node_of_rank);
    tofa_free_plan(p->plan);
    free(p);
    return;
  }
}

// Keeps the plan, if it succeeds.
static int remember(orte_jobid_t jobid, const tofa_allocation* allocation, tofa_plan* plan) {
  placement* p = calloc(1, sizeof *p);
  orte_node_t** nodes = calloc(plan->ranks, sizeof *nodes);
  if (p == NULL || nodes == NULL) {
    free(p);
    free(nodes);
    return ORTE_ERR_OUT_OF_RESOURCE;
  }
  for (size_t rank = 0; rank < plan->ranks; ++rank) {
    nodes[rank] = allocation->objects[plan->node_of_rank[rank]];
    OBJ_RETAIN(nodes[rank]);
  }
  *p = (placement){.next = placements,
                   .jobid = jobid,
                   .plan = plan,
                   .ranks = plan->ranks,
                   .node_of_rank = nodes};
  placements = p;
  return ORTE_SUCCESS;
}

static bool nodes_excluded;

// mpirun's own node always has its daemon: mpirun itself.
static void exclude_nodes(const tofa_allocation* allocation, const tofa_plan* plan) {
  for (size_t i = 0; i < allocation->job.node_count; ++i) {
    if (!plan->excluded[i] || allocation->objects[i]->index == 0) continue;
    allocation->objects[i]->state = ORTE_NODE_STATE_NOT_INCLUDED;
    nodes_excluded = true;
  }
}

static bool spawned(const orte_job_t* job) {
  return job->originator.jobid != ORTE_JOBID_INVALID;
}

// Options that decide the node of a rank in another way.
static bool another_rule(void) {
  return orte_cmd_options.pernode || orte_cmd_options.npernode > 0 ||
         orte_cmd_options.npersocket > 0 || orte_rmaps_base_pernode ||
         orte_rmaps_base_n_pernode > 0 || orte_rmaps_base.ppr != NULL;
}

// Spawned jobs are mapped by the stock mappers, unless there is none. Another rule on the command
// line wins over tofa as a default, from a parameter.
static bool is_ours(const orte_job_t* job) {
  if (!tofa_request.active || job->map == NULL) return false;
  if (ORTE_FLAG_TEST(job, ORTE_JOB_FLAG_DEBUGGER_DAEMON) ||
      ORTE_FLAG_TEST(job, ORTE_JOB_FLAG_RESTART))
    return false;
  if (spawned(job)) return tofa_request.selected_alone;
  if (another_rule() && !tofa_request.in_job_policy && !tofa_request.selected_alone) return false;
  return tofa_request.in_job_policy || !ORTE_MAPPING_POLICY_IS_SET(job->map->mapping) ||
         ORTE_GET_MAPPING_POLICY(job->map->mapping) == ORTE_MAPPING_PPR;
}

// Two rules for the node of a rank cannot both be honoured.
static const char* conflict(const orte_job_t* job) {
  if (spawned(job) || !another_rule()) return NULL;
  return "--npernode, --npersocket and ppr cannot be combined with --map-by tofa; limit the slots "
         "of each node in the hostfile instead";
}

// An own directory lets the planner find tofa-query beside it.
static char* component_directory(void) {
  Dl_info info;
  if (dladdr((const void*)&component_directory, &info) == 0 || info.dli_fname == NULL) return NULL;
  char* path = strdup(info.dli_fname);
  if (path == NULL) return NULL;
  char* directory = strdup(dirname(path));
  free(path);
  return directory;
}

// The settings of --map-by and the parameters together. A graph describes the job that mpirun
// starts, not one that this job spawns.
static char* settings_for(const orte_job_t* job, tofa_settings* settings) {
  for (size_t i = 0; i < tofa_request.settings.count; ++i) {
    const tofa_setting* item = &tofa_request.settings.items[i];
    if (!tofa_settings_set(settings, item->key, item->value)) return strdup("out of memory");
  }
  char* error = tofa_parameters_collect(settings);
  if (error == NULL && spawned(job) && tofa_settings_get(settings, "graph") != NULL &&
      !tofa_settings_set(settings, "graph", ""))
    error = strdup("out of memory");
  return error;
}

static void print_plan(const tofa_plan* plan) {
  for (size_t i = 0; i < plan->warning_count; ++i)
    fprintf(stderr, "tofa: warning: %s\n", plan->warnings[i]);
  if (plan->report != NULL) fputs(plan->report, stderr);
}

static int place(orte_job_t* job, bool daemons_run, tofa_allocation* allocation) {
  tofa_settings settings = {NULL, 0};
  char* error = settings_for(job, &settings);
  char* directory = component_directory();
  tofa_plan* plan = NULL;
  int rc = ORTE_ERR_SILENT;
  if (error == NULL) {
    allocation->job.settings = settings.items;
    allocation->job.setting_count = settings.count;
    allocation->job.component_dir = directory;
    plan = tofa_make_plan(&allocation->job);
  }
  if (plan != NULL) print_plan(plan);
  const char* reason = error ? error : plan == NULL ? "out of memory" : plan->error;
  if (reason != NULL) {
    fprintf(stderr, "tofa: error: %s\n", reason);
  } else {
    rc = remember(job->jobid, allocation, plan);
    if (rc == ORTE_SUCCESS && !daemons_run) exclude_nodes(allocation, plan);
  }
  if (plan != NULL && rc != ORTE_SUCCESS) tofa_free_plan(plan);
  tofa_settings_clear(&settings);
  free(directory);
  free(error);
  return rc;
}

static int put_off(const orte_job_t* job) {
  free(uncounted);
  uncounted = calloc((size_t)job->apps->size, sizeof *uncounted);
  if (uncounted == NULL) return ORTE_ERR_OUT_OF_RESOURCE;
  for (int i = 0; i < job->apps->size; ++i) {
    const orte_app_context_t* app =
        (const orte_app_context_t*)opal_pointer_array_get_item(job->apps, i);
    uncounted[i] = app != NULL && app->num_procs == 0;
  }
  early_job = job->jobid;
  return ORTE_SUCCESS;
}

static int place_on_allocation(orte_job_t* job, bool daemons_run) {
  tofa_allocation allocation;
  int rc = tofa_allocation_describe(job, daemons_run, &allocation);
  if (rc != ORTE_SUCCESS) return rc;
  if (allocation.early) {
    rc = put_off(job);
  } else if (allocation.complete) {
    rc = place(job, daemons_run, &allocation);
  }
  tofa_allocation_release(&allocation);
  return rc;
}

// The runtime has counted ranks by now, by rules that know nothing of PE or --nolocal.
int tofa_placement_make_up(orte_job_t* job) {
  if (job->jobid != early_job) return ORTE_SUCCESS;
  early_job = ORTE_JOBID_INVALID;
  for (int i = 0; i < job->apps->size; ++i) {
    orte_app_context_t* app = (orte_app_context_t*)opal_pointer_array_get_item(job->apps, i);
    if (app != NULL && uncounted[i]) app->num_procs = 0;
  }
  free(uncounted);
  uncounted = NULL;
  return place_on_allocation(job, true);
}

static int place_job(orte_job_t* job) {
  const char* wrong = conflict(job);
  if (wrong != NULL) {
    fprintf(stderr, "tofa: error: %s\n", wrong);
    return ORTE_ERR_SILENT;
  }
  const int rc = place_on_allocation(job, spawned(job));
  if (rc == ORTE_SUCCESS && !ORTE_MAPPING_POLICY_IS_SET(job->map->mapping)) {
    ORTE_SET_MAPPING_POLICY(job->map->mapping, ORTE_MAPPING_BYSLOT);
    ORTE_SET_MAPPING_DIRECTIVE(job->map->mapping, ORTE_MAPPING_GIVEN);
  }
  return rc;
}

// This runtime cannot start daemons later: a job that grows its set of nodes crashes the daemons it
// has.
static void explain_lack_of_slots(const orte_job_t* job) {
  long free_slots = 0;
  for (int i = 0; i < orte_node_pool->size; ++i) {
    const orte_node_t* node = (const orte_node_t*)opal_pointer_array_get_item(orte_node_pool, i);
    if (node == NULL || node->daemon == NULL || (i == 0 && !orte_hnp_is_allocated)) continue;
    if (node->slots > node->slots_inuse) free_slots += node->slots - node->slots_inuse;
  }
  long needed = 0;
  for (int i = 0; i < job->apps->size; ++i) {
    const orte_app_context_t* app =
        (const orte_app_context_t*)opal_pointer_array_get_item(job->apps, i);
    if (app != NULL) needed += app->num_procs;
  }
  if (needed > free_slots) {
    fprintf(stderr,
            "tofa: note: the job spawns %ld more ranks, but the nodes it runs on have %ld free "
            "slots, and nodes "
            "without ranks were left out; --map-by tofa:spawn keeps them\n",
            needed, free_slots);
  }
}

static void allocation_complete(int fd, short args, void* data) {
  orte_state_caddy_t* caddy = (orte_state_caddy_t*)data;
  orte_job_t* job = caddy->jdata;
  if (job != NULL && spawned(job) && nodes_excluded) explain_lack_of_slots(job);
  if (job != NULL && is_ours(job) && place_job(job) != ORTE_SUCCESS) {
    ORTE_UPDATE_EXIT_STATUS(ORTE_ERROR_DEFAULT_EXIT_CODE);
    ORTE_ACTIVATE_JOB_STATE(job, ORTE_JOB_STATE_MAP_FAILED);
    OBJ_RELEASE(caddy);
    return;
  }
  next_callback(fd, args, data);
}

int tofa_placement_install(void) {
  orte_state_t* state;
  OPAL_LIST_FOREACH(state, &orte_job_states, orte_state_t) {
    if (state->job_state != ORTE_JOB_STATE_ALLOCATION_COMPLETE) continue;
    next_callback = state->cbfunc;
    state->cbfunc = allocation_complete;
    return ORTE_SUCCESS;
  }
  return ORTE_ERR_NOT_FOUND;
}
