// SPDX-License-Identifier: BSD-3-Clause
// Nodes to choose from: see spare_nodes.hpp.
#include "spare_nodes.hpp"

#include <slurm/spank.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "own_options.hpp"
#include "session.hpp"
#include "step.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {
namespace {

// Processors of each node that the job would have without spare nodes. Slurm else gives a job of 8
// ranks 8 processors, however many nodes it is to have, and leaves no choice among them.
bool keep_processors_per_node(unsigned nodes) {
  const auto number = [](const char* name) {
    return parse_number<unsigned>(own_option(name).value_or("1")).value_or(1);
  };
  const unsigned ranks = (number("ntasks") + nodes - 1) / nodes;
  const unsigned cpus = std::max(number("mincpus"), ranks * number("cpus-per-task"));
  return cpus == 1 || set_own_option("mincpus", std::to_string(cpus));
}

}  // namespace

int on_spare(int /*which*/, const char* argument, int remote) {
  if (remote != 0) return 0;
  const auto count = parse_number<unsigned>(argument == nullptr ? "" : argument);
  if (!count) {
    slurm_error("tofa: --tofa-spare=%s: name a number of nodes", argument);
    return -1;
  }
  session().spare = *count;
  return 0;
}

// More nodes than the job said, so that when it starts the best of them can be used.
void add_spare_nodes() {
  if (session().spare == 0 || session().settings.off) return;
  const auto wanted = own_option("nodes");
  const auto nodes = parse_number<unsigned>(wanted.value_or(""));
  const char* const without = "the job gets no spare nodes";
  if (spank_context() == S_CTX_LOCAL) {
    slurm_info("tofa: warning: --tofa-spare is for sbatch and salloc; %s", without);
  } else if (!nodes || *nodes == 0) {
    slurm_info("tofa: warning: --tofa-spare needs one number of nodes (-N); %s", without);
  } else if (!keep_processors_per_node(*nodes) ||
             !set_own_option("nodes", std::to_string(*nodes + session().spare))) {
    slurm_info("tofa: warning: this command does not let its nodes be changed; %s", without);
  } else {
    ::setenv(kNodesToUse, std::to_string(*nodes).c_str(), 1);
  }
}

}  // namespace tofa::spank
