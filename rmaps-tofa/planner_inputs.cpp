// SPDX-License-Identifier: BSD-3-Clause
// What a job asks for, as the rules for inputs want it; see planner_inputs.hpp.
#include "planner_inputs.hpp"

#include <cstdlib>
#include <utility>

#include "slurm_client.hpp"

namespace tofa::planner {

Inputs read_inputs(const tofa_job& job, const Settings& settings, unsigned ranks, Notes& notes) {
  InputRequest request = input_request(settings);
  request.ranks = ranks;
  for (std::size_t i = 0; i < job.node_count; ++i) request.nodes.emplace_back(job.nodes[i].name);
  if (job.component_dir) request.query_directory = std::string(job.component_dir) + "/../../bin";
  // What Slurm knows counts in its own jobs only: other hosts may be none of its nodes.
  if (std::getenv("SLURM_JOB_ID") != nullptr) request.manager = slurm::resource_manager();

  InputReader reader(std::move(request), notes);
  NetworkInput network = reader.network();
  reader.link_load(network);
  GraphInput graph = reader.graph();
  OutageInput outages = reader.outages(network);
  return {std::move(graph.traffic),
          graph.neighbours,
          std::move(graph.graph),
          graph.origin,
          std::move(network.topology),
          network.origin,
          std::move(network.node_of),
          std::move(outages.map),
          outages.origin};
}

}  // namespace tofa::planner
