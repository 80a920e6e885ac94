// SPDX-License-Identifier: BSD-3-Clause
// What the plugin knows of the srun, salloc or sbatch that has loaded it, from one hook to the
// next, and the variables of srun that it sets while srun reads its options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "request_value.hpp"
#include "settings.hpp"
#include "srun_command.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/job_log.hpp"

namespace tofa::spank {

// Names of variables: the hostfile, a request for all steps of a job, the same once more where it
// comes from an option of salloc or sbatch, what the user had exported then, the number of ranks
// and of nodes.
inline constexpr const char* kHostfile = "SLURM_HOSTFILE";
inline constexpr const char* kRequest = "SLURM_TOFA";
inline constexpr const char* kRequestOfJob = "SLURM_TOFA_OPTION";
inline constexpr const char* kRequestOfUser = "SLURM_TOFA_EXPORTED";
inline constexpr const char* kRanks = "SLURM_NTASKS";
inline constexpr const char* kNodes = "SLURM_JOB_NUM_NODES";

// What the hooks, which Slurm calls one after another, have to tell each other.
struct Session {
  Settings settings;
  SrunCommand command;
  FileDescriptor hostfile;  // open while SLURM_HOSTFILE names it
  std::optional<std::string> hostfile_before;
  bool ranks_set = false;  // SLURM_NTASKS is ours, and was this
  std::optional<std::string> ranks_before;
  std::optional<std::string> nodes_before;  // what SLURM_JOB_NUM_NODES was, while it is ours
  std::vector<std::string> report;  // for srun -v, which is not heard while options are read
  std::optional<LogEntry> entry;    // of a step that asked, until it is in the site's log
  unsigned spare = 0;               // nodes that a job is to have beside those it uses
  bool asked = false;               // Slurm asks once per component of a job
  unsigned attempted_cpus = 0;      // of each node that a new job names; 0: it names none
  std::string refused;              // why Slurm did not give it these; empty: it was not asked
  bool of_step = false;  // on a node: the step that starts tasks there was asked to be placed
};

// Of this process: Slurm hands its hooks nothing from one to the next.
Session& session();

std::optional<std::string> variable(const char* name);
Environment read_environment();
std::vector<std::string> own_command_line();

// SLURM_HOSTFILE names a file in memory: nothing is left behind, however srun ends. Throws Error
// (unavailable).
void offer_hostfile(const std::vector<std::string>& mapping);
void withdraw_hostfile();

// SLURM_NTASKS, as long as srun reads its options.
void replace_ranks(unsigned ranks);
void restore_ranks();

}  // namespace tofa::spank
