// SPDX-License-Identifier: BSD-3-Clause
// Only functions that send, or tell of communicators, are overridden; everything else, including
// all receiving, is the selected PML's own. Messages count between the end of MPI_Init and the
// start of MPI_Finalize, so what Open MPI exchanges for itself at both ends stays out, and so does
// the gathering of the counts.
#include "interpose.h"

#include <ompi/attribute/attribute.h>
#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/runtime/mpiruntime.h>
#include <ompi/runtime/params.h>
#include <opal/mca/pmix/pmix.h>
#include <opal/runtime/opal_progress.h>
#include <unistd.h>

#include "call_time.h"
#include "counts_format.h"
#include "declared.h"
#include "estimates.h"
#include "not_counted.h"
#include "parts.h"
#include "persistent.h"
#include "phasing.h"
#include "purpose.h"
#include "route_cache.h"
#include "stock.h"
#include "unseen_collectives.h"
#include "windows.h"
#include "world_rank.h"

static struct monitor monitor;
static struct monitor_owner owner;
static bool finished;
static bool threads;               // may send at the same time
static bool by_size;               // messages are counted in parts, too
static bool in_detail;             // either of these
static bool in_full;               // each message, as these or stock.h need it
static struct route_cache routes;  // where not
static opal_pmix_base_module_fence_fn_t real_fence;
static opal_pmix_base_module_fence_nb_fn_t real_fence_nb;

static uint64_t bytes_of(size_t count, ompi_datatype_t* datatype) {
  size_t size;
  ompi_datatype_type_size(datatype, &size);
  return (uint64_t)count * size;
}

static struct partner* partner_in(ompi_group_t* group, int member) {
  uint64_t set;
  uint32_t rank;
  if (monitor.table == NULL || !world_rank_in(group, member, &set, &rank)) return NULL;
  return partner_table_find_in(monitor.table, set, rank);
}

static struct partner* partner_of(ompi_communicator_t* comm, int destination) {
  return partner_in(comm->c_remote_group, destination);
}

// Open MPI's own monitoring knows no other jobs.
static void tell_stock(const struct partner* partner, uint64_t bytes, bool user) {
  if (partner->set == PARTNERS_OURS) stock_count(partner->rank, bytes, user);
}

static bool counting(void) {
  return ompi_mpi_state == OMPI_MPI_STATE_INIT_COMPLETED && monitor.table != NULL;
}

static void add_to(struct partner* partner, enum traffic_kind kind, uint64_t bytes) {
  threads ? partner_count(partner, kind, bytes) : partner_count_alone(partner, kind, bytes);
}

static void add_in_detail(struct partner* partner, enum traffic_kind kind, uint64_t bytes) {
  add_to(partner, kind, bytes);
  if (!by_size || monitor.parts == NULL || partner->set != PARTNERS_OURS) return;
  uint32_t part = PARTS_OF_SIZES + size_bin(bytes);
  uint32_t ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm);
  struct partner* bin = partner_table_find(monitor.parts, parts_join(part, partner->rank, ranks));
  if (bin != NULL) add_to(bin, kind, bytes);
}

static void add(struct partner* partner, enum traffic_kind kind, uint64_t bytes) {
  if (partner == NULL) {
    partner_table_count_untracked(monitor.table, bytes);
  } else if (in_detail) {
    add_in_detail(partner, kind, bytes);
  } else {
    partner_count_alone(partner, kind, bytes);
  }
}

static void record_start(const struct persistent_send* send) {
  add(send->partner, send->kind, send->bytes);
  if (send->partner != NULL) {
    tell_stock(send->partner, send->bytes, send->kind == TRAFFIC_USER);
  }
}

static void record_send(size_t count, ompi_datatype_t* datatype, int destination, int tag,
                        ompi_communicator_t* comm) {
  if (!counting()) return;
  enum traffic_kind kind = purpose_of_message(comm, tag);
  struct partner* partner = partner_of(comm, destination);
  uint64_t bytes = bytes_of(count, datatype);
  if (kind != TRAFFIC_KINDS) add(partner, kind, bytes);
  if (partner == NULL) return;
  tell_stock(partner, bytes, tag >= 0);
  if (!in_full && purpose_is_the_users(comm)) {
    route_cache_add(&routes, route_key(comm->c_contextid, destination), partner);
  }
}

