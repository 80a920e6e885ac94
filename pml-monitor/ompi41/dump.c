// SPDX-License-Identifier: BSD-3-Clause
// World rank 0 names and writes the files; the other ranks only hand over their counts.
#define _GNU_SOURCE  // program_invocation_short_name, get_current_dir_name, asprintf

#include "dump.h"

#include <errno.h>
#include <limits.h>
#include <ompi/communicator/communicator.h>
#include <ompi/mca/rte/rte.h>
#include <ompi/proc/proc.h>
#include <opal/mca/pmix/pmix.h>
#include <opal/util/output.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "call_time.h"
#include "collection.h"
#include "counts_format.h"
#include "declared_file.h"
#include "estimated_files.h"
#include "gather.h"
#include "hosts.h"
#include "job_name.h"
#include "other_jobs_file.h"
#include "partner_arena.h"
#include "parts_result.h"
#include "phasing.h"
#include "ranks_file.h"
#include "result_place.h"
#include "roll_call.h"

static bool apart;
static bool sizes;
static int timeout;
static double started;
static struct result_place place;  // of rank 0; without a stem: there is none, nothing is written
static char* counts_folder;        // STEM.counts, as rank 0 tells; NULL: not known
static char* counts_path;          // the file in it that this rank's counters are in, or NULL
static char* parts_path;           // and those of parts
static bool counts_are_safe;       // the result holds what this rank has counted

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// What rank 0 tells the others in MPI_Init.
static const char folder_key[] = "pml.tofa.folder";

// Jobs started by MPI_Comm_spawn inherit the parameters and must not overwrite the files of the job
// that started them.
static char* spawn_suffix(void) {
  char* suffix = NULL;
  if (getenv("OMPI_PARENT_PORT") == NULL) return strdup("");
  unsigned job = OMPI_LOCAL_JOBID(ompi_proc_local()->super.proc_name.jobid);
  return asprintf(&suffix, ".spawn%u", job) < 0 ? NULL : suffix;
}

// The stem that was asked for, as an absolute path: the program may change its directory. For the
// caller to free; NULL when memory runs out.
static char* wanted_stem(const char* name) {
  char* suffix = spawn_suffix();
  char* folder = get_current_dir_name();
  char* stem = NULL;
  size_t size = name != NULL ? strlen(name) : 0;
  bool whole = size > 0 && name[size - 1] != '/';
  bool relative = size == 0 || name[0] != '/';
  char program[NAME_MAX + 1] = "";
  if (!whole) {
    snprintf(program, sizeof program, "%s-%u", program_invocation_short_name,
             (unsigned)ompi_process_info.num_procs);
  }
  int length =
      suffix == NULL
          ? -1
          : asprintf(&stem, "%s%s%s%s%s", relative && folder != NULL ? folder : "",
                     relative && folder != NULL ? "/" : "", size > 0 ? name : "", program, suffix);
  free(suffix);
  free(folder);
  return length < 0 ? NULL : stem;
}

static void warn_not_written(const char* path, int error) {
  opal_output(0,
              "pml tofa: cannot write %s: %s. The communication graph of this job is lost; let "
              "--mca pml_monitoring_filename name a place that rank 0 may write to.",
              path != NULL ? path : "the communication graph", strerror(error));
}

// Nobody's run is taken from under it.
static void warn_not_overwritten(const char* wanted) {
  opal_output(
      0,
      "pml tofa: a job that has not ended writes %s, so the communication graph of this one "
      "goes to %s. Let --mca pml_monitoring_filename give each a name of its own.",
      wanted, place.stem);
}

static void take_place(const struct monitor_parameters* parameters) {
  char* wanted = wanted_stem(parameters->filename);
  int error = wanted == NULL ? ENOMEM : result_place_take(&place, wanted, parameters->overwrite);
  if (error != 0) {
    warn_not_written(place.failed != NULL ? place.failed : wanted, error);
    result_place_release(&place);
  } else {
    int rc;
    if (parameters->overwrite && !place.overwrite) warn_not_overwritten(wanted);
    OPAL_MODEX_SEND_VALUE(rc, OPAL_PMIX_GLOBAL, (char*)folder_key, place.folder, OPAL_STRING);
  }
  free(wanted);
}

