// SPDX-License-Identifier: BSD-3-Clause
// How many ranks a node takes: processors, cores, memory and generic resources (GPUs and others) of
// a node against what each rank needs. Counted by the rules of Slurm, for jobs whose nodes are
// still to be chosen and for steps on the nodes of a job alike.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::slurm {

// Counts of generic resources by name: "gpu", and "gpu:a100" for those of a type, which are
// counted under "gpu", too. Some are sizes in bytes: as many as a terabyte has, and more.
using GresCounts = std::map<std::string, std::uint64_t>;

// 0 for what is not there.
std::uint64_t count_of(const GresCounts& counts, const std::string& name);

struct NodeResources {
  std::string name = {};
  unsigned cpus = 0;     // processors that may be used, hyper-threads as Slurm counts them
  unsigned sockets = 0;  // 0: not known, or not all of them may be used
  unsigned threads_per_core = 1;
  std::uint64_t memory = 0;  // MiB; 0: not known, or not counted
  GresCounts gres = {};
};

// 0 means no limit, or no need.
struct RankNeeds {
  unsigned cpus = 1;
  unsigned threads_per_core = 0;  // at most, of those that a core has
  unsigned ranks_per_core = 0;
  unsigned ranks_per_socket = 0;
  unsigned ranks_per_node = 0;
  unsigned ranks_per_gpu = 0;
  std::uint64_t memory_per_cpu = 0;  // MiB
  GresCounts gres = {};              // of each rank
  GresCounts gres_of_node = {};      // of each node, however many ranks it takes
  bool operator==(const RankNeeds&) const = default;
};

unsigned ranks_on(const NodeResources& node, const RankNeeds& needs);

// The processors of the node that nobody else has beside such a rank: all threads of the cores that
// it uses a part of.
unsigned cpus_taken(const NodeResources& node, const RankNeeds& needs);

// What Slurm writes, such as "gpu:a100:2(S:0-1),nvme:no_consume:4G" or "gpu:2(IDX:0-1)", and what
// users ask for; "(null)", "N/A" and "none" are nothing, a name alone is one. Throws Error
// (bad_input).
GresCounts parse_gres(std::string_view text);

// The same of what a node or a job has, as Slurm says: what cannot be read is left out, and whoever
// needs that finds none of it.
GresCounts parse_known_gres(std::string_view text);

// As parse_gres() reads it: a resource without a type where its types say the same.
std::string format_gres(const GresCounts& counts);

// What is asked for of GPUs, such as "2" or "a100:1,v100:2", as generic resources. Throws Error
// (bad_input).
GresCounts parse_gpus(std::string_view text);

// Memory as Slurm's options have it, in MiB: 512, 512M, 4G. Throws Error (bad_input).
std::uint64_t parse_memory(std::string_view text);

}  // namespace tofa::slurm
