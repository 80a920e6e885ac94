// SPDX-License-Identifier: BSD-3-Clause
// `tofa doctor`: what of tofa, Open MPI and Slurm is found on this machine, what is not, and what
// to do about it.
#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "doctor_checks.hpp"
#include "doctor_facts.hpp"
#include "report.hpp"
#include "subcommands.hpp"

namespace tofa::cli {
namespace {

struct DoctorOptions {
  std::string nodes;
  bool json = false;
};

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::note:
      return "note";
    case Verdict::failed:
      return "failed";
  }
  return "";
}

Findings examine(const DoctorOptions& options) {
  const char* allocated = std::getenv("SLURM_JOB_NODELIST");
  const std::string nodes =
      !options.nodes.empty() || allocated == nullptr ? options.nodes : allocated;
  Findings findings = check_open_mpi(find_open_mpi());
  for (const Findings& more :
       {check_inputs(find_inputs(unique_hosts(nodes))), check_slurm(find_slurm())})
    findings.insert(findings.end(), more.begin(), more.end());
  return findings;
}

std::string as_text(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text +=
        fmt::format("{:<6} {:<15} {}\n", name_of(finding.verdict), finding.subject, finding.text);
    if (!finding.remedy.empty()) text += fmt::format("{:<22} > {}\n", "", finding.remedy);
  }
  return text;
}

std::string as_json(const Findings& findings) {
  auto list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    list.push_back({{"subject", finding.subject},
                    {"verdict", name_of(finding.verdict)},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  }
  return json_text({{"ok", all_work(findings)}, {"findings", std::move(list)}});
}

// The exit status.
int run(const DoctorOptions& options) {
  const Findings findings = examine(options);
  write_output("", options.json ? as_json(findings) : as_text(findings));
  return all_work(findings) ? 0 : 1;
}

void add_doctor(Command& command) {
  auto options = std::make_shared<DoctorOptions>();
  command
      .add_option("--nodes", options->nodes,
                  "Nodes that the topology must have (default: those of this Slurm job)")
      ->check(kNotEmpty)
      ->type_name("HOSTLIST");
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Exit status: 0 all that is set up works, 1 something does not.\n"
      "Examples:\n"
      "  tofa doctor\n"
      "  tofa doctor --nodes 'n[000-063]'\n"
      "  srun -N 64 --ntasks-per-node 1 sh -c 'tofa doctor >/dev/null || hostname'");
  command.callback([options, &command] { command.set_exit_status(run(*options)); });
}

}  // namespace

extern constexpr Subcommand kDoctorCommand{
    "doctor", "Say what is set up on this machine, what does not work, and how to mend it",
    add_doctor};

}  // namespace tofa::cli