static void count_one_sided(ompi_group_t* group, int target, enum traffic_kind kind,
                            uint64_t bytes) {
  if (counting()) add(partner_in(group, target), kind, bytes);
}

// Of another job's processes there are none on such a communicator, unless it was merged.
static void count_estimated(ompi_communicator_t* comm, int receiver, uint64_t bytes) {
  uint64_t set;
  uint32_t rank;
  if (!counting() || !world_rank_in(comm->c_remote_group, receiver, &set, &rank)) return;
  if (set != PARTNERS_OURS) return;
  struct partner* partner = partner_table_find_in(monitor.table, PARTNERS_ESTIMATED, rank);
  if (partner != NULL) add(partner, purpose_of_message(comm, MCA_COLL_BASE_TAG_BCAST), bytes);
}

static void note(uint32_t way) {
  if (monitor.table != NULL) partner_table_note(monitor.table, way);
}

static const struct window_counter window_counter = {.count = count_one_sided, .note = note};

static int monitored_send(const void* buffer, size_t count, ompi_datatype_t* datatype,
                          int destination, int tag, mca_pml_base_send_mode_t mode,
                          ompi_communicator_t* comm) {
  record_send(count, datatype, destination, tag, comm);
  return monitor.real.pml_send(buffer, count, datatype, destination, tag, mode, comm);
}

static int monitored_isend(const void* buffer, size_t count, ompi_datatype_t* datatype,
                           int destination, int tag, mca_pml_base_send_mode_t mode,
                           ompi_communicator_t* comm, ompi_request_t** request) {
  record_send(count, datatype, destination, tag, comm);
  return monitor.real.pml_isend(buffer, count, datatype, destination, tag, mode, comm, request);
}

// Where threads do not send at the same time and nobody else counts: counts if the destination was
// met lately. Small enough to be part of the two functions below; these leave everything else to
// the two above, whose calls they are then, so that they need no stack of their own.
static inline bool record_again(size_t count, ompi_datatype_t* datatype, int destination, int tag,
                                ompi_communicator_t* comm) {
  struct partner* partner = route_cache_find(&routes, route_key(comm->c_contextid, destination));
  if (partner == NULL || !tag_is_plain(tag)) return false;
  if (ompi_mpi_state != OMPI_MPI_STATE_INIT_COMPLETED) return false;
  enum traffic_kind kind = tag >= 0 ? TRAFFIC_USER : TRAFFIC_COLLECTIVE;
  partner_count_alone(partner, kind, bytes_of(count, datatype));
  return true;
}

static int monitored_send_again(const void* buffer, size_t count, ompi_datatype_t* datatype,
                                int destination, int tag, mca_pml_base_send_mode_t mode,
                                ompi_communicator_t* comm) {
  if (OPAL_UNLIKELY(!record_again(count, datatype, destination, tag, comm))) {
    return monitored_send(buffer, count, datatype, destination, tag, mode, comm);
  }
  return monitor.real.pml_send(buffer, count, datatype, destination, tag, mode, comm);
}

static int monitored_isend_again(const void* buffer, size_t count, ompi_datatype_t* datatype,
                                 int destination, int tag, mca_pml_base_send_mode_t mode,
                                 ompi_communicator_t* comm, ompi_request_t** request) {
  if (OPAL_UNLIKELY(!record_again(count, datatype, destination, tag, comm))) {
    return monitored_isend(buffer, count, datatype, destination, tag, mode, comm, request);
  }
  return monitor.real.pml_isend(buffer, count, datatype, destination, tag, mode, comm, request);
}

// A PML may replace the handle when the buffered send before is still on its way; the new request
// inherits the watch.
static int start_one(ompi_request_t** request) {
  struct persistent_send send;
  bool watched = persistent_lookup(*request, &send);
  int rc = monitor.real.pml_start(1, request);
  if (!watched) return rc;
  if (!persistent_is_watched(*request)) persistent_watch(*request, &send);
  if (rc == OMPI_SUCCESS && counting()) record_start(&send);
  return rc;
}

