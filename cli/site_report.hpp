// SPDX-License-Identifier: BSD-3-Clause
// `tofa report --site`: what placements brought to the site.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace tofa::cli {

struct SiteReportOptions {
  std::vector<std::string> files;
  bool json = false;
};

void add_site_report_options(Command& command, SiteReportOptions& options);
void print_site_report(const SiteReportOptions& options);

}  // namespace tofa::cli
