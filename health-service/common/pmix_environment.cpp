// SPDX-License-Identifier: BSD-3-Clause
// Collects the names first and removes them afterwards, since unsetenv() moves the entries that are
// being gone through.
#include "common/pmix_environment.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::health {

void prepare_environment_of_pmix() {
  static constexpr std::array<std::string_view, 7> prefixes = {
      "PMIX_", "OMPI_", "PRTE_", "ORTE_", "PMI_", "PMI2_", "SLURM_PMI"};
  std::vector<std::string> doomed;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    for (const std::string_view prefix : prefixes) {
      if (variable.starts_with(prefix)) doomed.emplace_back(variable.substr(0, variable.find('=')));
    }
  }
  for (const std::string& name : doomed) ::unsetenv(name.c_str());
  ::setenv("HOME", "/", 0);
}

}  // namespace tofa::health
