// SPDX-License-Identifier: BSD-3-Clause
// World rank 0 names and writes the files; the other ranks only hand over their counts.
#define _GNU_SOURCE  // program_invocation_short_name, get_current_dir_name, asprintf

#include "dump.h"

#include <errno.h>
#include <ompi/communicator/communicator.h>
#include <ompi/proc/proc.h>
#include <opal/util/output.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collection.h"
#include "gather.h"
#include "roll_call.h"

static bool apart;
static int timeout;
static char* requested;  // the stem asked for, or empty
static char*
    start_directory;  // what a relative stem refers to, even if the program changes its directory

void dump_prepare(const struct monitor_parameters* parameters) {
  apart = parameters->enable != 1;
  timeout = parameters->timeout;
  requested = parameters->filename != NULL ? parameters->filename : strdup("");
  start_directory = get_current_dir_name();
}

// Jobs started by MPI_Comm_spawn inherit the parameters and must not overwrite the files of the job
// that started them.
static char* spawn_suffix(void) {
  char* suffix = NULL;
  if (getenv("OMPI_PARENT_PORT") == NULL) return strdup("");
  unsigned job = OMPI_LOCAL_JOBID(ompi_proc_local()->super.proc_name.jobid);
  return asprintf(&suffix, ".spawn%u", job) < 0 ? NULL : suffix;
}

// For the caller to free; NULL when memory runs out.
static char* file_stem(uint32_t ranks) {
  char* suffix = spawn_suffix();
  char* name = NULL;
  char* stem = NULL;
  bool named = requested != NULL && requested[0] != '\0';
  int length = named ? asprintf(&name, "%s", requested)
                     : asprintf(&name, "%s-%u", program_invocation_short_name, ranks);
  if (suffix != NULL && length >= 0) {
    bool relative = name[0] != '/' && start_directory != NULL;
    length = asprintf(&stem, "%s%s%s%s", relative ? start_directory : "", relative ? "/" : "", name,
                      suffix);
  }
  free(name);
  free(suffix);
  return length < 0 ? NULL : stem;
}

// The program and its arguments, as far as they fit.
static void read_command(char* text, size_t size) {
  size_t length = 0;
  FILE* stream = fopen("/proc/self/cmdline", "r");
  if (stream != NULL) {
    length = fread(text, 1, size - 1, stream);
    fclose(stream);
  }
  while (length > 0 && text[length - 1] == '\0') --length;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] == '\0') text[i] = ' ';
  }
  text[length] = '\0';
}

// "Open MPI v4.1.4, package: ..." -> "4.1.4"
static void read_version(char* text, size_t size) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  char* number = strstr(version, " v");
  number = number != NULL ? number + 2 : version;
  number[strcspn(number, ", ")] = '\0';
  snprintf(text, size, "%s", number);
}

static void read_date(char* text, size_t size) {
  time_t now = time(NULL);
  struct tm utc;
  gmtime_r(&now, &utc);
  strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

// The sink of rank 0.
struct dump {
  struct collection* collection;
  struct report report;
  char* stem;
  uint32_t ranks;
  int error;
};

static char* folder_of(const char* path) {
  const char* end = strrchr(path, '/');
  if (end == NULL) return strdup(".");
  return end == path ? strdup("/") : strndup(path, (size_t)(end - path));
}

static void prepare_collection(struct dump* dump) {
  dump->stem = file_stem(dump->ranks);
  char* folder = dump->stem != NULL ? folder_of(dump->stem) : NULL;
  dump->collection = folder != NULL ? collection_new(dump->ranks, folder) : NULL;
  if (dump->collection == NULL) dump->error = folder != NULL ? errno : ENOMEM;
  free(folder);
}

static bool keep_chunk(void* context, const uint8_t* bytes, size_t size) {
  struct dump* dump = context;
  if (dump->error == 0) dump->error = collection_add(dump->collection, bytes, size);
  return dump->error == 0;
}

static void warn_not_written(const struct dump* dump) {
  opal_output(0,
              "pml tofa: cannot write %s: %s. The communication graph of this job is lost; let "
              "--mca pml_monitoring_filename name a place that rank 0 may write to.",
              dump->report.failed != NULL ? dump->report.failed
              : dump->stem != NULL        ? dump->stem
                                          : "the communication graph",
              strerror(dump->error));
}

static int write_files(struct dump* dump) {
  char command[4096], version[64], date[32];
  read_command(command, sizeof command);
  read_version(version, sizeof version);
  read_date(date, sizeof date);
  struct mtx_metadata metadata = {.command = command, .date = date, .open_mpi = version};
  collection_describe(dump->collection, &metadata);
  int error = collection_write(dump->collection, &dump->report, dump->stem, apart, &metadata);
  return error != 0 ? error : report_publish(&dump->report);
}

// Ranks that take part and did not answer in time are missing from the files, like those that are
// not monitored; which of the two it was is seen from the roll call.
static void warn_incomplete(const struct dump* dump, uint32_t late) {
  uint32_t missing = collection_missing(dump->collection);
  if (missing > late) {
    opal_output(0,
                "pml tofa: %u ranks were not monitored, %s.*.mtx holds what the others sent. Set "
                "pml_monitoring_enable for all ranks (mpirun --gmca) and install mca_pml_tofa.so "
                "on all nodes.",
                missing - late, dump->stem);
  }
  late += collection_partial(dump->collection);
  if (late > 0) {
    opal_output(0,
                "pml tofa: the counts of %u ranks did not arrive within %d seconds, the head of "
                "%s.bytes.mtx says of which. More time: --mca pml_monitoring_timeout SECONDS.",
                late, timeout, dump->stem);
  }
}

static uint32_t count_late(const struct collection* collection, uint32_t ranks) {
  uint32_t late = 0;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    late += !collection_has(collection, rank) && roll_call_present(rank, 0);
  }
  return late;
}

static bool write_result(void* context) {
  struct dump* dump = context;
  if (dump->error == 0) dump->error = write_files(dump);
  if (dump->error != 0) {
    warn_not_written(dump);
    return false;
  }
  uint32_t late =
      collection_missing(dump->collection) > 0 ? count_late(dump->collection, dump->ranks) : 0;
  warn_incomplete(dump, late);
  return late == 0 && collection_partial(dump->collection) == 0;
}

// One warning for the whole job: from the first rank that takes part.
static void warn_no_root(uint32_t rank) {
  for (uint32_t earlier = 1; earlier < rank; ++earlier) {
    if (roll_call_present(earlier, 0)) return;
  }
  opal_output(0,
              "pml tofa: rank 0 is not monitored, so nobody writes the communication graph. Set "
              "pml_monitoring_enable for all ranks (mpirun --gmca) and install mca_pml_tofa.so on "
              "all nodes.");
}

void dump_counts(const struct monitor* monitor) {
  uint32_t rank = ompi_proc_local()->super.proc_name.vpid;
  struct dump dump = {.ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm)};
  if (rank == 0) prepare_collection(&dump);
  struct gather_sink sink = {.context = &dump, .chunk = keep_chunk, .finish = write_result};
  if (gather_counts(monitor, timeout, &sink) == GATHER_NO_ROOT) warn_no_root(rank);
  report_discard(&dump.report);
  collection_free(dump.collection);
  free(dump.stem);
  free(start_directory);
  free(requested);
}