void dump_prepare(const struct monitor_parameters* parameters) {
  apart = parameters->enable != 1;
  sizes = parameters->sizes;
  timeout = parameters->timeout;
  phasing_prepare(parameters);
  if (ompi_proc_local()->super.proc_name.vpid == 0) take_place(parameters);
  free(parameters->filename);
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

static char* folder_from_rank_0(void) {
  opal_process_name_t name = ompi_proc_local()->super.proc_name;
  if (name.vpid == 0) return place.folder != NULL ? strdup(place.folder) : NULL;
  name.vpid = 0;
  char* folder = NULL;
  int rc;
  OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, folder_key, &name, (void**)&folder, OPAL_STRING);
  return rc == OPAL_SUCCESS ? folder : NULL;
}

static void describe_run(struct counts_head* head, bool parts) {
  *head = (struct counts_head){.byte_order = 0x01020304, .version = COUNTS_VERSION};
  memcpy(head->magic, parts ? PARTS_MAGIC : COUNTS_MAGIC, sizeof head->magic);
  head->rank = ompi_proc_local()->super.proc_name.vpid;
  head->ranks = (uint32_t)ompi_process_info.num_procs;
  head->started = (uint64_t)time(NULL);
  head->apart = apart;
  read_version(head->open_mpi, sizeof head->open_mpi);
  read_command(head->command, sizeof head->command);
  (void)gethostname(head->host, sizeof head->host - 1);
}

// A file in the folder. NULL: there can be none.
static struct partner_arena* new_file(bool parts, char** path) {
  struct counts_head head;
  describe_run(&head, parts);
  int length = asprintf(path, "%s/%u%s", counts_folder, (unsigned)head.rank, parts ? ".parts" : "");
  if (length < 0) *path = NULL;
  struct partner_arena* arena = *path != NULL ? partner_arena_new(*path, &head) : NULL;
  if (arena != NULL) return arena;
  free(*path);
  *path = NULL;
  return NULL;
}

// Where the folder of rank 0 is not to be seen, there is one of the same name on this node.
struct partner_arena* dump_start(bool parts) {
  if (parts) return counts_path != NULL ? new_file(true, &parts_path) : NULL;
  started = now();
  counts_folder = folder_from_rank_0();
  if (counts_folder == NULL) return NULL;
  (void)mkdir(counts_folder, 0777);
  struct partner_arena* arena = new_file(false, &counts_path);
  if (arena != NULL) call_time_keep(counts_path);
  return arena;
}

// Nothing of this process may be open or mapped any more: NFS would keep such a file under another
// name, and with it the folder.
static void remove_counts(void) {
  call_time_let_go();
  if (parts_path != NULL) (void)unlink(parts_path);
  if (counts_path != NULL) (void)unlink(counts_path);
  if (counts_folder != NULL) (void)rmdir(counts_folder);
}

// The sink of rank 0.
struct dump {
  struct collection* collection;
  struct report report;
  struct mtx_writer run;  // NAME.ranks.json
  struct mtx_writer other_jobs;
  struct publication files;
  uint32_t ranks;
  bool parts;     // are to come
  uint32_t late;  // ranks that take part and of which nothing came in time
  double ended;
  int error;
};

static void prepare_collection(struct dump* dump) {
  if (place.stem == NULL) return;  // said in MPI_Init
  dump->collection = collection_new(dump->ranks, dump->ranks, place.folder);
  if (dump->collection == NULL) dump->error = errno != 0 ? errno : ENOMEM;
}

static bool keep_chunk(void* context, const uint8_t* bytes, size_t size) {
  struct dump* dump = context;
  if (dump->collection == NULL) return false;
  if (dump->error == 0) dump->error = collection_add(dump->collection, bytes, size);
  return dump->error == 0;
}

static const char* batch_job(void) {
  static const char* const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"};
  const char* job = NULL;
  for (int i = 0; i < 4 && job == NULL; ++i) job = getenv(names[i]);
  return job;
}

