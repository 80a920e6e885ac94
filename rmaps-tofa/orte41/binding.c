// SPDX-License-Identifier: BSD-3-Clause
// Computes the bindings of all ranks in mpirun. For a fully described job the daemons compute none,
// and mpirun only those of its own node; but the CPU list of a rank travels with it. The stock code
// does one node at a time here, because nodes share topology objects, in which it counts how many
// ranks each processor has.
#include "adapter.h"

#include "opal/mca/hwloc/base/base.h"
#include "orte/mca/rmaps/base/base.h"
#include "orte/mca/rmaps/base/rmaps_private.h"

// The ranks of one node alone: when a default binding does not fit, the stock code unbinds all it
// sees.
static opal_pointer_array_t* ranks_on(const orte_job_t* job, const orte_node_t* node) {
  opal_pointer_array_t* ranks = OBJ_NEW(opal_pointer_array_t);
  if (ranks == NULL) return NULL;
  for (int i = 0; i < node->procs->size; ++i) {
    orte_proc_t* proc = (orte_proc_t*)opal_pointer_array_get_item(node->procs, i);
    if (proc != NULL && proc->name.jobid == job->jobid) opal_pointer_array_add(ranks, proc);
  }
  return ranks;
}

static int bind_node(orte_job_t* job, orte_node_t* node) {
  opal_pointer_array_t* all_nodes = job->map->nodes;
  opal_pointer_array_t* all_ranks = job->procs;
  opal_pointer_array_t* this_node = OBJ_NEW(opal_pointer_array_t);
  opal_pointer_array_t* these_ranks = ranks_on(job, node);
  int rc = ORTE_ERR_OUT_OF_RESOURCE;
  if (this_node != NULL && these_ranks != NULL && opal_pointer_array_add(this_node, node) >= 0) {
    const bool no_vm = orte_no_vm;
    orte_no_vm = true;  // else nodes other than mpirun's are skipped
    job->map->nodes = this_node;
    job->procs = these_ranks;
    rc = orte_rmaps_base_compute_bindings(job);
    const tofa_plan* plan = tofa_placement_plan(job);
    // With `--bind-to cpu-list:ordered` the user has said which rank gets which processor.
    if (rc == ORTE_SUCCESS && plan != NULL && !OPAL_BIND_ORDERED_REQUESTED(job->map->binding))
      tofa_arrange_inside(node, these_ranks, plan);
    job->map->nodes = all_nodes;
    job->procs = all_ranks;
    orte_no_vm = no_vm;
  }
  if (this_node != NULL) OBJ_RELEASE(this_node);
  if (these_ranks != NULL) OBJ_RELEASE(these_ranks);
  return rc;
}

// The stock code counts ranks per processor in the topology objects and clears the counts before
// each node, but it does not reach NUMA nodes, which hwloc 2 keeps beside the tree.
static void clear_numa_counts(hwloc_topology_t topology) {
  hwloc_obj_t numa = NULL;
  while ((numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != NULL) {
    opal_hwloc_obj_data_t* data = (opal_hwloc_obj_data_t*)numa->userdata;
    if (data != NULL) data->num_bound = 0;
  }
}

int tofa_bind(orte_job_t* job) {
  // The runtime decides this only after mapping.
  if (ORTE_FLAG_TEST(job, ORTE_JOB_FLAG_OVERSUBSCRIBED) &&
      !OPAL_BINDING_POLICY_IS_SET(job->map->binding)) {
    OPAL_SET_DEFAULT_BINDING_POLICY(job->map->binding, OPAL_BIND_TO_NONE);
  }
  int rc = orte_rmaps_base_compute_local_ranks(job);
  const opal_binding_policy_t wanted = job->map->binding;
  for (int i = 0; rc == ORTE_SUCCESS && i < job->map->nodes->size; ++i) {
    orte_node_t* node = (orte_node_t*)opal_pointer_array_get_item(job->map->nodes, i);
    if (node == NULL || node->topology == NULL || node->topology->topo == NULL) continue;
    clear_numa_counts(node->topology->topo);
    rc = bind_node(job, node);
    job->map->binding = wanted;  // a default that did not fit this node may fit the next one
  }
  // The runtime computes bindings once more, for its own node or for all; of a map "by user" it
  // keeps its hands off.
  ORTE_SET_MAPPING_POLICY(job->map->mapping, ORTE_MAPPING_BYUSER);
  return rc;
}