static int monitored_start(size_t count, ompi_request_t** requests) {
  for (size_t i = 0; i < count; ++i) {
    int rc = start_one(&requests[i]);
    if (rc != OMPI_SUCCESS) return rc;
  }
  return OMPI_SUCCESS;
}

static int monitored_isend_init(const void* buffer, size_t count, ompi_datatype_t* datatype,
                                int destination, int tag, mca_pml_base_send_mode_t mode,
                                ompi_communicator_t* comm, ompi_request_t** request) {
  int rc =
      monitor.real.pml_isend_init(buffer, count, datatype, destination, tag, mode, comm, request);
  enum traffic_kind kind = purpose_of_message(comm, tag);
  if (rc != OMPI_SUCCESS || kind == TRAFFIC_KINDS) return rc;
  struct persistent_send send = {
      .partner = partner_of(comm, destination), .kind = kind, .bytes = bytes_of(count, datatype)};
  persistent_watch(*request, &send);
  return OMPI_SUCCESS;
}

static int monitored_add_procs(ompi_proc_t** procs, size_t count) {
  stock_add_procs(procs, count);
  return monitor.real.pml_add_procs(procs, count);
}

// A communicator gets its collectives after the PML has been told of it: so the one before this is
// complete now, if it is still there. Another thread may be filling or freeing its collectives:
// with threads, only those are looked at that live at the end.
static int monitored_add_comm(ompi_communicator_t* comm) {
  static uint32_t before;
  purpose_of_new(comm);
  if (!threads) {
    const ompi_communicator_t* last = ompi_comm_lookup(before);
    if (last != NULL && last != comm) note(unseen_collectives_of(last));
    before = comm->c_contextid;
  }
  int rc = monitor.real.pml_add_comm(comm);
  if (rc != OMPI_SUCCESS) purpose_forget(comm);  // nobody will say that it goes
  return rc;
}

static int monitored_del_comm(ompi_communicator_t* comm) {
  route_cache_forget(&routes, comm->c_contextid);
  purpose_forget(comm);
  return monitor.real.pml_del_comm(comm);
}

// From here on nothing is counted.
static void complete(void) {
  if (monitor.time.run == 0) monitor.time = call_time();
  note(unseen_collectives());
  partner_table_complete(monitor.table);
}

static void hand_over(void) {
  finished = true;
  mca_pml = monitor.real;
  windows_unwatch();
  estimates_unwatch();
  declared_unwatch();
  complete();
  phasing_stop();
  owner.finish(&monitor);
  stock_finish();
  persistent_unwatch_all();
  route_cache_clear(&routes);
  purpose_forget_all();
  partner_table_free(monitor.table);
  partner_table_free(monitor.parts);
  monitor.table = monitor.parts = NULL;
  owner.end();
}

static bool is_time_to_finish(void) {
  return ompi_mpi_state >= OMPI_MPI_STATE_FINALIZE_STARTED && !finished && monitor.table != NULL;
}

static void fence_passed(int status, void* data) {
  (void)status;
  *(volatile bool*)data = false;
}

// The fence of MPI_Finalize. When all ranks have arrived at it, none will be late for what we do,
// and none of us can hold up a rank that still computes; nothing is torn down before we return. Up
// to here this waits as MPI_Finalize does without us.
static int fence_nb_then_finish(opal_list_t* procs, int collect_data, opal_pmix_op_cbfunc_t passed,
                                void* data) {
  if (!is_time_to_finish()) return real_fence_nb(procs, collect_data, passed, data);
  opal_pmix.fence_nb = real_fence_nb;
  complete();  // should another rank die before it arrives
  static volatile bool active;
  active = true;
  int rc = real_fence_nb(procs, collect_data, fence_passed, (void*)&active);
  while (rc == OPAL_SUCCESS && active) {
    opal_progress();
    usleep(100);
  }
  hand_over();
  if (rc == OPAL_SUCCESS) passed(OPAL_SUCCESS, data);
  return rc;
}

