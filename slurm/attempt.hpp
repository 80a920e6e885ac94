// SPDX-License-Identifier: BSD-3-Clause
// An srun outside of an allocation gets nodes that tofa chose only if it can start on them at once.
// A job that names its nodes would else wait until all of them are free, and be refused when it can
// never have them. So this srun submits the job as with --immediate; where Slurm refuses that, and
// says so, the same process becomes srun again, with the same words, and Slurm chooses. Slurm is
// asked once for a job that starts, and none waits for nodes that tofa chose. A job starts later
// than without tofa by what choosing takes: hundredths of a second as a rule, and up to 3 s where
// `tofa select` waits for nodes on which a job is just completing.
#pragma once

#include <string>
#include <vector>

namespace tofa::spank {

// Why Slurm refused this process a first attempt: it keeps out of the second. Empty when this is
// the first. Answers once, since what tells it is taken from the environment, which tasks inherit.
std::string why_second_attempt();

// `words` are the command line of this process, for the second attempt; its environment is kept as
// it is now. Called before anything is changed.
void remember_command(std::vector<std::string> words);

// From here until attempt_succeeded(), what srun writes to standard error is kept, and when srun
// gives up because it was not given these nodes, this process becomes srun again. To be called when
// srun has read its options: it makes srun submit with --immediate, and ask for at least so many
// processors of each node, since Slurm counts only their sum when nodes are named.
void begin_attempt(unsigned cpus_of_node);

// The job has started: what was kept is written.
void attempt_succeeded();

// Why Slurm refused, from what srun wrote; empty when something else ended srun. A signal does so
// without a word, so what is not said (-QQ) is no refusal.
std::string refusal_in(const std::string& output);

}  // namespace tofa::spank