static int write_ranks(struct dump* dump, const struct mtx_metadata* metadata) {
  struct run_facts facts = {.command = metadata->command,
                            .date = metadata->date,
                            .open_mpi = metadata->open_mpi,
                            .job = batch_job(),
                            .name = job_name_own(),
                            .seconds = dump->ended - started,
                            .ranks = dump->ranks,
                            .times = collection_times(dump->collection),
                            .hosts = hosts_of_ranks(dump->ranks)};
  int error = ranks_write(&dump->run, place.stem, &facts);
  if (error == 0) error = publication_take(&dump->files, &dump->run);
  if (error != 0) dump->report.failed = dump->run.path;
  hosts_free(facts.hosts, facts.ranks);
  return error;
}

static int write_other_jobs(struct dump* dump, const struct mtx_metadata* metadata) {
  struct mtx_writer* file = &dump->other_jobs;
  int error = other_jobs_write(file, place.stem, metadata, dump->collection, job_name);
  if (error == 0 && file->path != NULL) error = publication_take(&dump->files, file);
  if (error != 0) dump->report.failed = file->path;
  return error;
}

struct description {
  char command[4096], version[64], date[32];
};

// What is known without having heard of anybody. It points to the description.
static struct mtx_metadata describe_result(struct description* text, uint32_t ranks) {
  read_command(text->command, sizeof text->command);
  read_version(text->version, sizeof text->version);
  read_date(text->date, sizeof text->date);
  return (struct mtx_metadata){
      .command = text->command, .date = text->date, .open_mpi = text->version, .ranks = ranks};
}

static int write_files(struct dump* dump) {
  struct description text;
  struct mtx_metadata metadata = describe_result(&text, dump->ranks);
  collection_describe(dump->collection, &metadata);
  int error = collection_write(dump->collection, &dump->report, place.stem, apart, &metadata);
  if (error == 0) error = report_finish(&dump->report, &dump->files);
  if (error == 0) {
    error = estimated_files_write(dump->collection, place.stem, &metadata, &dump->files);
  }
  if (error == 0) {
    error = declared_file_write(dump->collection, place.stem, &metadata, &dump->files);
  }
  if (error == 0) error = write_other_jobs(dump, &metadata);
  return error == 0 ? write_ranks(dump, &metadata) : error;
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
                missing - late, place.stem);
  }
  late += collection_partial(dump->collection);
  if (late > 0) {
    opal_output(0,
                "pml tofa: the counts of %u ranks did not arrive within %d seconds, the head of "
                "%s.bytes.mtx says of which. They are in %s, see tofa graph recover. More time: "
                "--mca pml_monitoring_timeout SECONDS.",
                late, timeout, place.stem, place.folder);
  }
}

// Adds ", X" to a line that starts with "; not counted: ".
static void add_uncounted(char* line, size_t size, const char* what) {
  size_t used = strlen(line);
  snprintf(line + used, size - used, "%s%s", used > 0 ? ", " : "; not counted: ", what);
}

// One line for whoever wants to know where the files are and what is in them.
static void say_what_is_there(const struct collection* collection) {
  struct mtx_metadata facts = {0};
  collection_describe((struct collection*)collection, &facts);
  char uncounted[320] = "", what[160], others[160] = "", guessed[160] = "";
  if (facts.missing_ranks > 0) {
    snprintf(what, sizeof what, "what %u ranks sent", facts.missing_ranks);
    add_uncounted(uncounted, sizeof uncounted, what);
  }
  struct traffic_sum told = collection_to_other_jobs(collection);
  if (facts.untracked_messages > told.messages) {
    snprintf(what, sizeof what, "%llu messages with %llu bytes to other jobs",
             (unsigned long long)(facts.untracked_messages - told.messages),
             (unsigned long long)(facts.untracked_bytes - told.bytes));
    add_uncounted(uncounted, sizeof uncounted, what);
  }
  if (facts.not_counted != NULL && facts.not_counted[0] != '\0') {
    add_uncounted(uncounted, sizeof uncounted, facts.not_counted);
  }
  struct traffic_sum estimated = collection_estimated(collection);
  if (estimated.messages > 0) {
    snprintf(guessed, sizeof guessed,
             ", estimated of coll/sm %llu bytes in %llu messages (.estimated.*.mtx)",
             (unsigned long long)estimated.bytes, (unsigned long long)estimated.messages);
  }
  if (told.messages > 0) {
    snprintf(others, sizeof others, ", to other jobs %llu bytes in %llu messages (.other-jobs.txt)",
             (unsigned long long)told.bytes, (unsigned long long)told.messages);
  }
  opal_output(
      0,
      "pml tofa: %s.bytes.mtx and .messages.mtx%s: %u ranks sent %llu bytes in %llu messages%s%s%s%s",
      place.stem, apart ? " and those of each class" : "", facts.ranks - facts.missing_ranks,
      (unsigned long long)collection_bytes(collection),
      (unsigned long long)collection_messages(collection), others, guessed,
      collection_declared(collection).rows > 0 ? ", declared neighbours (.declared.mtx)" : "",
      uncounted);
}

