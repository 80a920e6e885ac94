// SPDX-License-Identifier: BSD-3-Clause
// See declared.h.
#include "declared.h"

#include "../../ompi-mca/topo_component.h"

static struct partner_table* told;

static void add_edge(uint32_t rank, uint64_t weight) {
  struct partner* partner =
      told != NULL ? partner_table_find_in(told, PARTNERS_DECLARED, rank) : NULL;
  if (partner != NULL) partner_count(partner, TRAFFIC_USER, weight);
}

void declared_unwatch(void) {
  struct tofa_topo_component* component = told != NULL ? topo_find_component() : NULL;
  if (component != NULL) component->declared = NULL;
  told = NULL;
}

void declared_watch(struct partner_table* table) {
  struct tofa_topo_component* component = topo_find_component();
  if (component == NULL || table == NULL) return;
  told = table;
  component->declared = add_edge;
}
