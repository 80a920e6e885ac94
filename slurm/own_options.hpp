// SPDX-License-Identifier: BSD-3-Clause
// The options of the srun, salloc or sbatch that has loaded the plugin, as they have been read:
// through the functions by which Slurm's own plugins of the kind cli_filter see and change them.
#pragma once

#include <optional>
#include <string>

namespace tofa::spank {

// Whether this command has such an interface.
bool own_options_are_known();

// By the long name without dashes. Nothing if it was not given, or if this command has no such
// interface.
std::optional<std::string> own_option(const char* name);

// False if this command has no such interface, or refuses the value.
bool set_own_option(const char* name, const std::string& value);

}  // namespace tofa::spank
