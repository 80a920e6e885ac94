// SPDX-License-Identifier: BSD-3-Clause
// --tofa-spare: a job of sbatch or salloc asks for more nodes than it uses, so that it can choose
// among them when it starts, which may be long after it was submitted.
#pragma once

namespace tofa::spank {

// The option's callback, of Slurm's form.
int on_spare(int which, const char* argument, int remote);

// Once the command has read its options.
void add_spare_nodes();

}  // namespace tofa::spank
