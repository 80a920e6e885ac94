// SPDX-License-Identifier: BSD-3-Clause
// Writing hostfiles: see hostfile.hpp.
#include "tofa/hostfile.hpp"

namespace tofa {

std::string format_hostfile(const std::vector<std::string>& host_of_rank) {
  std::string text;
  for (const std::string& host : host_of_rank) text += host + "\n";
  return text;
}

}  // namespace tofa
