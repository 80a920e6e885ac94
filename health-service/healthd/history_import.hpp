// SPDX-License-Identifier: BSD-3-Clause
// Past outages from before tofa-healthd watched the fleet: what a log of the site tells
// (tofa/outage_log.hpp) goes into the database, and into the estimates for the time in which this
// service has not looked itself. Whatever is there already is not counted twice: an outage that
// overlaps one of its host is that one, and an estimate takes nothing from a time that it covers.
// So the same log, or a longer one, may be imported again.
//
// The log is taken to be about all hosts of the configuration: one that it does not name had no
// outage. A host whose outages alone were imported, with nothing about those that did not fail,
// would make all look bad.
#pragma once

#include <string>

#include "healthd/config.hpp"
#include "healthd/store_contents.hpp"
#include "tofa/outage_log.hpp"

namespace tofa::health {

struct ImportPlan {
  StoreContents added;        // rows to be written, beside or in place of those that are there
  std::size_t known = 0;      // outages that are there already
  std::size_t of_others = 0;  // outages of hosts that are not configured,
  std::string other;          // such as this one
};

// Pure. `now` is in seconds since 1970, as of the import.
ImportPlan plan_import(const OutageLog& log, const HealthdConfig& config,
                       const StoreContents& saved, double now);

// Reads the log (`-`: standard input) and writes to the database, which no daemon may be using.
// Returns what was done, for people. Throws tofa::Error, with file and line where it is the log's
// fault.
std::string import_history(const std::string& file, const HealthdConfig& config, double now);

}  // namespace tofa::health
