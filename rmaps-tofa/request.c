// SPDX-License-Identifier: BSD-3-Clause
// Parsing and stripping of `--map-by tofa:...`; see request.h.
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "keys.h"

static const char kPolicy[] = "tofa";
static const size_t kPolicyLength = sizeof kPolicy - 1;

const char* tofa_settings_get(const tofa_settings* settings, const char* key) {
  for (size_t i = 0; i < settings->count; ++i)
    if (strcmp(settings->items[i].key, key) == 0) return settings->items[i].value;
  return NULL;
}

bool tofa_settings_set(tofa_settings* settings, const char* key, const char* value) {
  char* copy = strdup(value);
  if (copy == NULL) return false;
  for (size_t i = 0; i < settings->count; ++i) {
    if (strcmp(settings->items[i].key, key) == 0) {
      free((char*)settings->items[i].value);
      settings->items[i].value = copy;
      return true;
    }
  }
  tofa_setting* grown = realloc(settings->items, (settings->count + 1) * sizeof *grown);
  if (grown == NULL) {
    free(copy);
    return false;
  }
  grown[settings->count] = (tofa_setting){key, copy};
  settings->items = grown;
  settings->count++;
  return true;
}

void tofa_settings_clear(tofa_settings* settings) {
  for (size_t i = 0; i < settings->count; ++i) free((char*)settings->items[i].value);
  free(settings->items);
  *settings = (tofa_settings){NULL, 0};
}

bool tofa_request_matches(const char* policy) {
  return policy != NULL && strncasecmp(policy, kPolicy, kPolicyLength) == 0 &&
         (policy[kPolicyLength] == '\0' || policy[kPolicyLength] == ':');
}

// The runtime accepts abbreviations of its modifiers, so do we.
static bool is_stock_modifier(const char* item) {
  static const char* const names[] = {"span", "oversubscribe", "nooversubscribe"};
  if (strncasecmp(item, "pe=", 3) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (strncasecmp(item, names[i], strlen(item)) == 0) return true;
  return false;
}

static char* unknown_key(const char* policy, const char* item, size_t length) {
  char* keys = tofa_list_keys();
  const tofa_key* meant = tofa_closest_key(item, length);
  char* message = NULL;
  if (asprintf(&message,
               "--map-by %s: unknown key \"%.*s\"; known keys are %s, and the stock modifiers "
               "PE=N, SPAN, "
               "OVERSUBSCRIBE and NOOVERSUBSCRIBE%s%s%s",
               policy, (int)length, item, keys ? keys : "", meant ? "; did you mean " : "",
               meant ? meant->name : "", meant ? "?" : "") < 0)
    message = NULL;
  free(keys);
  return message;
}

static char* out_of_memory(void) {
  return strdup("out of memory");
}

// Takes one item of ours. Returns NULL or an error message.
static char* take_item(const char* policy, const char* item, const tofa_key* key,
                       const char* equals, tofa_settings* settings) {
  const char* value = equals ? equals + 1 : key->is_switch ? "1" : NULL;
  char* message = NULL;
  if (value == NULL) {
    if (asprintf(&message, "--map-by %s: key \"%s\" needs a value: %s=VALUE", policy, item,
                 key->name) < 0)
      return NULL;
    return message;
  }
  char* wrong = tofa_check_setting(key->name, value);
  if (wrong != NULL) {
    if (asprintf(&message, "--map-by %s: %s", policy, wrong) < 0) return wrong;
    free(wrong);
    return message;
  }
  return tofa_settings_set(settings, key->name, value) ? NULL : out_of_memory();
}

char* tofa_request_parse(const char* policy, tofa_settings* settings, char** stock) {
  *stock = NULL;
  char* items = strdup(policy + kPolicyLength + (policy[kPolicyLength] == ':'));
  char* left = malloc(sizeof "slot:" + strlen(policy));
  char* error = items && left ? NULL : out_of_memory();
  if (error == NULL) strcpy(left, "slot");
  char* cursor = items;
  for (char* item; error == NULL && (item = strsep(&cursor, ",")) != NULL;) {
    if (*item == '\0') continue;
    const char* equals = strchr(item, '=');
    const size_t name_length = equals ? (size_t)(equals - item) : strlen(item);
    const tofa_key* key = tofa_find_key(item, name_length);
    if (key != NULL) {
      error = take_item(policy, item, key, equals, settings);
    } else if (is_stock_modifier(item)) {
      strcat(left, left[4] == '\0' ? ":" : ",");
      strcat(left, item);
    } else {
      error = unknown_key(policy, item, name_length);
      if (error == NULL) error = out_of_memory();
    }
  }
  free(items);
  if (error == NULL) {
    *stock = left;
  } else {
    free(left);
  }
  return error;
}
