// SPDX-License-Identifier: BSD-3-Clause
// Options of this command: see own_options.hpp. Slurm's headers do not declare the functions, nor
// the type of the options, which only Slurm knows; they are found by name, if they are there.
#include "own_options.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace tofa::spank {
namespace {

template <class Function>
Function* find_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

void* options() {
  return ::dlsym(RTLD_DEFAULT, "opt");
}

}  // namespace

bool own_options_are_known() {
  return options() != nullptr && ::dlsym(RTLD_DEFAULT, "slurm_option_isset") != nullptr &&
         ::dlsym(RTLD_DEFAULT, "slurm_option_get") != nullptr &&
         ::dlsym(RTLD_DEFAULT, "slurm_option_set") != nullptr;
}

std::optional<std::string> own_option(const char* name) {
  const auto is_set = find_function<bool(void*, const char*)>("slurm_option_isset");
  const auto get = find_function<char*(void*, const char*)>("slurm_option_get");
  if (is_set == nullptr || get == nullptr || options() == nullptr) return std::nullopt;
  if (!is_set(options(), name)) return std::nullopt;
  // Slurm's own memory, which its own function would free; a few bytes, once.
  const char* value = get(options(), name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

bool set_own_option(const char* name, const std::string& value) {
  const auto set = find_function<int(void*, const char*, const char*, bool)>("slurm_option_set");
  return set != nullptr && options() != nullptr && set(options(), name, value.c_str(), false) == 0;
}

}  // namespace tofa::spank
