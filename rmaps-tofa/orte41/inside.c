// SPDX-License-Identifier: BSD-3-Clause
// Which of a node's bindings each of its ranks gets. The runtime binds in the order in which ranks
// were mapped; once that is done, ranks exchange their bindings so that those that talk share
// caches and packages. The set of bindings stays the one that the runtime chose, whatever it binds
// to and however many processors a rank has.
#include "adapter.h"

#include <stdlib.h>

#include "opal/mca/hwloc/base/base.h"
#include "orte/util/attr.h"

enum { kLevels = 5 };
static const hwloc_obj_type_t level_types[kLevels] = {
    HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_CORE};

// What binding a rank consists of.
typedef struct {
  char* cpus;         // owned
  hwloc_obj_t bound;  // may be NULL
} binding;

// The object of a type that all CPUs of a binding belong to, by number; a number of its own where
// there is none.
static unsigned group_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_bitmap_t cpus,
                         size_t which) {
  unsigned count = 0;
  hwloc_obj_t object = NULL;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL) {
    if (hwloc_bitmap_isincluded(cpus, object->cpuset)) return object->logical_index;
    ++count;
  }
  return count + (unsigned)which;
}

static bool describe(const orte_node_t* node, const binding* bindings, tofa_node_inside* inside) {
  unsigned* groups = calloc(inside->count * kLevels, sizeof *groups);
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  inside->groups = groups;
  inside->levels = kLevels;
  bool good = groups != NULL && cpus != NULL;
  for (size_t i = 0; good && i < inside->count; ++i) {
    good = hwloc_bitmap_list_sscanf(cpus, bindings[i].cpus) == 0;
    for (size_t level = 0; good && level < kLevels; ++level) {
      groups[level * inside->count + i] =
          group_of(node->topology->topo, level_types[level], cpus, i);
    }
  }
  hwloc_bitmap_free(cpus);
  return good;
}

static orte_proc_t* proc_at(opal_pointer_array_t* ranks, size_t i) {
  return (orte_proc_t*)opal_pointer_array_get_item(ranks, (int)i);
}

// False when a rank is not bound: then there is nothing to exchange.
static bool read_bindings(opal_pointer_array_t* ranks, binding* bindings, unsigned* numbers,
                          size_t count) {
  for (size_t i = 0; i < count; ++i) {
    orte_proc_t* proc = proc_at(ranks, i);
    numbers[i] = proc->name.vpid;
    orte_get_attribute(&proc->attributes, ORTE_PROC_CPU_BITMAP, (void**)&bindings[i].cpus,
                       OPAL_STRING);
    orte_get_attribute(&proc->attributes, ORTE_PROC_HWLOC_BOUND, (void**)&bindings[i].bound,
                       OPAL_PTR);
    if (bindings[i].cpus == NULL) return false;
  }
  return true;
}

static void write_bindings(opal_pointer_array_t* ranks, const binding* bindings,
                           const unsigned* place_of, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    orte_proc_t* proc = proc_at(ranks, i);
    const binding* mine = &bindings[place_of[i]];
    orte_set_attribute(&proc->attributes, ORTE_PROC_CPU_BITMAP, ORTE_ATTR_GLOBAL, mine->cpus,
                       OPAL_STRING);
    orte_set_attribute(&proc->attributes, ORTE_PROC_HWLOC_BOUND, ORTE_ATTR_LOCAL, mine->bound,
                       OPAL_PTR);
  }
}

void tofa_arrange_inside(orte_node_t* node, opal_pointer_array_t* ranks, const tofa_plan* plan) {
  size_t count = 0;
  while (proc_at(ranks, count) != NULL) ++count;
  if (count < 2) return;
  binding* bindings = calloc(count, sizeof *bindings);
  unsigned* numbers = calloc(count, sizeof *numbers);
  unsigned* place_of = calloc(count, sizeof *place_of);
  tofa_node_inside inside = {.ranks = numbers, .count = count};
  if (bindings != NULL && numbers != NULL && place_of != NULL &&
      read_bindings(ranks, bindings, numbers, count) && describe(node, bindings, &inside)) {
    tofa_arrange_node(plan, &inside, place_of);
    write_bindings(ranks, bindings, place_of, count);
  }
  for (size_t i = 0; bindings != NULL && i < count; ++i) free(bindings[i].cpus);
  free((unsigned*)inside.groups);
  free(place_of);
  free(numbers);
  free(bindings);
}
