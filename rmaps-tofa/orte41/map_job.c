// SPDX-License-Identifier: BSD-3-Clause
// The mapper module: turns the placement that was decided into the runtime's map, rank by rank.
#include "adapter.h"

#include <stdio.h>

#include "orte/mca/errmgr/errmgr.h"
#include "orte/mca/rmaps/base/base.h"
#include "orte/mca/rmaps/base/rmaps_private.h"
#include "orte/util/attr.h"
#include "orte/util/show_help.h"

static const char mapper_name[] = "tofa";

static void add_to_map(orte_job_t* job, orte_node_t* node) {
  if (ORTE_FLAG_TEST(node, ORTE_NODE_FLAG_MAPPED)) return;
  ORTE_FLAG_SET(node, ORTE_NODE_FLAG_MAPPED);
  OBJ_RETAIN(node);
  opal_pointer_array_add(job->map->nodes, node);
  job->map->num_nodes++;
}

// Daemons may report other slots than the allocation said.
static int check_slots(orte_job_t* job, orte_node_t* node, const orte_app_context_t* app) {
  const bool beyond_max = node->slots_max > 0 && node->slots_inuse > node->slots_max;
  if (node->slots_inuse <= node->slots && !beyond_max) return ORTE_SUCCESS;
  if (beyond_max ||
      (ORTE_GET_MAPPING_DIRECTIVE(job->map->mapping) & ORTE_MAPPING_NO_OVERSUBSCRIBE)) {
    orte_show_help("help-orte-rmaps-base.txt", "orte-rmaps-base:alloc-error", true, node->num_procs,
                   app->app, orte_process_info.nodename);
    ORTE_UPDATE_EXIT_STATUS(ORTE_ERROR_DEFAULT_EXIT_CODE);
    return ORTE_ERR_SILENT;
  }
  ORTE_FLAG_SET(node, ORTE_NODE_FLAG_OVERSUBSCRIBED);
  ORTE_FLAG_SET(job, ORTE_JOB_FLAG_OVERSUBSCRIBED);
  return ORTE_SUCCESS;
}

static int map_rank(orte_job_t* job, orte_app_context_t* app, orte_node_t* node, orte_vpid_t rank) {
  add_to_map(job, node);
  orte_proc_t* proc = orte_rmaps_base_setup_proc(job, node, app->idx);
  if (proc == NULL) return ORTE_ERR_OUT_OF_RESOURCE;
  proc->name.vpid = rank;
  if (node->topology != NULL && node->topology->topo != NULL) {
    orte_set_attribute(&proc->attributes, ORTE_PROC_HWLOC_LOCALE, ORTE_ATTR_LOCAL,
                       hwloc_get_root_obj(node->topology->topo), OPAL_PTR);
  }
  const int rc = opal_pointer_array_set_item(job->procs, (int)rank, proc);
  if (rc != ORTE_SUCCESS) return rc;
  OBJ_RETAIN(proc);
  job->bookmark = node;
  return check_slots(job, node, app);
}

// Which node a rank gets is what the placement is about, so a ranking policy has nothing left to
// decide.
static void settle_ranking(orte_job_t* job) {
  if ((ORTE_GET_RANKING_DIRECTIVE(job->map->ranking) & ORTE_RANKING_GIVEN) &&
      ORTE_GET_RANKING_POLICY(job->map->ranking) != ORTE_RANK_BY_SLOT) {
    fprintf(stderr,
            "tofa: note: --rank-by does not apply: the placement decides which rank runs on which "
            "node\n");
  }
  ORTE_SET_RANKING_POLICY(job->map->ranking, ORTE_RANK_BY_SLOT);
}

static int map_apps(orte_job_t* job, orte_node_t* const* node_of_rank, size_t ranks) {
  orte_vpid_t rank = 0;
  for (int i = 0; i < job->apps->size; ++i) {
    orte_app_context_t* app = (orte_app_context_t*)opal_pointer_array_get_item(job->apps, i);
    if (app == NULL) continue;
    for (orte_std_cntr_t n = 0; n < app->num_procs; ++n, ++rank) {
      if (rank >= ranks) return ORTE_ERR_BAD_PARAM;
      const int rc = map_rank(job, app, node_of_rank[rank], rank);
      if (rc != ORTE_SUCCESS) return rc;
    }
  }
  job->num_procs = rank;
  return ORTE_SUCCESS;
}

static int map_job(orte_job_t* job) {
  size_t ranks = 0;
  int rc = tofa_placement_make_up(job);
  if (rc != ORTE_SUCCESS) return rc;
  orte_node_t* const* node_of_rank = tofa_placement_of(job, &ranks);
  if (node_of_rank == NULL) return ORTE_ERR_TAKE_NEXT_OPTION;

  free(job->map->last_mapper);
  job->map->last_mapper = strdup(mapper_name);
  for (int i = 0; i < orte_node_pool->size; ++i) {
    orte_node_t* node = (orte_node_t*)opal_pointer_array_get_item(orte_node_pool, i);
    if (node != NULL) ORTE_FLAG_UNSET(node, ORTE_NODE_FLAG_MAPPED);
  }
  settle_ranking(job);
  rc = map_apps(job, node_of_rank, ranks);
  if (rc == ORTE_SUCCESS) {
    // Daemons would otherwise compute ranks by themselves, by slot.
    orte_set_attribute(&job->attributes, ORTE_JOB_FULLY_DESCRIBED, ORTE_ATTR_GLOBAL, NULL,
                       OPAL_BOOL);
    rc = tofa_bind(job);
  }
  tofa_placement_forget(job->jobid);
  return rc;
}

static int assign_locations(orte_job_t* job) {
  const char* mapper = job->map->last_mapper;
  return mapper != NULL && strcmp(mapper, mapper_name) == 0 ? ORTE_SUCCESS
                                                            : ORTE_ERR_TAKE_NEXT_OPTION;
}

orte_rmaps_base_module_t tofa_rmaps_module = {.map_job = map_job,
                                              .assign_locations = assign_locations};
