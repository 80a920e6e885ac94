// SPDX-License-Identifier: BSD-3-Clause
// What Slurm says about nodes and jobs, asked with its own commands, so that programs which use
// this run where Slurm is not, and with any version of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "capacity.hpp"
#include "tofa/inputs.hpp"
#include "tofa/outage.hpp"

namespace tofa::slurm {

// Nodes of a partition that have no job, each once, in Slurm's order.
struct FreeNodes {
  std::vector<NodeResources> idle;
  std::vector<NodeResources> completing;  // idle once Slurm has cleaned up after the last job
  std::vector<NodeResources> asleep;      // powered down until a job gets them
};

// Those of each of these partitions, which are separated by commas, in that order: a job runs in
// one of them. Without a name those of the default partition, or of all when there is no default.
// Throws Error (unavailable) when sinfo is missing, fails or does not answer in time.
std::vector<FreeNodes> find_free_nodes(const std::string& partitions, double deadline_seconds = 10);

// What is left of the job's time limit, in seconds; nothing if it has none. Throws Error
// (unavailable) when squeue is missing, fails, does not answer in time or does not know the job.
std::optional<double> find_time_left(const std::string& job, double deadline_seconds = 10);

// How long the job that this process runs in may go on, rounded up: as SLURM_JOB_END_TIME says,
// which Slurm sets since 23.02; else, or where that is over since the limit was raised, as squeue
// says within 2 seconds. 0 outside of jobs, where there is no limit, and where no outage has a
// rate, so that it would not matter.
double horizon_of_this_job(const OutageList& outages);

// Where slurm.conf and the files beside it may be, the likeliest first.
std::vector<std::filesystem::path> configuration_folders();

// The file that describes the network of Slurm's nodes, for where nobody has named one: what the
// environment variable SLURM_TOPOLOGY names, else topology.yaml or topology.conf beside slurm.conf.
// Empty when there is none.
std::string find_topology_file();

// What Slurm knows, as a source of inputs.
ResourceManager resource_manager();

}  // namespace tofa::slurm
