// SPDX-License-Identifier: BSD-3-Clause
// See collection.h.
#define _GNU_SOURCE  // O_TMPFILE, asprintf

#include "collection.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fetched.h"
#include "not_counted.h"

enum { MOST_IN_CHUNK = 1 << 16, LIST_MOST = 512, NAMES_MOST = 128 };

struct sender {
  uint64_t announced;  // rows, plus 1; 0: nothing has come
  uint64_t rows;
};

struct collection {
  uint32_t ranks, expected;  // receivers, and how many of them send
  struct sender* senders;
  struct rank_time* times;  // by sender
  FILE* chunks;             // each after its size
  struct fetched_list* fetched;
  bool out_of_memory;
  struct omitted omitted;
  uint64_t bytes, messages;
  struct traffic_sum other_jobs, estimated, declared;
  char missing_list[LIST_MOST], partial_list[LIST_MOST], not_counted[NAMES_MOST];
};

// A file without a name; one that is removed right away where the file system has none.
static int anonymous_file(const char* folder) {
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
  char* name = NULL;
  if (asprintf(&name, "%s/.tofa-XXXXXX", folder) < 0) return -1;
  fd = mkostemp(name, O_CLOEXEC);
  if (fd >= 0) unlink(name);
  free(name);
  return fd;
}

struct collection* collection_new(uint32_t ranks, uint32_t senders, const char* folder) {
  struct collection* collection = calloc(1, sizeof *collection);
  if (collection == NULL) return NULL;
  collection->ranks = ranks;
  collection->expected = senders;
  collection->senders = calloc(senders, sizeof *collection->senders);
  collection->times = calloc(senders, sizeof *collection->times);
  collection->fetched = fetched_new();
  bool room =
      collection->senders != NULL && collection->times != NULL && collection->fetched != NULL;
  int fd = room ? anonymous_file(folder) : -1;
  collection->chunks = fd >= 0 ? fdopen(fd, "w+") : NULL;
  if (collection->chunks != NULL) return collection;
  int error = errno;
  if (fd >= 0) close(fd);
  collection_free(collection);
  errno = error;
  return NULL;
}

void collection_free(struct collection* collection) {
  if (collection == NULL) return;
  if (collection->chunks != NULL) fclose(collection->chunks);
  fetched_free(collection->fetched);
  free(collection->senders);
  free(collection->times);
  free(collection);
}

static bool is_expected(void* context, const struct stream_run* run, const struct partner_row* rows,
                        size_t count) {
  const struct collection* all = context;
  (void)rows, (void)count;
  return run->sender < all->expected;
}

static void sum_up(const struct partner_row* row, uint64_t* bytes, uint64_t* messages) {
  for (int kind = 0; kind < TRAFFIC_KINDS; ++kind) {
    *bytes += row->bytes[kind];
    *messages += row->messages[kind];
  }
}

static struct traffic_sum* sum_of(struct collection* all, uint64_t set) {
  if (partners_are_of_a_job(set)) return &all->other_jobs;
  return set == PARTNERS_DECLARED ? &all->declared : &all->estimated;
}

static bool account(void* context, const struct stream_run* run, const struct partner_row* rows,
                    size_t count) {
  struct collection* all = context;
  struct sender* sender = &all->senders[run->sender];
  if (run->first) {
    sender->announced = run->total_rows + 1;
    all->times[run->sender] = run->time;
    all->omitted.messages += run->omitted.messages;
    all->omitted.bytes += run->omitted.bytes;
    all->omitted.ways |= run->omitted.ways;
  }
  sender->rows += count;
  if (run->set != PARTNERS_OURS) {
    struct traffic_sum* sum = sum_of(all, run->set);
    sum->rows += count;
    for (size_t i = 0; i < count; ++i) sum_up(&rows[i], &sum->bytes, &sum->messages);
    return true;
  }
  if (!fetched_add(all->fetched, run->sender, all->expected, rows, count)) {
    all->out_of_memory = true;
  }
  for (size_t i = 0; i < count; ++i) sum_up(&rows[i], &all->bytes, &all->messages);
  return true;
}

int collection_add(struct collection* collection, const uint8_t* bytes, size_t size) {
  uint32_t length = (uint32_t)size;
  if (size > MOST_IN_CHUNK ||
      !row_stream_decode(bytes, size, collection->ranks, is_expected, collection)) {
    return EPROTO;
  }
  errno = 0;
  if (fwrite(&length, sizeof length, 1, collection->chunks) != 1 ||
      fwrite(bytes, 1, size, collection->chunks) != size) {
    return errno != 0 ? errno : EIO;
  }
  (void)row_stream_decode(bytes, size, collection->ranks, account, collection);
  return collection->out_of_memory ? ENOMEM : 0;
}

static bool is_missing(const struct sender* sender) {
  return sender->announced == 0;
}

static bool is_partial(const struct sender* sender) {
  return sender->announced > 0 && sender->rows + 1 < sender->announced;
}

bool collection_has(const struct collection* collection, uint32_t rank) {
  return !is_missing(&collection->senders[rank]);
}

static uint32_t count_senders(const struct collection* all, bool (*is)(const struct sender*)) {
  uint32_t count = 0;
  for (uint32_t rank = 0; rank < all->expected; ++rank) count += is(&all->senders[rank]);
  return count;
}

