// SPDX-License-Identifier: BSD-3-Clause
// The topo component `tofa`, as Open MPI sees it. Open MPI asks it first for each topology; what it
// does not do itself it leaves to the component that Open MPI would have asked without it.
#include <limits.h>
#include <ompi/constants.h>
#include <stdlib.h>
#include <string.h>

#include "../../topo_component.h"
#include "peers.h"
#include "topo_tofa.h"

struct topo_parameters topo_parameters;

static int register_parameters(void);
static int init_query(bool progress_threads, bool mpi_threads);
static mca_topo_base_module_t* comm_query(const ompi_communicator_t* comm, int* priority,
                                          uint32_t type);
static bool announced(void);

static int close_component(void) {
  free(topo_parameters.launchers_topology);
  topo_parameters.launchers_topology = NULL;
  peers_forget();
  return OMPI_SUCCESS;
}

// Open MPI looks the component up by this name.
__attribute__((visibility("default"))) struct tofa_topo_component mca_topo_tofa_component = {
    .component =
        {
            .topoc_version = {MCA_TOPO_BASE_VERSION_2_2_0, .mca_component_name = "tofa",
                              .mca_component_major_version = OMPI_MAJOR_VERSION,
                              .mca_component_minor_version = OMPI_MINOR_VERSION,
                              .mca_component_release_version = OMPI_RELEASE_VERSION,
                              .mca_register_component_params = register_parameters,
                              .mca_close_component = close_component},
            .topoc_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
            .topoc_init_query = init_query,
            .topoc_comm_query = comm_query,
        },
    .protocol = TOFA_TOPO_PROTOCOL,
    .announced = announced,
};

static int register_parameter(const char* name, const char* help, mca_base_var_type_t type,
                              mca_base_var_info_lvl_t level, void* storage) {
  int index = mca_base_component_var_register(&mca_topo_tofa_component.component.topoc_version,
                                              name, help, type, NULL, 0, 0, level,
                                              MCA_BASE_VAR_SCOPE_READONLY, storage);
  return index < 0 ? index : OMPI_SUCCESS;
}

static int register_parameters(void) {
  enum { ASK_S = 2, WAIT_S = 10, MAX_EDGES = 1 << 23 };
  topo_parameters = (struct topo_parameters){
      .reorder = true, .ask = ASK_S, .wait = WAIT_S, .max_edges = MAX_EDGES};
  const struct {
    const char *name, *help;
    mca_base_var_type_t type;
    mca_base_var_info_lvl_t level;
    void* storage;
  } parameters[] = {
      {"topology",
       "Topology file of the network (default: rmaps_tofa_topology, TOFA_TOPOLOGY, the site file; "
       "without one, all nodes are taken to be equally far from each other)",
       MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_1, &topo_parameters.topology},
      {"verbose",
       "1: one line to stderr for each topology that is created with reorder = 1: what was done, "
       "and why",
       MCA_BASE_VAR_TYPE_BOOL, OPAL_INFO_LVL_1, &topo_parameters.verbose},
      {"reorder", "0: leave ranks as they are, whatever programs ask for", MCA_BASE_VAR_TYPE_BOOL,
       OPAL_INFO_LVL_2, &topo_parameters.reorder},
      {"effort", "How much is searched: fast, normal (default) or thorough",
       MCA_BASE_VAR_TYPE_STRING, OPAL_INFO_LVL_3, &topo_parameters.effort},
      {"time_limit", "Most seconds that the search may take (default: 5)", MCA_BASE_VAR_TYPE_STRING,
       OPAL_INFO_LVL_3, &topo_parameters.time_limit},
      {"max_edges",
       "Graphs with more edges are not reordered: rank 0 of the communicator gathers 12 bytes for "
       "each, and needs about 100 (default: 8388608)",
       MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_4, &topo_parameters.max_edges},
      {"ask",
       "Seconds that PMIx has, once, to tell which processes have this component, where MPI_Init "
       "did not exchange it (default: 2)",
       MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_5, &topo_parameters.ask},
      {"wait",
       "Seconds that rank 0 of the communicator waits for the others to make the same call before "
       "it leaves ranks as they are (default: 10)",
       MCA_BASE_VAR_TYPE_INT, OPAL_INFO_LVL_5, &topo_parameters.wait},
  };
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i) {
    int rc = register_parameter(parameters[i].name, parameters[i].help, parameters[i].type,
                                parameters[i].level, parameters[i].storage);
    if (rc != OMPI_SUCCESS) return rc;
  }
  return OMPI_SUCCESS;
}

// One for all communicators and kinds each, since none of them keeps it (create.c), and since a
// process that lacked the memory for one would not answer others. They are never freed: the first
// reference is theirs.
static mca_topo_base_module_t modules[3];

static mca_topo_base_module_t* module_of(uint32_t type) {
  if (type == OMPI_COMM_CART) return &modules[0];
  return type == OMPI_COMM_GRAPH ? &modules[1] : &modules[2];
}

// mpirun's parameter is none of this process, but it may be in files of parameters, which Open MPI
// reads. It is not left registered: Open MPI would still write to it when this library is gone.
static char* launchers_topology(void) {
  static char* value;
  value = NULL;
  int index =
      mca_base_var_register("orte", "rmaps", "tofa", "topology", NULL, MCA_BASE_VAR_TYPE_STRING,
                            NULL, 0, 0, OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY, &value);
  char* topology = index >= 0 && value != NULL ? strdup(value) : NULL;
  if (index >= 0) (void)mca_base_var_deregister(index);
  return topology;
}

static int init_query(bool progress_threads, bool mpi_threads) {
  static const uint32_t types[] = {OMPI_COMM_CART, OMPI_COMM_GRAPH, OMPI_COMM_DIST_GRAPH};
  (void)progress_threads, (void)mpi_threads;
  topo_parameters.launchers_topology = launchers_topology();
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    mca_topo_base_module_t* module = module_of(types[i]);
    OBJ_CONSTRUCT(module, mca_topo_base_module_t);
    module->type = types[i];
    create_fill_in(module);
  }
  return OMPI_SUCCESS;
}

static bool known_to_others;

static bool announced(void) {
  known_to_others = topo_parameters.reorder;
  return known_to_others;
}

bool component_announced(void) {
  return known_to_others;
}

static _Thread_local bool looked_past;

int component_look_past(const ompi_communicator_t* comm, mca_topo_base_module_t** module,
                        uint32_t type) {
  looked_past = true;
  int rc = mca_topo_base_comm_select(comm, NULL, module, type);
  looked_past = false;
  return rc;
}

static mca_topo_base_module_t* comm_query(const ompi_communicator_t* comm, int* priority,
                                          uint32_t type) {
  bool of_use = known_to_others || mca_topo_tofa_component.declared != NULL;
  if (OMPI_COMM_IS_INTER(comm) || looked_past || !of_use) return NULL;
  mca_topo_base_module_t* module = module_of(type);
  OBJ_RETAIN(module);
  *priority = INT_MAX;  // others count on this process
  return module;
}
