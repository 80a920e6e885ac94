// SPDX-License-Identifier: BSD-3-Clause
// The table of settings; see keys.h.
#include "keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const tofa_key tofa_keys[] = {
    {"graph", NULL,
     "Who talks to whom: the stem or file that a profiled run left (pml_monitoring_enable). "
     "Without it, ranks are "
     "taken to talk to their neighbours in rank order",
     1, false},
    {"topology", NULL,
     "Topology file of the network. Default: TOFA_TOPOLOGY, then /etc/tofa/tofa.toml; without any, "
     "all nodes are "
     "equally far from each other",
     1, false},
    {"outages", NULL,
     "File of node outage probabilities, lines 'host probability' or JSON. Default: TOFA_OUTAGES, "
     "then "
     "/etc/tofa/tofa.toml; an empty value means none",
     2, false},
    {"health", NULL,
     "Address of the node-health service, e.g. tofa-health.0;tcp4://127.0.0.1:7412. Default: "
     "TOFA_HEALTH, then "
     "/etc/tofa/tofa.toml; an empty value means none",
     2, false},
    {"horizon", NULL,
     "How long the job may run (90, 1h30m, 2-00:00:00): nodes count as suspect for how likely they "
     "fail within that time, where their rate of outages is known. Default: what is left of the "
     "time limit of the Slurm job; 0 means now",
     3, false},
    {"gres", NULL,
     "Ranks that need a unit of a resource that the topology file gives to nodes: fpga:0-3+8 names "
     "them, fpga=4 is any four; semicolons separate several",
     2, false},
    {"objective", "completion-time",
     "What to minimise: completion-time, hop-bytes, congestion or fault-weighted", 2, false},
    {"mapper", "auto", "Mapping algorithm, or auto: the best of all of them, refined", 3, false},
    {"time_limit", "2", "Most seconds the search for a placement may take", 3, false},
    {"seed", "1", "Seed of the search: the same input and seed give the same placement", 5, false},
    {"strict", "0",
     "Refuse to start the job, instead of warning, when it cannot be placed with everything that "
     "was asked for",
     2, true},
    {"report", "0",
     "Print to stderr what was read and assumed, the cost of the placement beside the default's, "
     "and which nodes "
     "were avoided",
     1, true},
    {"spawn", "0",
     "The job is going to spawn others: also start daemons on healthy nodes that hold no rank, to "
     "have room for them",
     4, true},
    {"query_program", NULL,
     "Program that asks the health service. Default: tofa-query beside the component's "
     "installation, then in PATH",
     6, false},
};
const size_t tofa_key_count = sizeof tofa_keys / sizeof tofa_keys[0];

const tofa_key* tofa_find_key(const char* name, size_t length) {
  for (size_t i = 0; i < tofa_key_count; ++i)
    if (strlen(tofa_keys[i].name) == length && strncasecmp(tofa_keys[i].name, name, length) == 0)
      return &tofa_keys[i];
  return NULL;
}

char* tofa_list_keys(void) {
  size_t size = 1;
  for (size_t i = 0; i < tofa_key_count; ++i) size += strlen(tofa_keys[i].name) + 2;
  char* list = calloc(1, size);
  if (list == NULL) return NULL;
  for (size_t i = 0; i < tofa_key_count; ++i) {
    if (i > 0) strcat(list, ", ");
    strcat(list, tofa_keys[i].name);
  }
  return list;
}
