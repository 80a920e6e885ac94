// SPDX-License-Identifier: BSD-3-Clause
// Reads pml_monitoring_enable and pml_monitoring_filename wherever they live. Usually Open MPI's
// own pml/monitoring has registered them; in an installation without it we ask for the values under
// the same names ourselves, as for those parameters that only we have.
#include "parameters.h"

#include <opal/util/output.h>
#include <stdlib.h>
#include <string.h>

#include "stock.h"

static int own_enable;
static char* own_filename;
static int own_timeout;
static int own_overwrite;
static int own_stock;
static int own_phases;
static int own_window;
static int own_sizes;

enum { UNSET = -1, DEFAULT_TIMEOUT = 30 };

void parameters_register(const mca_base_component_t* component) {
  own_enable = 0;
  own_filename = NULL;
  own_timeout = UNSET;
  own_overwrite = UNSET;
  own_stock = UNSET;
  own_phases = UNSET;
  own_window = UNSET;
  own_sizes = UNSET;
  (void)mca_base_component_var_register(
      component, "enable",
      "Same as pml_monitoring_enable: 1 writes who sent how much to whom to NAME.bytes.mtx and "
      "NAME.messages.mtx at MPI_Finalize; 2 also writes NAME.user.* (tags >= 0) and "
      "NAME.collective.* (tags < 0); 0 (default) leaves the job alone",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_1, MCA_BASE_VAR_SCOPE_READONLY, &own_enable);
  (void)mca_base_component_var_register(
      component, "filename",
      "Same as pml_monitoring_filename: NAME, a path without suffix, relative to the working "
      "directory of rank 0 (default: PROGRAM-RANKS)",
      MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_1, MCA_BASE_VAR_SCOPE_READONLY,
      &own_filename);
  (void)mca_base_component_var_register(
      component, "timeout",
      "Same as pml_monitoring_timeout: how many seconds MPI_Finalize may wait for counts of other "
      "ranks before it writes what is there (default: 30)",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY,
      &own_timeout);
  (void)mca_base_component_var_register(
      component, "overwrite",
      "Same as pml_monitoring_overwrite: 1 replaces the files of a run that has ended; 0 (default) "
      "gives NAME a number where there are such files",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY,
      &own_overwrite);
  (void)mca_base_component_var_register(
      component, "stock",
      "Same as pml_monitoring_stock: 1 lets the other half of Open MPI's own monitoring run, too: "
      "its files (pml_monitoring_enable_output), its MPI_T variables, its counting of collectives "
      "and one-sided communication; 0 does not (default: where pml_monitoring_enable is more than "
      "1 or pml_monitoring_enable_output is set)",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY, &own_stock);
  (void)mca_base_component_var_register(
      component, "phases",
      "Same as pml_monitoring_phases: 1 also writes NAME.phaseN.* for each phase that the program "
      "begins, with the MPI_T variable pml_tofa_phase or, under libtofa-pcontrol.so, MPI_Pcontrol",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY, &own_phases);
  (void)mca_base_component_var_register(
      component, "window",
      "Same as pml_monitoring_window: also writes NAME.phaseN.* for each so many seconds, up to 99 "
      "phases",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY, &own_window);
  (void)mca_base_component_var_register(
      component, "sizes",
      "Same as pml_monitoring_sizes: 1 also writes NAME.sizes.txt: for each pair of ranks, how many "
      "messages of no byte, of 1, of 2 to 3, of 4 to 7 and so on",
      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY, &own_sizes);
}

// Where the stock component keeps a parameter; NULL when it is not installed or was excluded.
static void* stock_storage(const char* name) {
  int index = mca_base_var_find("ompi", "pml", "monitoring", name);
  void* storage = NULL;
  if (index < 0 || mca_base_var_get_value(index, &storage, NULL, NULL) != OPAL_SUCCESS) return NULL;
  return storage;
}

// Without the stock component: the value under its name. The registration ends here because the
// variable is not in our group and would outlive this library.
static void read_unregistered(const char* name, mca_base_var_type_t type, void* storage) {
  int index = mca_base_var_register("ompi", "pml", "monitoring", name, NULL, type, NULL, 0, 0,
                                    OPAL_INFO_LVL_9, MCA_BASE_VAR_SCOPE_READONLY, storage);
  if (index < 0) return;
  if (type == MCA_BASE_VAR_TYPE_STRING) {
    char** text = storage;
    char* copy = *text != NULL ? strdup(*text) : NULL;
    (void)mca_base_var_deregister(index);
    *text = copy;
  } else {
    (void)mca_base_var_deregister(index);
  }
}

static int stock_number(const char* name) {
  const int* storage = stock_storage(name);
  return storage != NULL ? *storage : 0;
}

static int take_stock_enable(void) {
  static int value;
  value = 0;
  int* stock = stock_storage("enable");
  if (stock == NULL) {
    read_unregistered("enable", MCA_BASE_VAR_TYPE_INT, &value);
    return value;
  }
  value = *stock;
  *stock = 0;
  return value;
}

static char* stock_filename(void) {
  static char* value;
  value = NULL;
  char** stock = stock_storage("filename");
  if (stock != NULL) return *stock != NULL ? strdup(*stock) : NULL;
  read_unregistered("filename", MCA_BASE_VAR_TYPE_STRING, &value);
  return value;
}

// A number that the stock component does not have: under its prefix, then under ours.
static int number(const char* name, int own, int otherwise) {
  static int value;
  value = UNSET;
  read_unregistered(name, MCA_BASE_VAR_TYPE_INT, &value);
  if (value < 0) value = own;
  return value < 0 ? otherwise : value;
}

// Files in its own format are asked for, or user and collective traffic apart, as programs do that
// read its MPI_T variables.
static bool wants_stock(int enable) {
  int wanted = number("stock", own_stock, UNSET);
  if (wanted >= 0) return wanted > 0;
  return enable > 1 || stock_number("enable_output") != 0;
}

struct monitor_parameters parameters_take(void) {
  int* stock = stock_storage("enable");
  int enable = stock != NULL ? *stock : 0;
  bool wanted = enable != 0 && wants_stock(enable);
  bool found = wanted && stock_find(stock);
  if (wanted && !found && stock_number("enable_output") != 0) {
    opal_output(0,
                "pml tofa: no files for pml_monitoring_enable_output: Open MPI's own monitoring is "
                "not as in 4.1");
  }
  struct monitor_parameters taken = {.stock = found,
                                     .enable = take_stock_enable(),
                                     .filename = stock_filename(),
                                     .timeout = number("timeout", own_timeout, DEFAULT_TIMEOUT),
                                     .phases = number("phases", own_phases, 0) > 0,
                                     .window = number("window", own_window, 0),
                                     .sizes = number("sizes", own_sizes, 0) > 0,
                                     .overwrite = number("overwrite", own_overwrite, 0) > 0};
  if (taken.enable == 0) taken.enable = own_enable;
  if ((taken.filename == NULL || taken.filename[0] == '\0') && own_filename != NULL) {
    free(taken.filename);
    taken.filename = strdup(own_filename);
  }
  return taken;
}
