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
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "placement.hpp"
#include "settings.hpp"
#include "srun_command.hpp"
#include "step.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"
#include "tofa/hostlist.hpp"
#include "trial.hpp"

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

namespace tofa::spank {
namespace {

constexpr const char* kHostfile = "SLURM_HOSTFILE";
constexpr const char* kRequest = "SLURM_TOFA";
// Where srun looks for an option of a plugin that was not given on its command line.
constexpr const char* kOptionVariable = "SLURM_SPANK__SLURM_SPANK_OPTION_tofa_tofa";

// What the hooks, which Slurm calls one after another, have to tell each other.
struct Session {
  Settings settings;
  SrunCommand command;
  FileDescriptor hostfile;  // open while SLURM_HOSTFILE names it
  std::optional<std::string> hostfile_before;
  std::string summary;  // for srun -v, which is not heard while options are read
  bool asked = false;   // Slurm asks once per component of a job
};

Session& session() {
  static Session the_session;
  return the_session;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos) environment[text.substr(0, sign)] = text.substr(sign + 1);
  }
  return environment;
}

std::vector<std::string> own_command_line() {
  std::vector<std::string> words(1);
  for (const char c : read_file("/proc/self/cmdline")) {
    if (c == '\0')
      words.emplace_back();
    else
      words.back() += c;
  }
  words.pop_back();
  return words;
}

// `tofa` beside this file's installation, else where it was installed, else in PATH.
std::string find_tofa() {
  Dl_info self{};
  std::vector<std::string> candidates;
  if (::dladdr(reinterpret_cast<const void*>(&slurm_spank_init), &self) != 0)
    candidates.push_back((std::filesystem::path(self.dli_fname).parent_path() / "../../bin/tofa")
                             .lexically_normal());
  candidates.emplace_back(TOFA_INSTALL_BINDIR "/tofa");
  std::istringstream path(variable("PATH").value_or(""));
  for (std::string directory; std::getline(path, directory, ':');)
    candidates.push_back(directory + "/tofa");
  for (const std::string& candidate : candidates)
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  return "tofa";
}

// --- a step is placed ---

