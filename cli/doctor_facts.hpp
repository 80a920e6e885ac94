// SPDX-License-Identifier: BSD-3-Clause
// What `tofa doctor` finds on this machine. Every question to another program has a deadline; what
// cannot be found out stays empty.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tofa::cli {

// A folder in which Open MPI looks for components.
struct ComponentFolder {
  std::string path;
  bool exists = false;
  bool ours = false;  // has one of our components
};

struct OpenMpiFacts {
  std::string version;                // empty: ompi_info does not answer
  std::string problem;                // why it does not
  std::string stock;                  // the folder of its own components
  std::vector<ComponentFolder> path;  // mca_base_component_path, in order
  std::string path_source;            // "default", "environment", "file (...)"
  bool has_mapper = false;            // Open MPI has loaded rmaps/tofa
  bool has_monitor = false;           // and pml/tofa
  bool has_topologies = false;        // and topo/tofa, with op/tofa
  std::vector<std::string> merged;    // lines of parameter files that have two settings, FILE:LINE
  std::vector<std::string> missing;   // libraries that a component of ours on the path lacks
  std::string mapping_policy;         // what all jobs are mapped by, "tofa:..." maybe
  std::string pml;                    // the PMLs that all jobs may use
  std::string own_folder;             // of this installation's components
};

// A default, and what became of it.
struct SourceFacts {
  std::string value;  // path or address; empty: none is named
  std::string named_by;
  std::string found;    // a line about it; empty where it failed
  std::string problem;  // what does not work
  std::string remark;   // what works, but is worth a look
};

struct InputFacts {
  SourceFacts site_file, topology, outages, health;
  std::string query_program, query_problem;
};

struct SlurmFacts {
  bool installed = false;
  std::string version;         // "22.05.8"; empty: srun does not say
  std::string plugstack;       // the plugstack.conf that is read; empty: there is none
  std::string plugin;          // what it names; empty: no line for the plugin
  std::string plugin_problem;  // why it cannot be loaded
  unsigned built_for = 0;      // the number of the Slurm release it was built for
  std::string own_plugin;      // of this installation; empty: it has none
  std::string scheduler;       // SchedulerParameters; empty: not known, or none
};

OpenMpiFacts find_open_mpi();
// `nodes`: what the topology and the health service should know, each once; may be empty.
InputFacts find_inputs(const std::vector<std::string>& nodes);
SlurmFacts find_slurm();

// Of what ompi_info printed: the value of the first line with this key, without quotes.
std::string value_behind(const std::string& text, const std::string& key);

// The lines of one of Open MPI's parameter files in which a second setting stands in the value of
// the first.
std::vector<std::size_t> lines_of_two_settings(const std::string& parameters);
// The same in several files, separated by commas, as FILE:LINE.
std::vector<std::string> find_merged_parameters(const std::string& files);

// The line of a plugstack.conf that loads the plugin; empty without one. What it includes is not
// looked at.
std::string plugin_named_by(const std::string& plugstack);

}  // namespace tofa::cli
