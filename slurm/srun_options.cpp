// SPDX-License-Identifier: BSD-3-Clause
// The table of srun's options: see srun_options.hpp. Its sources:
//   - src/common/slurm_opt.c of 22.05.8 and of 24.11.5, the array common_options without what only
//     salloc, sbatch or scrontab have: names, values and letters;
//   - NEWS of 24.11.5, which names the release of most that came or went in between; for the others
//     the earliest release that it can be is given, or the latest;
//   - CHANGELOG and man page srun(1) of 25.05 to 26.05 for what came later.
// A test asks the srun that is installed about every line, and about every option it lists itself.
#include "srun_options.hpp"

namespace tofa::spank {
namespace {

constexpr SrunOption kOptions[] = {
    // clang-format off
    {"accel-bind", Value::required},
    {"account", Value::required, 'A'},
    {"acctg-freq", Value::required},
    {"async", Value::none, 0, 2605},
    {"autocomplete", Value::required, 0, 2302},
    {"bb", Value::required},
    {"bbf", Value::required},
    {"bcast", Value::optional},
    {"bcast-exclude", Value::required},
    {"begin", Value::required, 'b'},
    {"chdir", Value::required, 'D'},
    {"cluster", Value::required},
    {"cluster-constraint", Value::required},
    {"clusters", Value::required, 'M'},
    {"comment", Value::required},
    {"compress", Value::optional},
    {"constraint", Value::required, 'C'},
    {"container", Value::required},
    {"container-id", Value::required, 0, 2302},
    {"container-type", Value::required, 0, 2605},
    {"context", Value::required},
    {"contiguous", Value::none},
    {"core-spec", Value::required, 'S'},
    {"cores-per-socket", Value::required},
    {"cpu-bind", Value::required},
    {"cpu-freq", Value::required},
    {"cpu_bind", Value::required},
    {"cpus-per-gpu", Value::required},
    {"cpus-per-task", Value::required, 'c'},
    {"deadline", Value::required},
    {"debugger-test", Value::none},
    {"delay-boot", Value::required},
    {"dependency", Value::required, 'd'},
    {"disable-status", Value::none, 'X'},
    {"distribution", Value::required, 'm'},
    {"epilog", Value::required},
    {"error", Value::required, 'e'},
    {"exact", Value::none},
    {"exclude", Value::required, 'x'},
    {"exclusive", Value::optional},
    {"export", Value::required},
    {"external-launcher", Value::optional, 0, 2311},
    {"extra", Value::required, 0, 2302},
    {"extra-node-info", Value::required, 'B'},
    {"gid", Value::required, 0, 0, 2302},
    {"gpu-bind", Value::required},
    {"gpu-freq", Value::required},
    {"gpus", Value::required, 'G'},
    {"gpus-per-node", Value::required},
    {"gpus-per-socket", Value::required},
    {"gpus-per-task", Value::required},
    {"gres", Value::required},
    {"gres-flags", Value::required},
    {"help", Value::none, 'h'},
    {"het-group", Value::required},
    {"hint", Value::required},
    {"hold", Value::none, 'H'},
    {"ignore-signals", Value::required, 0, 2605},
    {"immediate", Value::optional, 'I'},
    {"input", Value::required, 'i'},
    {"interactive", Value::none},
    {"job-name", Value::required, 'J'},
    {"jobid", Value::required},
    {"kill-on-bad-exit", Value::optional, 'K'},
    {"label", Value::none, 'l'},
    {"licenses", Value::required, 'L'},
    {"mail-type", Value::required},
    {"mail-user", Value::required},
    {"mcs-label", Value::required},
    {"mem", Value::required},
    {"mem-bind", Value::required},
    {"mem-per-cpu", Value::required},
    {"mem-per-gpu", Value::required},
    {"mem-update", Value::required, 0, 2605},
    {"mincpus", Value::required},
    {"mpi", Value::required},
    {"msg-timeout", Value::required},
    {"multi-prog", Value::none},
    {"network", Value::required},
    {"nice", Value::optional},
    {"no-allocate", Value::none, 'Z'},
    {"no-kill", Value::optional, 'k'},
    {"nodefile", Value::required, 'F'},
    {"nodelist", Value::required, 'w'},
    {"nodes", Value::required, 'N'},
    {"ntasks", Value::required, 'n'},
    {"ntasks-per-core", Value::required},
    {"ntasks-per-gpu", Value::required},
    {"ntasks-per-node", Value::required},
    {"ntasks-per-socket", Value::required},
    {"ntasks-per-tres", Value::required},
    {"oom-kill-step", Value::optional, 0, 2411},
    {"open-mode", Value::required},
    {"output", Value::required, 'o'},
    {"overcommit", Value::none, 'O'},
    {"overlap", Value::optional},
    {"oversubscribe", Value::none, 's'},
    {"pack-group", Value::required},
    {"parsable", Value::none, 0, 2605},
    {"partition", Value::required, 'p'},
    {"power", Value::required, 0, 0, 2405},
    {"prefer", Value::required},
    {"preserve-env", Value::none, 'E'},
    {"priority", Value::required},
    {"profile", Value::required},
    {"prolog", Value::required},
    {"propagate", Value::optional},
    {"pty", Value::none, 0, 0, 2205},
    {"pty", Value::optional, 0, 2302},
    {"qos", Value::required, 'q'},
    {"quiet", Value::none, 'Q'},
    {"quit-on-interrupt", Value::none},
    {"reboot", Value::none},
    {"relative", Value::required, 'r'},
    {"reservation", Value::required},
    {"resources", Value::required, 0, 2605},
    {"resv-ports", Value::optional},
    {"segment", Value::required, 0, 2405},
    {"send-libs", Value::optional},
    {"signal", Value::required},
    {"slurmd-debug", Value::required},
    {"sockets-per-node", Value::required},
    {"spread-job", Value::none},
    {"stepmgr", Value::none, 0, 2405},
    {"switches", Value::required},
    {"task-epilog", Value::required},
    {"task-prolog", Value::required},
    {"tasks-per-node", Value::required},
    {"test-only", Value::none},
    {"thread-spec", Value::required},
    {"threads", Value::required, 'T'},
    {"threads-per-core", Value::required},
    {"time", Value::required, 't'},
    {"time-min", Value::required},
    {"tmp", Value::required},
    {"tofa", Value::required},  // the plugin's own, as is the next
    {"tofa-spare", Value::required},
    {"treewidth", Value::required, 0, 2311},
    {"tres-bind", Value::required, 0, 2311},
    {"tres-per-task", Value::required, 0, 2302},
    {"uid", Value::required, 0, 0, 2302},
    {"unbuffered", Value::none, 'u'},
    {"usage", Value::none},
    {"use-min-nodes", Value::none},
    {"verbose", Value::none, 'v'},
    {"version", Value::none, 'V'},
    {"wait", Value::required, 'W'},
    {"wait-for-children", Value::none, 0, 2505},
    {"wckey", Value::required},
    {"whole", Value::none},
    {"x11", Value::optional},
    // clang-format on
};

}  // namespace

std::span<const SrunOption> srun_options() {
  return kOptions;
}

const SrunOption* find_srun_option(std::string_view name, Release release) {
  const SrunOption* found = nullptr;
  bool several = false;
  for (const SrunOption& option : kOptions) {
    if (!option.is_in(release) || !option.name.starts_with(name)) continue;
    if (option.name == name) return &option;
    several = found != nullptr;
    found = &option;
  }
  return several ? nullptr : found;
}

const SrunOption* find_srun_option(char letter, Release release) {
  for (const SrunOption& option : kOptions)
    if (option.letter == letter && option.is_in(release)) return &option;
  return nullptr;
}

}  // namespace tofa::spank
