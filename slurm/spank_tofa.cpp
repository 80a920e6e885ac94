// SPDX-License-Identifier: BSD-3-Clause
// SPANK plugin: `srun --tofa=STEM` places the ranks of a step by the profile STEM. Slurm itself can
// put rank i on the node in line i of a file that SLURM_HOSTFILE names; the plugin asks `tofa
// select` for these lines and sets the variable while srun reads its options, which is the only
// time at which srun looks at it. The file is in memory, and the variable is taken back before
// tasks start. Outside of an allocation the lines also decide which nodes Slurm allocates.
//
// salloc and sbatch take the option, too: it becomes SLURM_TOFA, which every srun inside honours.
//
// The plugin never keeps a job from starting, unless what was asked for contradicts itself, or
// strictness was asked for.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "attempt.hpp"
#include "restart.hpp"
#include "session.hpp"
#include "spare_nodes.hpp"
#include "step.hpp"

// The header declares the hooks that a plugin defines, in C.
#pragma GCC visibility push(default)
extern "C" {
#include <slurm/spank.h>
extern const char plugin_name[];
extern const char plugin_type[];
extern const unsigned int plugin_version;
extern const unsigned int spank_plugin_version;
SPANK_PLUGIN(tofa, 1)
}
#pragma GCC visibility pop

#include "srun_placement.hpp"

namespace tofa::spank {
namespace {

constexpr const char* kDistribution = "SLURM_DISTRIBUTION";
constexpr char kByHostfile[] = "arbitrary";
// Where srun looks for an option of a plugin that was not given on its command line.
constexpr const char* kOptionVariable = "SLURM_SPANK__SLURM_SPANK_OPTION_tofa_tofa";
constexpr const char* kSpareVariables[] = {"SLURM_SPANK__SLURM_SPANK_OPTION_tofa_tofa-spare",
                                           "SLURM_SPANK__SLURM_SPANK_OPTION_tofa_tofa_spare"};

// `tofa` beside this file's installation, else where it was installed, else in PATH.
std::string find_tofa() {
  Dl_info self{};
  std::vector<std::string> candidates;
  if (::dladdr(reinterpret_cast<const void*>(&slurm_spank_init), &self) != 0) {
    candidates.push_back((std::filesystem::path(self.dli_fname).parent_path() / "../../bin/tofa")
                             .lexically_normal());
  }
  candidates.emplace_back(TOFA_INSTALL_BINDIR "/tofa");
  std::istringstream path(variable("PATH").value_or(""));
  for (std::string directory; std::getline(path, directory, ':');)
    candidates.push_back(directory + "/tofa");
  for (const std::string& candidate : candidates)
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  return "tofa";
}

// Relative to where salloc or sbatch was called: the script may go elsewhere.
int allocator_asks(const std::string& graph) {
  ::unsetenv(kRequestOfJob);
  if (graph.empty()) return ::unsetenv(kRequest);
  const std::string request = std::filesystem::absolute(graph);
  ::setenv(kRequestOfJob, request.c_str(), 1);
  if (const auto exported = variable(kRequest)) ::setenv(kRequestOfUser, exported->c_str(), 1);
  return ::setenv(kRequest, request.c_str(), 1);
}

// A script may submit the next job. What its own job was given as options is that job's alone, also
// where Slurm would take the variables in which it passes them on for options of the next; what the
// user exported is for all.
void forget_outer_job() {
  const auto option = variable(kRequestOfJob);
  const auto exported = variable(kRequestOfUser);
  if (option && option == variable(kRequest)) {
    ::unsetenv(kRequest);
    if (exported) ::setenv(kRequest, exported->c_str(), 1);
  }
  for (const char* name : {kRequestOfJob, kRequestOfUser, kNodesToUse, kOptionVariable})
    ::unsetenv(name);
  for (const char* name : kSpareVariables) ::unsetenv(name);
}

// --- hooks ---

int on_option(int /*which*/, const char* argument, int remote) {
  const std::string graph = argument == nullptr ? "" : argument;
  try {
    if (remote != 0) session().of_step = !graph.empty();
    if (remote != 0) return 0;
    return spank_context() == S_CTX_LOCAL ? srun_asks(graph) : allocator_asks(graph);
  } catch (const std::exception& error) {
    return degrade(error.what());
  }
}

// salloc and sbatch leave their option in Slurm's variable as it was given, relative to where they
// were called; SLURM_TOFA has the whole path.
void pass_on_request() {
  const auto request = variable(kRequest);
  for (const char* spare : kSpareVariables)
    if (!session().command.find("tofa-spare")) ::unsetenv(spare);
  if (session().command.find("tofa")) {
    ::unsetenv(kOptionVariable);
  } else if (request) {
    ::setenv(kOptionVariable, request->c_str(), 1);
  }
}

void prepare_allocator(const std::vector<std::string>& arguments) {
  forget_outer_job();
  session().settings = read_settings(arguments, read_environment());
}

void prepare_srun(const std::vector<std::string>& arguments) {
  session().refused = why_second_attempt();
  const auto handover = take_handover();
  remember_command(handover ? with_nodes(own_command_line(), *handover) : own_command_line());
  const Environment environment = read_environment();
  session().settings = read_settings(arguments, environment);
  session().command = parse_srun_command(own_command_line(), kRelease);
  // mpirun says where its daemons go; an exported hostfile is for ranks, and would break that.
  if (starts_daemons(session().command)) ::unsetenv(kHostfile);
  session().hostfile_before = variable(kHostfile);
  if (handover) take_over(*handover);
  if (session().settings.program.empty()) session().settings.program = find_tofa();
  pass_on_request();
  // As long as srun reads its options: with a hostfile it would take one rank for each node.
  const auto ranks = implied_ranks(session().command, environment);
  if (ranks && !session().settings.off && session().refused.empty() &&
      (session().command.find("tofa") || variable(kRequest)))
    replace_ranks(*ranks);
}

// What srun was to see while it read its options is taken back.
void finish_options() {
  ::unsetenv(kOptionVariable);
  restore_ranks();
  if (session().nodes_before) ::setenv(kNodes, session().nodes_before->c_str(), 1);
  if (!session().hostfile) return;
  withdraw_hostfile();
  if (session().attempted_cpus > 0) begin_attempt(session().attempted_cpus);
}

}  // namespace
}  // namespace tofa::spank