// "3,7-9"; what does not fit is left out, as three dots say.
static void list_senders(const struct collection* all, bool (*is)(const struct sender*),
                         char text[LIST_MOST]) {
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t rank = 0; rank < all->expected; ++rank) {
    if (!is(&all->senders[rank])) continue;
    uint32_t last = rank;
    while (last + 1 < all->expected && is(&all->senders[last + 1])) ++last;
    char range[32];
    int length = last == rank ? snprintf(range, sizeof range, "%" PRIu32, rank)
                              : snprintf(range, sizeof range, "%" PRIu32 "-%" PRIu32, rank, last);
    if (used + (size_t)length + sizeof ",..." > LIST_MOST) {
      memcpy(text + used, ",...", sizeof ",...");
      return;
    }
    used += (size_t)snprintf(text + used, LIST_MOST - used, "%s%s", used > 0 ? "," : "", range);
    rank = last;
  }
}

uint32_t collection_missing(const struct collection* collection) {
  return count_senders(collection, is_missing);
}

uint32_t collection_partial(const struct collection* collection) {
  return count_senders(collection, is_partial);
}

uint64_t collection_bytes(const struct collection* collection) {
  return collection->bytes;
}

uint64_t collection_messages(const struct collection* collection) {
  return collection->messages;
}

const struct rank_time* collection_times(const struct collection* collection) {
  return collection->times;
}

struct traffic_sum collection_to_other_jobs(const struct collection* collection) {
  return collection->other_jobs;
}

struct traffic_sum collection_estimated(const struct collection* collection) {
  return collection->estimated;
}

struct traffic_sum collection_declared(const struct collection* collection) {
  return collection->declared;
}

void collection_describe(struct collection* collection, struct mtx_metadata* metadata) {
  list_senders(collection, is_missing, collection->missing_list);
  list_senders(collection, is_partial, collection->partial_list);
  metadata->ranks = collection->expected;
  metadata->missing_ranks = collection_missing(collection);
  metadata->missing_list = collection->missing_list;
  metadata->partial_list = collection->partial_list;
  metadata->untracked_messages = collection->omitted.messages + collection->other_jobs.messages;
  metadata->untracked_bytes = collection->omitted.bytes + collection->other_jobs.bytes;
  not_counted_names(collection->omitted.ways, collection->not_counted,
                    sizeof collection->not_counted);
  metadata->not_counted = collection->not_counted;
}

// One pass over all rows.
struct pass {
  struct collection* all;
  fetched_row_fn row;
  beside_row_fn beside;
  void* context;
  int error;
};

static bool pass_run(void* context, const struct stream_run* run, const struct partner_row* rows,
                     size_t count) {
  struct pass* pass = context;
  if (run->set != PARTNERS_OURS) return true;
  pass->error =
      fetched_walk(pass->all->fetched, run->sender, rows, count, pass->row, pass->context);
  return pass->error == 0;
}

static bool pass_run_beside(void* context, const struct stream_run* run,
                            const struct partner_row* rows, size_t count) {
  struct pass* pass = context;
  for (size_t i = 0; i < count && run->set != PARTNERS_OURS && pass->error == 0; ++i) {
    pass->error = pass->beside(pass->context, run->sender, run->set, &rows[i]);
  }
  return pass->error == 0;
}

static int each_run(struct collection* all, stream_visit_fn visit, struct pass* pass) {
  uint32_t length;
  if (fseek(all->chunks, 0, SEEK_SET) != 0) return errno;
  while (pass->error == 0 && fread(&length, sizeof length, 1, all->chunks) == 1) {
    uint8_t bytes[MOST_IN_CHUNK];
    errno = 0;
    if (length > sizeof bytes || fread(bytes, 1, length, all->chunks) != length) {
      return errno != 0 ? errno : EIO;
    }
    bool read = row_stream_decode(bytes, length, all->ranks, visit, pass);
    if (!read && pass->error == 0) return EIO;
  }
  if (pass->error == 0 && ferror(all->chunks)) return EIO;
  return pass->error;
}

int collection_each_row(struct collection* all, fetched_row_fn row, void* context) {
  struct pass pass = {.all = all, .row = row, .context = context};
  fetched_start(all->fetched);
  int error = each_run(all, pass_run, &pass);
  return error != 0 ? error : fetched_finish(all->fetched, row, context);
}

int collection_each_row_beside(struct collection* all, beside_row_fn row, void* context) {
  struct pass pass = {.all = all, .beside = row, .context = context};
  bool any = all->other_jobs.rows > 0 || all->estimated.rows > 0 || all->declared.rows > 0;
  return any ? each_run(all, pass_run_beside, &pass) : 0;
}

static int count_row(void* context, uint32_t sender, const struct partner_row* row) {
  (void)sender;
  report_count_entries(row, 1, context);
  return 0;
}

static int write_row(void* context, uint32_t sender, const struct partner_row* row) {
  return report_write(context, sender, row, 1);
}

int collection_write(struct collection* collection, struct report* report, const char* stem,
                     bool apart, const struct mtx_metadata* metadata) {
  uint64_t entries[REPORT_PHASES] = {0};
  static const char unreadable[] = "the counts gathered so far";
  int error = collection_each_row(collection, count_row, entries);
  if (error == 0) error = report_open(report, stem, apart, metadata, entries);
  if (error == 0) error = collection_each_row(collection, write_row, report);
  if (error != 0 && report->failed == NULL) report->failed = unreadable;
  return error;
}
