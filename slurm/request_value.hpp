// SPDX-License-Identifier: BSD-3-Clause
// Values of srun's options and of the variables that stand for them.
#pragma once

#include <fmt/core.h>

#include <map>
#include <optional>
#include <string>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::spank {

using Environment = std::map<std::string, std::string>;

// An empty variable is none.
inline std::optional<std::string> find_variable(const Environment& environment,
                                                const std::string& name) {
  const auto found = environment.find(name);
  if (found == environment.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

// Throws Error (unavailable), naming `what` has the value.
inline unsigned positive_number(const std::string& what, const std::string& text) {
  const auto value = parse_number<unsigned>(text);
  if (!value || *value == 0)
    throw Error(ErrorKind::unavailable, fmt::format("{} {} is not a number", what, excerpt(text)));
  return *value;
}

}  // namespace tofa::spank
