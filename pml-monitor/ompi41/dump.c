// SPDX-License-Identifier: BSD-3-Clause
// World rank 0 names and writes the files; the other ranks only hand over their counts.
#define _GNU_SOURCE  // program_invocation_short_name, get_current_dir_name, asprintf

#include "dump.h"

#include <errno.h>
#include <ompi/proc/proc.h>
#include <opal/util/output.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gather.h"
#include "roll_call.h"

static bool apart;
static char* requested;  // the stem asked for, or empty
static char*
    start_directory;  // what a relative stem refers to, even if the program changes its directory

void dump_prepare(const struct monitor_parameters* parameters) {
  apart = parameters->enable != 1;
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
  struct report report;
  char* stem;
  int error;
  uint32_t missing_ranks;
};

static bool begin_files(void* context, const struct gathered_totals* totals) {
  struct dump* dump = context;
  char command[4096], version[64], date[32];
  read_command(command, sizeof command);
  read_version(version, sizeof version);
  read_date(date, sizeof date);
  struct mtx_metadata metadata = {.command = command,
                                  .date = date,
                                  .open_mpi = version,
                                  .ranks = totals->ranks,
                                  .missing_ranks = totals->missing_ranks,
                                  .untracked_messages = totals->untracked_messages};
  dump->missing_ranks = totals->missing_ranks;
  dump->stem = file_stem(totals->ranks);
  dump->error = dump->stem == NULL
                    ? ENOMEM
                    : report_open(&dump->report, dump->stem, apart, &metadata, totals->entries);
  return dump->error == 0;
}

static bool write_rows(void* context, uint32_t sender, const struct partner_row* rows,
                       size_t count) {
  struct dump* dump = context;
  dump->error = report_write(&dump->report, sender, rows, count);
  return dump->error == 0;
}

static void warn_not_written(const struct dump* dump) {
  opal_output(0,
              "pml tofa: cannot write %s: %s. The communication graph of this job is lost; let "
              "--mca pml_monitoring_filename name a place that rank 0 may write to.",
              dump->report.failed != NULL ? dump->report.failed : "the communication graph",
              strerror(dump->error));
}

static void publish(struct dump* dump) {
  dump->error = report_publish(&dump->report);
  if (dump->error != 0) {
    warn_not_written(dump);
  } else if (dump->missing_ranks > 0) {
    opal_output(0,
                "pml tofa: %u ranks were not monitored, %s.*.mtx holds what the others sent. Set "
                "pml_monitoring_enable for all ranks (mpirun --gmca) and install mca_pml_tofa.so "
                "on all nodes.",
                dump->missing_ranks, dump->stem);
  }
}

// One warning for the whole job: from the first rank that takes part.
static void warn_no_root(uint32_t rank) {
  for (uint32_t earlier = 1; earlier < rank; ++earlier) {
    if (roll_call_present(earlier)) return;
  }
  opal_output(0,
              "pml tofa: rank 0 is not monitored, so nobody writes the communication graph. Set "
              "pml_monitoring_enable for all ranks (mpirun --gmca) and install mca_pml_tofa.so on "
              "all nodes.");
}

void dump_counts(const struct monitor* monitor) {
  struct dump dump = {0};
  struct gather_sink sink = {.context = &dump, .begin = begin_files, .rows = write_rows};
  switch (gather_counts(monitor, &sink)) {
    case GATHER_SENT:
      break;
    case GATHER_COMPLETE:
      publish(&dump);
      break;
    case GATHER_STOPPED:
      warn_not_written(&dump);
      break;
    case GATHER_NO_ROOT:
      warn_no_root(ompi_proc_local()->super.proc_name.vpid);
      break;
    case GATHER_NO_MEMORY:
      dump.error = ENOMEM;
      warn_not_written(&dump);
      break;
    case GATHER_FAILED:
      opal_output(0, "pml tofa: gathering the communication graph failed; it is not written.");
      break;
  }
  report_discard(&dump.report);
  free(dump.stem);
  free(start_directory);
  free(requested);
}