// Instead, where this PMIx has no other.
static int fence_then_finish(opal_list_t* procs, int collect_data) {
  int rc = real_fence(procs, collect_data);
  if (is_time_to_finish() && opal_pmix.fence_nb == NULL) {
    opal_pmix.fence = real_fence;
    hand_over();
  }
  return rc;
}

// MPI_Finalize without a fence (async_mpi_finalize): it deletes the attributes of MPI_COMM_SELF
// first of all, the oldest one last, unless a callback of the user fails.
static int at_finalize(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  if (ompi_async_mpi_finalize && is_time_to_finish()) hand_over();
  return MPI_SUCCESS;
}

// Duplicates of MPI_COMM_SELF do not inherit the attribute.
static int copy_nothing(MPI_Comm comm, int key, void* extra, void* value, void* copy, int* flag,
                        MPI_Comm to) {
  (void)comm, (void)key, (void)extra, (void)value, (void)copy, (void)to;
  *flag = 0;
  return MPI_SUCCESS;
}

static int hook_attributes(void) {
  ompi_attribute_fn_ptr_union_t copy = {.attr_communicator_copy_fn = copy_nothing};
  ompi_attribute_fn_ptr_union_t delete = {.attr_communicator_delete_fn = at_finalize};
  ompi_communicator_t* self = &ompi_mpi_comm_self.comm;
  int key;
  int rc = ompi_attr_create_keyval(COMM_ATTR, copy, delete, &key, NULL, 0, NULL);
  if (rc != OMPI_SUCCESS) return rc;
  rc = ompi_attr_set_c(COMM_ATTR, self, &self->c_keyhash, key, NULL, false);
  (void)ompi_attr_free_keyval(COMM_ATTR, &key, false);
  return rc;
}

static void hook_fence(void) {
  real_fence = opal_pmix.fence;
  real_fence_nb = opal_pmix.fence_nb;
  if (real_fence != NULL) opal_pmix.fence = fence_then_finish;
  if (real_fence_nb != NULL) opal_pmix.fence_nb = fence_nb_then_finish;
}

static struct partner_table* new_table(bool parts) {
  struct partner_table* table = partner_table_new(owner.start(parts));
  return table != NULL ? table : partner_table_new(NULL);
}

static bool parts_are_wanted(void) {
  return (by_size || phasing_wanted()) &&
         (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm) <= PARTS_RANKS_MOST;
}

// The first call in which communicators and attributes exist.
static int monitored_enable(bool enable) {
  int rc = monitor.real.pml_enable(enable);
  if (rc != OMPI_SUCCESS || !enable) return rc;
  monitor.table = new_table(false);
  if (parts_are_wanted()) monitor.parts = new_table(true);
  phasing_start(&monitor);
  stock_register();
  windows_watch(&window_counter);
  estimates_watch(count_estimated);
  declared_watch(monitor.table);
  hook_fence();
  call_time_start();
  return ompi_async_mpi_finalize ? hook_attributes() : rc;
}

int interpose_install(bool sizes, const struct monitor_owner* monitor_owner) {
  threads = ompi_mpi_thread_multiple;
  by_size = sizes;
  in_detail = threads || by_size;
  if (persistent_init(monitored_start, threads) != OMPI_SUCCESS) return OMPI_ERR_OUT_OF_RESOURCE;
  in_full = in_detail || stock_is_awake();
  route_cache_clear(&routes);
  monitor.real = mca_pml;
  owner = *monitor_owner;
  mca_pml.pml_send = in_full ? monitored_send : monitored_send_again;
  mca_pml.pml_isend = in_full ? monitored_isend : monitored_isend_again;
  if (stock_is_awake()) mca_pml.pml_add_procs = monitored_add_procs;
  mca_pml.pml_isend_init = monitored_isend_init;
  mca_pml.pml_start = monitored_start;
  mca_pml.pml_add_comm = monitored_add_comm;
  mca_pml.pml_del_comm = monitored_del_comm;
  mca_pml.pml_enable = monitored_enable;
  return OMPI_SUCCESS;
}
