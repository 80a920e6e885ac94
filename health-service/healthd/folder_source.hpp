// SPDX-License-Identifier: BSD-3-Clause
// A folder that other tools write to as a source of health: burn-in tests, temperature alarms, a
// script of the site. It is looked through once a period, by a thread of its own, and whatever lies
// there (fifos, links, huge files) is safe to look at. A file counts while it is young, so that a
// tool that has died says nothing.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "healthd/background_source.hpp"
#include "healthd/host_reports.hpp"

namespace tofa::health {

struct FolderConfig {
  std::string path;
  double max_age = 300;  // seconds since a file was written, beyond which it says nothing
  double period = 5;     // seconds from one look to the next
};

class FolderReader final : public Oracle {
 public:
  FolderReader(std::vector<std::string> hosts, FolderConfig config);

  // Throws tofa::Error when the folder cannot be read.
  Opinions ask() override;

 private:
  // What tells that a file has not changed since.
  struct Stamp {
    std::uint64_t inode = 0;
    std::int64_t size = -1;
    std::int64_t written = 0;  // nanoseconds since 1970
    std::int64_t changed = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Known {
    Stamp stamp;
    ReportFile file;
  };
  struct PassedOver {
    std::size_t files = 0;
    std::string first;  // and why
    void add(const std::string& name, const char* why);
  };

  void look_at(int folder, const std::string& name, double now, std::map<std::string, Known>& found,
               PassedOver& passed_over);

  const HostIndex hosts_;
  const FolderConfig config_;
  std::map<std::string, Known> known_;  // from the look before, by name
};

}  // namespace tofa::health
