// SPDX-License-Identifier: BSD-3-Clause
// What `tofa doctor` makes of what it finds: whether it is well, merely not set up, or something
// that will not work, and what to do about it. Nothing here looks at the machine; see
// doctor_facts.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor_facts.hpp"

namespace tofa::cli {

enum class Verdict {
  ok,
  note,    // not set up, which may be meant
  failed,  // something does not work
};

struct Finding {
  std::string subject;
  Verdict verdict = Verdict::ok;
  std::string text;
  std::string remedy;  // empty where there is nothing to do
};

using Findings = std::vector<Finding>;

Findings check_open_mpi(const OpenMpiFacts& facts);
Findings check_inputs(const InputFacts& facts);
Findings check_slurm(const SlurmFacts& facts);

bool all_work(const Findings& findings);

// "22.05.8" of a number as Slurm's headers have it.
std::string slurm_version_text(unsigned number);

}  // namespace tofa::cli
