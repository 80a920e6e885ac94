// SPDX-License-Identifier: BSD-3-Clause
// Slurm's node states as a source of health: sinfo is run every so many seconds, by a thread of its
// own and with a deadline, so that a slurmctld that hangs never holds up anything else. What it
// said last stays valid while it fails, but not for long; after that Slurm has no opinion.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "healthd/slurm_states.hpp"
#include "healthd/source.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

struct SlurmConfig {
  double interval = 10;  // seconds from one question to the next
  double timeout = 5;    // seconds that sinfo may take
  std::string sinfo = "sinfo";
};

class SlurmSource final : public HealthSource {
 public:
  SlurmSource(const std::vector<std::string>& hosts, SlurmConfig config);
  SlurmSource(const SlurmSource&) = delete;
  SlurmSource& operator=(const SlurmSource&) = delete;
  ~SlurmSource() override;

  std::optional<SourceReport> report(int interrupt) override;

 private:
  using Clock = std::chrono::steady_clock;

  void watch();  // the thread
  std::string ask() const;
  void take(std::vector<Verdict> verdicts);
  void complain(const std::string& problem);

  const SlurmConfig config_;
  const std::size_t hosts_;
  SlurmOpinions opinions_;  // these two are the thread's alone
  bool failing_ = false;

  std::mutex mutex_;
  std::vector<Verdict> verdicts_;  // empty until there is an answer
  bool fresh_ = false;
  Clock::time_point valid_until_;

  FileDescriptor stop_;  // readable when the thread is to end
  std::thread thread_;
};

}  // namespace tofa::health