// SLURM_HOSTFILE names a file in memory: nothing is left behind, however srun ends.
void offer_hostfile(const std::vector<std::string>& mapping) {
  const std::string text = fmt::format("{}\n", fmt::join(mapping, "\n"));
  FileDescriptor file(::memfd_create("tofa-hostfile", MFD_CLOEXEC));
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  std::size_t written = 0;
  while (file && written < text.size()) {
    const auto count = ::write(file.get(), text.data() + written, text.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (written < text.size() || ::setenv(kHostfile, path.c_str(), 1) != 0)
    throw Error(ErrorKind::unavailable, "no memory for a hostfile");
  session().hostfile = std::move(file);
}

void withdraw_hostfile() {
  session().hostfile.reset();
  if (session().hostfile_before)
    ::setenv(kHostfile, session().hostfile_before->c_str(), 1);
  else
    ::unsetenv(kHostfile);
}

// Slurm allocates the nodes that the hostfile names. Another job may take one of them between the
// trial and the allocation: this job then waits for it.
std::vector<std::string> place_new_job(const std::string& graph, const Environment& environment) {
  auto mapping = place_job(session().settings, graph, describe_job(session().command, environment));
  offer_hostfile(mapping);
  try {
    require_start_now(session().command,
                      fmt::format("/proc/{}/fd/{}", ::getpid(), session().hostfile.get()));
  } catch (...) {
    withdraw_hostfile();
    throw;
  }
  return mapping;
}

std::vector<std::string> place_in_allocation(const std::string& graph,
                                             const Environment& environment) {
  auto mapping =
      place_step(session().settings, graph, describe_step(session().command, environment));
  offer_hostfile(mapping);
  return mapping;
}

void place(const std::string& graph) {
  const Environment environment = read_environment();
  const auto mapping = inside_allocation(environment) ? place_in_allocation(graph, environment)
                                                      : place_new_job(graph, environment);
  const std::set<std::string> nodes(mapping.begin(), mapping.end());
  session().summary = fmt::format("{} ranks on {} by {}", mapping.size(),
                                  compress_hostlist({nodes.begin(), nodes.end()}), graph);
}

// What cannot be done is a warning, and an error when strictness was asked for.
int degrade(const std::string& reason) {
  if (session().settings.strict) {
    slurm_error("tofa: %s (strict: the step is not started)", reason.c_str());
    return -1;
  }
  slurm_info("tofa: warning: %s; Slurm's default placement is used", reason.c_str());
  return 0;
}

// Whether something else decides where ranks go; `result` is what to tell srun then.
bool decided_otherwise(Origin origin, int& result) {
  const std::string other = conflict(session().command);
  if (!other.empty() && (origin == Origin::command_line || session().settings.strict)) {
    slurm_error(
        "tofa: %s contradicts --tofa, which decides the node of every rank; leave one of them out "
        "(to keep nodes out, use --exclude)",
        other.c_str());
    result = -1;
    return true;
  }
  if (origin == Origin::inherited && (!other.empty() || session().hostfile_before)) {
    slurm_info("tofa: %s decides where this step runs, not %s",
               other.empty() ? kHostfile : other.c_str(), kRequest);
    result = 0;
    return true;
  }
  if (session().hostfile_before)
    slurm_info("tofa: --tofa decides where this step runs, not %s", kHostfile);
  return false;
}

int srun_asks(const std::string& graph) {
  if (graph.empty() || starts_daemons(session().command)) return 0;
  if (std::exchange(session().asked, true)) return 0;
  const Origin origin = session().command.find("tofa") ? Origin::command_line : Origin::inherited;
  // The only fence in which the nodes of a small job wait for each other; see README.md.
  ::setenv("SLURM_PMIX_FENCE", "ring", 0);
  for (const std::string& problem : session().settings.problems)
    slurm_info("tofa: warning: plugstack.conf: %s", problem.c_str());
  int result = 0;
  if (decided_otherwise(origin, result)) return result;
  try {
    place(graph);
  } catch (const std::exception& error) {
    return degrade(error.what());
  }
  return 0;
}

// Relative to where salloc or sbatch was called: the script may go elsewhere.
int allocator_asks(const std::string& graph) {
  if (graph.empty()) return ::unsetenv(kRequest);
  return ::setenv(kRequest, std::filesystem::absolute(graph).c_str(), 1);
}

// --- hooks ---

int on_option(int /*which*/, const char* argument, int remote) {
  const std::string graph = argument == nullptr ? "" : argument;
  try {
    if (remote != 0 || variable(kTrialVariable)) return 0;
    return spank_context() == S_CTX_LOCAL ? srun_asks(graph) : allocator_asks(graph);
  } catch (const std::exception& error) {
    return degrade(error.what());
  }
}

// salloc and sbatch leave their option in Slurm's variable as it was given, relative to where they
// were called; SLURM_TOFA has the whole path.
void pass_on_request() {
  const auto request = variable(kRequest);
  if (session().command.find("tofa"))
    ::unsetenv(kOptionVariable);
  else if (request)
    ::setenv(kOptionVariable, request->c_str(), 1);
}

void prepare_srun(const std::vector<std::string>& arguments) {
  const Environment environment = read_environment();
  session().settings = read_settings(arguments, environment);
  session().command = parse_srun_command(own_command_line());
  // mpirun says where its daemons go; an exported hostfile is for ranks, and would break that.
  if (starts_daemons(session().command)) ::unsetenv(kHostfile);
  session().hostfile_before = variable(kHostfile);
  if (session().settings.program.empty()) session().settings.program = find_tofa();
  pass_on_request();
}

}  // namespace
}  // namespace tofa::spank

int slurm_spank_init(spank_t spank, int argument_count, char* arguments[]) {
  using namespace tofa::spank;
  static char name[] = "tofa";
  static char value[] = "STEM";
  static char usage[] =
      "place ranks by the profile STEM (STEM.bytes.mtx or a file), on the nodes of the allocation "
      "or "
      "the best idle ones";
  static spank_option option = {name, value, usage, 1, 0, on_option};
  try {
    if (spank_option_register(spank, &option) != ESPANK_SUCCESS)
      slurm_info("tofa: warning: another plugin has the option --tofa");
    if (spank_context() == S_CTX_LOCAL && !variable(kTrialVariable))
      prepare_srun({arguments, arguments + argument_count});
  } catch (const std::exception& error) {
    slurm_info("tofa: warning: %s", error.what());
  }
  return ESPANK_SUCCESS;
}

// srun has read the hostfile. Tasks, and launchers among them, must not see it.
int slurm_spank_init_post_opt(spank_t /*spank*/, int /*count*/, char* /*arguments*/[]) {
  using namespace tofa::spank;
  if (spank_context() != S_CTX_LOCAL) return ESPANK_SUCCESS;
  ::unsetenv(kOptionVariable);
  if (!session().hostfile) return ESPANK_SUCCESS;
  withdraw_hostfile();
  return ESPANK_SUCCESS;
}

// srun has its nodes.
int slurm_spank_local_user_init(spank_t /*spank*/, int /*count*/, char* /*arguments*/[]) {
  const std::string& summary = tofa::spank::session().summary;
  if (!summary.empty()) slurm_verbose("tofa: %s", summary.c_str());
  return ESPANK_SUCCESS;
}