int slurm_spank_init(spank_t spank, int argument_count, char* arguments[]) {
  using namespace tofa::spank;
  static char name[] = "tofa";
  static char value[] = "STEM";
  static char usage[] =
      "place ranks by the profile STEM (STEM.bytes.mtx or a file), on the nodes of the "
      "allocation or the best idle ones";
  static spank_option option = {name, value, usage, 1, 0, on_option};
  static char spare_name[] = "tofa-spare";
  static char spare_value[] = "N";
  static char spare_usage[] =
      "sbatch and salloc: ask for N nodes more than -N, and use the best when the job starts";
  static spank_option spare = {spare_name, spare_value, spare_usage, 1, 0, on_spare};
  try {
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS ||
        spank_option_register(spank, &spare) != ESPANK_SUCCESS) {
      slurm_info("tofa: warning: another plugin has the option --tofa or --tofa-spare");
    }
    const std::vector<std::string> site(arguments, arguments + argument_count);
    if (spank_context() == S_CTX_ALLOCATOR) prepare_allocator(site);
    if (spank_context() == S_CTX_LOCAL) prepare_srun(site);
  } catch (const std::exception& error) {
    slurm_info("tofa: warning: %s", error.what());
  }
  return ESPANK_SUCCESS;
}

// srun has read the hostfile. Tasks, and launchers among them, must not see it.
int slurm_spank_init_post_opt(spank_t /*spank*/, int /*count*/, char* /*arguments*/[]) {
  using namespace tofa::spank;
  try {
    if (spank_context() == S_CTX_LOCAL || spank_context() == S_CTX_ALLOCATOR) add_spare_nodes();
    if (spank_context() == S_CTX_LOCAL) finish_options();
  } catch (const std::exception& error) {
    slurm_info("tofa: warning: %s", error.what());
  }
  return ESPANK_SUCCESS;
}

// srun has its nodes.
int slurm_spank_local_user_init(spank_t spank, int /*count*/, char* /*arguments*/[]) {
  using namespace tofa::spank;
  try {
    attempt_succeeded();
    for (const std::string& line : session().report) slurm_verbose("%s", line.c_str());
    write_log(spank);
  } catch (const std::exception& error) {
    slurm_verbose("tofa: no line in the site's log: %s", error.what());
  }
  return ESPANK_SUCCESS;
}

// On a node, before a task starts. srun tells tasks how they were distributed, and a srun that they
// start would take "arbitrary" for a request, and look for a hostfile.
int slurm_spank_task_init(spank_t spank, int /*count*/, char* /*arguments*/[]) {
  using namespace tofa::spank;
  if (!session().of_step) return ESPANK_SUCCESS;
  std::array<char, sizeof kByHostfile> value{};
  if (spank_getenv(spank, kDistribution, value.data(), value.size()) == ESPANK_SUCCESS &&
      std::string_view(value.data()) == kByHostfile) {
    spank_unsetenv(spank, kDistribution);
  }
  return ESPANK_SUCCESS;
}