// All files appear, and the user hears what is in them.
static bool publish(struct dump* dump) {
  if (dump->error == 0) {
    dump->error = publication_commit(&dump->files, place.stem, place.overwrite);
  }
  if (dump->error != 0) {
    const char* failed = dump->files.failed != NULL ? dump->files.failed : dump->report.failed;
    opal_output(0,
                "pml tofa: cannot write %s: %s. What was counted is in %s, see tofa graph recover.",
                failed != NULL ? failed : place.stem, strerror(dump->error), place.folder);
    return false;
  }
  warn_incomplete(dump, dump->late);
  say_what_is_there(dump->collection);
  return true;
}

// False: some of the counts are not in the files. Where there are parts, these come first, so that
// all files appear together.
static bool write_result(void* context) {
  struct dump* dump = context;
  if (place.stem == NULL) return false;
  if (dump->error == 0) dump->error = write_files(dump);
  if (dump->error == 0 && collection_missing(dump->collection) > 0) {
    dump->late = roll_call_late(dump->collection, dump->ranks);
  }
  bool whole = dump->error == 0 && dump->late == 0 && collection_partial(dump->collection) == 0;
  return whole && dump->parts ? true : publish(dump) && whole;
}

static bool publish_with_parts(void* context) {
  return publish(context);
}

// The limit is one for all that is waited for.
static double seconds_left(const struct dump* dump) {
  double left = dump->ended + timeout - now();
  return left > 0 ? left : 0;
}

// False: not all of the parts, or nothing at all, is in the files.
static bool add_parts(const struct monitor* monitor, struct dump* dump) {
  struct description text;
  struct mtx_metadata metadata = describe_result(&text, dump->ranks);
  if (dump->collection != NULL) collection_describe(dump->collection, &metadata);
  struct parts_wish wish = {.stem = place.stem,
                            .folder = place.folder,
                            .phases = phasing_wanted(),
                            .sizes = sizes,
                            .apart = apart,
                            .metadata = &metadata,
                            .publication = &dump->files,
                            .finish = publish_with_parts,
                            .context = dump};
  return parts_gather_and_write(monitor, seconds_left(dump), &wish);
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

static void gather_and_write(const struct monitor* monitor) {
  uint32_t rank = ompi_proc_local()->super.proc_name.vpid;
  struct dump dump = {.ranks = (uint32_t)ompi_comm_size(&ompi_mpi_comm_world.comm),
                      .parts = monitor->parts != NULL,
                      .ended = now()};
  if (rank == 0) prepare_collection(&dump);
  struct gather_sink sink = {.context = &dump, .chunk = keep_chunk, .finish = write_result};
  enum gather_result result = gather_counts(monitor, seconds_left(&dump), &sink);
  if (result == GATHER_NO_ROOT) warn_no_root(rank);
  counts_are_safe = result == GATHER_SAFE;
  if (counts_are_safe && dump.parts) counts_are_safe = add_parts(monitor, &dump);
  phasing_end();
  report_discard(&dump.report);
  mtx_discard(&dump.run);
  mtx_discard(&dump.other_jobs);
  publication_discard(&dump.files);
  collection_free(dump.collection);
}

// A file beyond the limit of file sizes is an error here and no signal that ends the program.
void dump_counts(const struct monitor* monitor) {
  sigset_t too_large, before;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &too_large, &before);
  gather_and_write(monitor);
  const struct timespec no_time = {0};
  if (sigismember(&before, SIGXFSZ) == 0) (void)sigtimedwait(&too_large, NULL, &no_time);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void dump_end(void) {
  if (counts_are_safe) {
    remove_counts();
    if (place.stem != NULL) result_place_clear(&place);
  }
  free(parts_path);
  free(counts_path);
  free(counts_folder);
  result_place_release(&place);
}
