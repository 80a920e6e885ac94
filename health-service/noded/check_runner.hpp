// SPDX-License-Identifier: BSD-3-Clause
// Runs the checks of a node, one after the other, once a period: all executables of a folder. That
// is done by a thread of its own, since even looking at a file can take for ever, and heartbeats
// must be answered meanwhile. A check that is not done in time is killed with all that it started,
// and one that cannot even be killed, because the kernel holds it, is not started again before it
// has ended.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "noded/check_results.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

struct CheckOptions {
  std::string folder;
  unsigned period = 60;   // seconds from the begin of one round to that of the next
  unsigned timeout = 10;  // seconds that a check may take
  std::string memory;     // file that keeps what checks said over a restart; empty: none
};

class CheckRunner {
 public:
  // Throws tofa::Error when the folder cannot be read.
  explicit CheckRunner(CheckOptions options);
  CheckRunner(const CheckRunner&) = delete;
  CheckRunner& operator=(const CheckRunner&) = delete;
  ~CheckRunner();

  // What the last check that failed said: CheckResults::failure().
  std::string failure() const;

 private:
  void watch();  // the thread
  void run_all();
  void publish();
  void remember();        // what an earlier run was told
  void note_for_later();  // what the next one is to remember
  // The names of the checks in order; throws tofa::Error when the folder cannot be read.
  std::vector<std::string> find_checks();
  CheckOutcome run(const std::string& name);
  CheckOutcome wait_for(pid_t check, FileDescriptor output, const std::string& name);
  bool stopped(double seconds) const;  // while waiting for so long

  const CheckOptions options_;
  // The thread's alone.
  CheckResults results_;
  std::map<std::string, pid_t> unkillable_;
  std::set<std::string> complaints_;  // each is logged once
  bool folder_gone_ = false;
  std::string noted_;

  mutable std::mutex mutex_;
  std::string failure_;

  FileDescriptor stop_;  // readable when the thread is to end
  std::thread thread_;
};

}  // namespace tofa::health
