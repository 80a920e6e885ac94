// SPDX-License-Identifier: BSD-3-Clause
// Links and hosts that fail: see failures.h. SimGrid takes no profile of failures for the links of
// a cluster, so a rank turns them off.
#include "failures.h"

#include <cstdio>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <string>

int turn_off(const char* file) {
  std::ifstream lines(file);
  std::string kind;
  std::string name;
  while (lines >> kind >> name) {
    auto* const link = kind == "link" ? simgrid::s4u::Link::by_name_or_null(name) : nullptr;
    auto* const host = kind == "host" ? simgrid::s4u::Host::by_name_or_null(name) : nullptr;
    if (link != nullptr) {
      link->turn_off();
    } else if (host != nullptr) {
      host->turn_off();
    } else {
      std::fprintf(stderr, "%s: there is no %s %s\n", file, kind.c_str(), name.c_str());
      return 1;
    }
  }
  return lines.eof() ? 0 : 1;
}
