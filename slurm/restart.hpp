// SPDX-License-Identifier: BSD-3-Clause
// Since 23.11 srun refuses --nodes (-N) beside a hostfile, although all that it could say is said
// there. A plugin cannot take an option back, so once a step is placed srun is started again
// without it: in the same process, and before it has done anything but read its options. What was
// found out is handed over in the environment, and the hostfile as an open file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "srun_command.hpp"

namespace tofa::spank {

// The first release of Slurm that refuses it.
inline constexpr Release kRefusesNodes = 2311;

struct Handover {
  int hostfile = -1;                           // the file descriptor
  std::optional<std::string> hostfile_before;  // what SLURM_HOSTFILE was
  std::string nodes;                           // how many get a rank
  std::string option;                          // what --nodes said
  // Of each node that a new job names, to start there at once or not at all; 0: it names none.
  unsigned attempted_cpus = 0;
  std::string report;   // where the ranks go, in lines
  std::string figures;  // the same for the site's log
};

// Does not return: throws Error (unavailable) when srun cannot be started. `ranks` is said on the
// command line where the plugin has found it out itself.
[[noreturn]] void start_without_nodes(const SrunCommand& command, const Handover& handover,
                                      const std::optional<std::string>& ranks);

// In the srun that was started so: what it is handed, which is gone from the environment then, in
// which SLURM_HOSTFILE is what it was.
std::optional<Handover> take_handover();

// The command line of such an srun with --nodes again.
std::vector<std::string> with_nodes(std::vector<std::string> words, const Handover& handover);

}  // namespace tofa::spank
