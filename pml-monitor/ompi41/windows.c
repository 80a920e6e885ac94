// SPDX-License-Identifier: BSD-3-Clause
// A component is asked for a window through its `osc_select`, and that is what is replaced: by one
// function per component, since a component is not told which one it is. The chosen component keeps
// its own data behind the window's function table, so the table stays where it is, and a copy of it
// is kept here. Watches are found without a lock: they are added, used again, and never removed.
#include "windows.h"

#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/osc/base/base.h>
#include <ompi/mca/osc/osc.h>
#include <ompi/op/op.h>
#include <ompi/win/win.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "not_counted.h"

enum { MOST_COMPONENTS = 8, BUCKET_BITS = 6 };

struct watch {
  struct watch* next;
  _Atomic(ompi_win_t*) window;  // NULL: free
  ompi_osc_base_module_t real;
};

static struct window_counter counter;
static ompi_osc_base_component_t* components[MOST_COMPONENTS];
static ompi_osc_base_component_select_fn_t real_select[MOST_COMPONENTS];
static int component_count;
static _Atomic(struct watch*) buckets[1 << BUCKET_BITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int opening;

static _Atomic(struct watch*)* bucket_of(const ompi_win_t* window) {
  uint64_t hash = (uint64_t)(uintptr_t)window * UINT64_C(11400714819323198485);
  return &buckets[hash >> (64 - BUCKET_BITS)];
}

// Only for windows that are watched: then there is one.
static struct watch* find(const ompi_win_t* window) {
  struct watch* watch = atomic_load_explicit(bucket_of(window), memory_order_acquire);
  while (atomic_load_explicit(&watch->window, memory_order_acquire) != window) watch = watch->next;
  return watch;
}

static const ompi_osc_base_module_t* real(const ompi_win_t* window) {
  return &find(window)->real;
}

static void count(const ompi_win_t* window, int target, enum traffic_kind kind, int elements,
                  ompi_datatype_t* datatype) {
  size_t size = 0;
  ompi_datatype_type_size(datatype, &size);
  // Nothing is transferred, not even a message.
  if (elements > 0 && size > 0) counter.count(window->w_group, target, kind, size * elements);
}

static void count_put(const ompi_win_t* window, int target, int elements,
                      ompi_datatype_t* datatype) {
  count(window, target, TRAFFIC_ONE_SIDED, elements, datatype);
}

static void count_get(const ompi_win_t* window, int target, int elements,
                      ompi_datatype_t* datatype) {
  count(window, target, TRAFFIC_FETCHED, elements, datatype);
}

// With MPI_NO_OP, only the result travels.
static void count_exchange(const ompi_win_t* window, int target, int elements,
                           ompi_datatype_t* datatype, int results, ompi_datatype_t* result_type,
                           const ompi_op_t* op) {
  if (op != &ompi_mpi_op_no_op.op) count_put(window, target, elements, datatype);
  count_get(window, target, results, result_type);
}

static int put(const void* origin, int elements, ompi_datatype_t* datatype, int target,
               ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
               ompi_win_t* window) {
  count_put(window, target, elements, datatype);
  return real(window)->osc_put(origin, elements, datatype, target, displacement, target_count,
                               target_type, window);
}

static int rput(const void* origin, int elements, ompi_datatype_t* datatype, int target,
                ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                ompi_win_t* window, ompi_request_t** request) {
  count_put(window, target, elements, datatype);
  return real(window)->osc_rput(origin, elements, datatype, target, displacement, target_count,
                                target_type, window, request);
}

static int get(void* origin, int elements, ompi_datatype_t* datatype, int target,
               ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
               ompi_win_t* window) {
  count_get(window, target, elements, datatype);
  return real(window)->osc_get(origin, elements, datatype, target, displacement, target_count,
                               target_type, window);
}

static int rget(void* origin, int elements, ompi_datatype_t* datatype, int target,
                ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                ompi_win_t* window, ompi_request_t** request) {
  count_get(window, target, elements, datatype);
  return real(window)->osc_rget(origin, elements, datatype, target, displacement, target_count,
                                target_type, window, request);
}

static int accumulate(const void* origin, int elements, ompi_datatype_t* datatype, int target,
                      ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                      ompi_op_t* op, ompi_win_t* window) {
  count_put(window, target, elements, datatype);
  return real(window)->osc_accumulate(origin, elements, datatype, target, displacement,
                                      target_count, target_type, op, window);
}

static int raccumulate(const void* origin, int elements, ompi_datatype_t* datatype, int target,
                       ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                       ompi_op_t* op, ompi_win_t* window, ompi_request_t** request) {
  count_put(window, target, elements, datatype);
  return real(window)->osc_raccumulate(origin, elements, datatype, target, displacement,
                                       target_count, target_type, op, window, request);
}

static int get_accumulate(const void* origin, int elements, ompi_datatype_t* datatype, void* result,
                          int results, ompi_datatype_t* result_type, int target,
                          ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                          ompi_op_t* op, ompi_win_t* window) {
  count_exchange(window, target, elements, datatype, results, result_type, op);
  return real(window)->osc_get_accumulate(origin, elements, datatype, result, results, result_type,
                                          target, displacement, target_count, target_type, op,
                                          window);
}

static int rget_accumulate(const void* origin, int elements, ompi_datatype_t* datatype,
                           void* result, int results, ompi_datatype_t* result_type, int target,
                           ptrdiff_t displacement, int target_count, ompi_datatype_t* target_type,
                           ompi_op_t* op, ompi_win_t* window, ompi_request_t** request) {
  count_exchange(window, target, elements, datatype, results, result_type, op);
  return real(window)->osc_rget_accumulate(origin, elements, datatype, result, results, result_type,
                                           target, displacement, target_count, target_type, op,
                                           window, request);
}

static int fetch_and_op(const void* origin, void* result, ompi_datatype_t* datatype, int target,
                        ptrdiff_t displacement, ompi_op_t* op, ompi_win_t* window) {
  count_exchange(window, target, 1, datatype, 1, datatype, op);
  return real(window)->osc_fetch_and_op(origin, result, datatype, target, displacement, op, window);
}

// Two values go, in one message.
static int compare_and_swap(const void* origin, const void* compare, void* result,
                            ompi_datatype_t* datatype, int target, ptrdiff_t displacement,
                            ompi_win_t* window) {
  count_put(window, target, 2, datatype);
  count_get(window, target, 1, datatype);
  return real(window)->osc_compare_and_swap(origin, compare, result, datatype, target, displacement,
                                            window);
}

static void unwatch(struct watch* watch) {
  ompi_win_t* window = atomic_load(&watch->window);
  if (window == NULL) return;
  *window->w_osc_module = watch->real;
  atomic_store_explicit(&watch->window, NULL, memory_order_release);
}

static int free_window(ompi_win_t* window) {
  unwatch(find(window));
  return window->w_osc_module->osc_free(window);
}

// A free one, or a new one; NULL when memory runs out.
static struct watch* take_watch(ompi_win_t* window) {
  _Atomic(struct watch*)* bucket = bucket_of(window);
  struct watch* first = atomic_load(bucket);
  for (struct watch* watch = first; watch != NULL; watch = watch->next) {
    if (atomic_load(&watch->window) == NULL) return watch;
  }
  struct watch* watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  watch->next = first;
  atomic_store_explicit(bucket, watch, memory_order_release);
  return watch;
}

static void watch_window(ompi_win_t* window) {
  ompi_osc_base_module_t* module = window->w_osc_module;
  pthread_mutex_lock(&lock);
  struct watch* watch = take_watch(window);
  if (watch != NULL) {
    watch->real = *module;
    atomic_store_explicit(&watch->window, window, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  if (watch == NULL) {
    counter.note(NOT_COUNTED_WINDOWS);
    return;
  }
  module->osc_put = put;
  module->osc_rput = rput;
  module->osc_get = get;
  module->osc_rget = rget;
  module->osc_accumulate = accumulate;
  module->osc_raccumulate = raccumulate;
  module->osc_get_accumulate = get_accumulate;
  module->osc_rget_accumulate = rget_accumulate;
  module->osc_fetch_and_op = fetch_and_op;
  module->osc_compare_and_swap = compare_and_swap;
  module->osc_free = free_window;
}

static int select_and_watch(int component, ompi_win_t* window, void** base, size_t size,
                            int displacement_unit, ompi_communicator_t* comm, opal_info_t* info,
                            int flavor, int* model) {
  ++opening;
  int rc = real_select[component](window, base, size, displacement_unit, comm, info, flavor, model);
  // A component that lets another one make its window has it watched once.
  if (--opening > 0 || rc != OMPI_SUCCESS || window->w_osc_module == NULL) return rc;
  if (flavor == MPI_WIN_FLAVOR_SHARED) counter.note(NOT_COUNTED_SHARED_MEMORY);
  watch_window(window);
  return rc;
}

#define SELECT(component)                                                                    \
  static int select_##component(ompi_win_t* window, void** base, size_t size, int unit,      \
                                ompi_communicator_t* comm, opal_info_t* info, int flavor,    \
                                int* model) {                                                \
    return select_and_watch(component, window, base, size, unit, comm, info, flavor, model); \
  }
SELECT(0)
SELECT(1)
SELECT(2)
SELECT(3)
SELECT(4)
SELECT(5)
SELECT(6)
SELECT(7)

static const ompi_osc_base_component_select_fn_t watching_select[MOST_COMPONENTS] = {
    select_0, select_1, select_2, select_3, select_4, select_5, select_6, select_7};

void windows_watch(const struct window_counter* whose) {
  counter = *whose;
  if (component_count > 0) return;
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_osc_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    if (component_count == MOST_COMPONENTS) {
      counter.note(NOT_COUNTED_WINDOWS);
      return;
    }
    // Its type is const, the component's own memory is not.
    ompi_osc_base_component_t* component = (ompi_osc_base_component_t*)item->cli_component;
    components[component_count] = component;
    real_select[component_count] = component->osc_select;
    component->osc_select = watching_select[component_count++];
  }
}

static bool is_loaded(const ompi_osc_base_component_t* component) {
  mca_base_component_list_item_t* item;
  OPAL_LIST_FOREACH(item, &ompi_osc_base_framework.framework_components,
                    mca_base_component_list_item_t) {
    if ((const void*)item->cli_component == (const void*)component) return true;
  }
  return false;
}

void windows_unwatch(void) {
  for (int i = 0; i < component_count; ++i) {
    if (is_loaded(components[i])) components[i]->osc_select = real_select[i];
  }
  component_count = 0;
  for (size_t i = 0; i < sizeof buckets / sizeof *buckets; ++i) {
    struct watch* watch = atomic_exchange(&buckets[i], NULL);
    while (watch != NULL) {
      struct watch* next = watch->next;
      unwatch(watch);
      free(watch);
      watch = next;
    }
  }
}

bool windows_opening(void) {
  return opening > 0;
}
