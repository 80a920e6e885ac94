// SPDX-License-Identifier: BSD-3-Clause
// The settings as MCA parameters rmaps_tofa_KEY. All are strings, so that a wrong value gets the
// same message wherever it was given.
#define _GNU_SOURCE  // asprintf
#include "adapter.h"

#include <stdio.h>
#include <stdlib.h>

#include "keys.h"
#include "opal/mca/base/base.h"

// One for each key. The runtime reads and writes the values until it has unloaded the component.
typedef struct {
  char* value;
  int id;
} parameter;
static parameter* parameters;

__attribute__((destructor)) static void free_parameters(void) {
  free(parameters);
}

int tofa_parameters_register(void) {
  size_t count = 0;
  const tofa_key* keys = tofa_all_keys(&count);
  if (parameters == NULL) parameters = calloc(count, sizeof *parameters);
  if (keys == NULL || parameters == NULL) return ORTE_ERR_OUT_OF_RESOURCE;
  for (size_t i = 0; i < count; ++i) {
    const tofa_key* key = &keys[i];
    parameters[i].value = (char*)key->default_value;
    parameters[i].id = mca_base_component_var_register(
        &mca_rmaps_tofa_component.base_version, key->name, key->help, MCA_BASE_VAR_TYPE_STRING,
        NULL, 0, 0, (mca_base_var_info_lvl_t)(OPAL_INFO_LVL_1 + key->info_level - 1),
        MCA_BASE_VAR_SCOPE_READONLY, &parameters[i].value);
    if (parameters[i].id < 0) return parameters[i].id;
  }
  return ORTE_SUCCESS;
}

char* tofa_parameters_collect(tofa_settings* settings) {
  size_t count = 0;
  const tofa_key* keys = tofa_all_keys(&count);
  for (size_t i = 0; i < count; ++i) {
    const char* name = keys[i].name;
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    if (mca_base_var_get_value(parameters[i].id, NULL, &source, NULL) != OPAL_SUCCESS) continue;
    if (source == MCA_BASE_VAR_SOURCE_DEFAULT || tofa_settings_get(settings, name) != NULL)
      continue;
    const char* value = parameters[i].value ? parameters[i].value : "";
    char* wrong = tofa_check_setting(name, value);
    if (wrong != NULL) {
      char* message = NULL;
      if (asprintf(&message, "MCA parameter rmaps_tofa_%s: %s", name, wrong) < 0) return wrong;
      free(wrong);
      return message;
    }
    if (!tofa_settings_set(settings, name, value)) return strdup("out of memory");
  }
  return NULL;
}
