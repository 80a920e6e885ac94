// SPDX-License-Identifier: BSD-3-Clause
// See monitor_hint.h.
#include "monitor_hint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool names(const char* list, const char* component) {
  const size_t length = strlen(component);
  while (*list != '\0') {
    const size_t size = strcspn(list, ",");
    if (size == length && strncmp(list, component, length) == 0) return true;
    list += size;
    list += *list == ',';
  }
  return false;
}

char* tofa_monitor_hint(const char* enable, const char* pml) {
  const bool asked = enable != NULL && strtol(enable, NULL, 10) != 0;
  if (!asked || pml == NULL || pml[0] == '\0' || pml[0] == '^') return NULL;
  if (names(pml, "tofa") || names(pml, "monitoring")) return NULL;
  char* instead = NULL;
  return asprintf(&instead, "%s,tofa", pml) < 0 ? NULL : instead;
}

bool tofa_monitor_is_in(const char* component_path) {
  bool found = false;
  while (!found && *component_path != '\0') {
    const int size = (int)strcspn(component_path, ":");
    char* file = NULL;
    if (asprintf(&file, "%.*s/mca_pml_tofa.so", size, component_path) < 0) return true;
    found = access(file, F_OK) == 0;
    free(file);
    component_path += size;
    component_path += *component_path == ':';
  }
  return found;
}
