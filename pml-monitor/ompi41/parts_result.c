// SPDX-License-Identifier: BSD-3-Clause
// See parts_result.h. Parts travel as counts of one rank do, in one gathering for all of them.
#include "parts_result.h"

#include <errno.h>
#include <ompi/communicator/communicator.h>
#include <opal/util/output.h>
#include <string.h>

#include "gather.h"
#include "parts.h"
#include "phase_files.h"
#include "roll_call.h"
#include "sizes_file.h"

// The sink of rank 0.
struct result {
  const struct parts_wish* wish;
  struct collection* collection;
  uint32_t ranks;
  bool finished;
  int error;
};

static bool keep_chunk(void* context, const uint8_t* bytes, size_t size) {
  struct result* result = context;
  if (result->collection == NULL) return false;
  if (result->error == 0) result->error = collection_add(result->collection, bytes, size);
  return result->error == 0;
}

// All files, or none; the result is not to fail because of them. The number of phases, or minus an
// errno value.
static int write_files(const struct result* result, const struct mtx_metadata* metadata) {
  const struct parts_wish* wish = result->wish;
  size_t before = wish->publication->count;
  int phases = 0, error = 0;
  if (wish->phases) {
    phases = phase_files_write(result->collection, result->ranks, wish->stem, wish->apart, metadata,
                               wish->publication);
  }
  if (wish->sizes && phases >= 0) {
    error = sizes_file_write(result->collection, result->ranks, wish->stem, metadata,
                             wish->publication);
  }
  if (phases >= 0 && error == 0) error = publication_check(wish->publication, before);
  if (error != 0) publication_cut(wish->publication, before);
  return error != 0 ? -error : phases;
}

static void say_what_is_there(const struct parts_wish* wish, int phases) {
  if (wish->phases && phases == 0) {
    opal_output(0,
                "pml tofa: nothing was sent in any phase. MPI_Pcontrol begins them where "
                "libtofa-pcontrol.so is preloaded.");
  } else if (wish->phases) {
    opal_output(0, "pml tofa: %d phases, %s.phaseN.bytes.mtx and .messages.mtx%s", phases,
                wish->stem, wish->apart ? " and those of each class" : "");
  }
  if (wish->sizes) opal_output(0, "pml tofa: %s.sizes.txt", wish->stem);
}

static bool is_whole(const struct result* result) {
  uint32_t late = collection_partial(result->collection);
  if (collection_missing(result->collection) > 0) {
    late += roll_call_late(result->collection, result->ranks);
  }
  if (late == 0) return true;
  opal_output(
      0,
      "pml tofa: the phases or sizes of %u ranks did not arrive in time. They are in %s, see "
      "tofa graph recover. More time: --mca pml_monitoring_timeout SECONDS.",
      late, result->wish->folder);
  return false;
}

// Also called when nothing was gathered: the result appears without parts then.
static bool write_result(void* context) {
  struct result* result = context;
  const struct parts_wish* wish = result->wish;
  if (wish->stem == NULL) return false;
  result->finished = true;
  int phases = 0;
  if (result->error == 0) {
    struct mtx_metadata metadata = *wish->metadata;
    collection_describe(result->collection, &metadata);
    // Of these, parts know nothing.
    metadata.untracked_messages = wish->metadata->untracked_messages;
    metadata.untracked_bytes = wish->metadata->untracked_bytes;
    metadata.not_counted = wish->metadata->not_counted;
    phases = write_files(result, &metadata);
    if (phases < 0) result->error = -phases;
  }
  if (!wish->finish(wish->context)) return false;
  if (result->error == 0) {
    say_what_is_there(wish, phases);
    return is_whole(result);
  }
  opal_output(0,
              "pml tofa: cannot write the phases or sizes of %s: %s. What was counted is in %s, "
              "see tofa graph recover.",
              wish->stem, strerror(result->error), wish->folder);
  return false;
}

bool parts_gather_and_write(const struct monitor* monitor, double limit_seconds,
                            const struct parts_wish* wish) {
  struct result result = {.wish = wish,
                          .ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm)};
  if (wish->stem != NULL) {
    result.collection = collection_new(PARTS_COUNT * result.ranks, result.ranks, wish->folder);
    if (result.collection == NULL) result.error = errno != 0 ? errno : ENOMEM;
  }
  struct monitor own = *monitor;
  own.table = monitor->parts;
  struct gather_sink sink = {
      .context = &result, .round = 1, .chunk = keep_chunk, .finish = write_result};
  bool safe = gather_counts(&own, limit_seconds, &sink) == GATHER_SAFE;
  if (!result.finished && wish->stem != NULL) {
    result.error = ENOMEM;
    (void)write_result(&result);
  }
  collection_free(result.collection);
  return safe;
}
