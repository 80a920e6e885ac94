// SPDX-License-Identifier: BSD-3-Clause
// Takes `tofa` out of the runtime's mapping policy. The stock parser refuses policies it does not
// know, so it is given `slot` with the stock modifiers in their place. The same goes for whatever
// reaches the daemons, which may lack the component: command line parameters, the environment, and
// parameter files, which a parameter overrides.
#define _GNU_SOURCE  // strdup
#include "adapter.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/base.h"
#include "opal/util/argv.h"
#include "opal/util/opal_environ.h"

static const char policy_parameter[] = "rmaps_base_mapping_policy";
static const char old_policy_parameter[] = "rmaps_base_schedule_policy";  // deprecated synonym
static const char selection_parameter[] = "rmaps";

tofa_orte_request tofa_request;

// Where the runtime keeps the value of a string parameter; NULL when there is none.
static char** storage_of(const char* component, const char* variable) {
  mca_base_var_storage_t* storage = NULL;
  const int id = mca_base_var_find("orte", "rmaps", component, variable);
  if (id < 0 || mca_base_var_get_value(id, &storage, NULL, NULL) != OPAL_SUCCESS) return NULL;
  return storage != NULL ? &storage->stringval : NULL;
}

bool tofa_policy_take(char** policy) {
  char* stock = NULL;
  char* error = tofa_request_parse(*policy, &tofa_request.settings, &stock);
  free(*policy);
  *policy = strdup(stock != NULL ? stock : "slot");
  tofa_request.active = true;
  free(tofa_request.stock_policy);
  tofa_request.stock_policy = stock;
  free(tofa_request.error);
  tofa_request.error = error;
  return error == NULL;
}

void tofa_policy_take_parameter(void) {
  char** policy = storage_of("base", "mapping_policy");
  char** selection = storage_of(NULL, NULL);
  tofa_request.selected_alone =
      selection != NULL && *selection != NULL && strcmp(*selection, "tofa") == 0;
  if (policy != NULL && tofa_request_matches(*policy)) {
    tofa_policy_take(policy);
  } else if (tofa_request.selected_alone && (policy == NULL || *policy == NULL)) {
    tofa_request.active = true;
  }
  if (tofa_request.active) tofa_policy_hide(&environ);
}

// The value to pass on for a parameter whose value is ours. The result is owned by the caller.
static char* stock_value(const char* name, const char* value) {
  if (strcmp(name, selection_parameter) == 0)
    return strcmp(value, "tofa") == 0 ? strdup("^tofa") : NULL;
  if (!tofa_request_matches(value)) return NULL;
  return strdup(tofa_request.stock_policy != NULL ? tofa_request.stock_policy : "slot");
}

static void hide_variable(const char* parameter, char*** environment) {
  char* name = NULL;
  if (mca_base_var_env_name(parameter, &name) != OPAL_SUCCESS) return;
  const size_t length = strlen(name);
  for (char** entry = *environment; entry != NULL && *entry != NULL; ++entry) {
    if (strncmp(*entry, name, length) != 0 || (*entry)[length] != '=') continue;
    char* value = stock_value(parameter, *entry + length + 1);
    if (value != NULL) opal_setenv(name, value, true, environment);
    free(value);
    break;
  }
  free(name);
}

void tofa_policy_hide(char*** environment) {
  hide_variable(policy_parameter, environment);
  hide_variable(old_policy_parameter, environment);
  hide_variable(selection_parameter, environment);
}

// Makes the daemons' command line carry `name value`, in place of a value of ours or of what a
// parameter file says.
static void tell_daemons(const char* name, const char* value) {
  for (int i = 0; orted_cmd_line != NULL && orted_cmd_line[i] != NULL; ++i) {
    if (strcmp(orted_cmd_line[i], name) != 0 || orted_cmd_line[i + 1] == NULL) continue;
    char* copy = strdup(value);
    if (copy == NULL) return;
    free(orted_cmd_line[i + 1]);
    orted_cmd_line[i + 1] = copy;
    return;
  }
  opal_argv_append_nosize(&orted_cmd_line, "-" OPAL_MCA_CMD_LINE_ID);
  opal_argv_append_nosize(&orted_cmd_line, name);
  opal_argv_append_nosize(&orted_cmd_line, value);
}

void tofa_policy_hide_from_daemons(void) {
  if (tofa_request.stock_policy != NULL) {
    tell_daemons(policy_parameter, tofa_request.stock_policy);
  }
  if (tofa_request.selected_alone) tell_daemons(selection_parameter, "^tofa");
}
