// SPDX-License-Identifier: BSD-3-Clause
// The thread waits, both between two questions and for sinfo, on a descriptor that also ends it.
#include "healthd/slurm_source.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>

#include "base/toml_section.hpp"
#include "healthd/config.hpp"
#include "tofa/child_process.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

// For so many questions without an answer the last one holds: a slurmctld that restarts must not
// end the outages it had reported.
constexpr double kValidQuestions = 3;
// An estimate that is not renewed would be refused as stale.
constexpr double kLongestInterval = 300;

std::chrono::steady_clock::duration validity(const SlurmConfig& config) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(kValidQuestions * (config.interval + config.timeout)));
}

}  // namespace

SlurmSource::SlurmSource(const std::vector<std::string>& hosts, SlurmConfig config)
    : config_(std::move(config)),
      hosts_(hosts.size()),
      opinions_(hosts),
      valid_until_(Clock::now() + validity(config_)),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!stop_) {
    throw Error(ErrorKind::unavailable, fmt::format("no eventfd: {}", std::strerror(errno)));
  }
  thread_ = std::thread([this] { watch(); });
}

SlurmSource::~SlurmSource() {
  (void)::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::optional<SourceReport> SlurmSource::report(int /*interrupt*/) {
  const std::lock_guard lock(mutex_);
  SourceReport report{.source = "slurm",
                      .verdicts = std::vector<Verdict>(hosts_, Verdict::unknown),
                      .fresh = false};
  if (Clock::now() >= valid_until_) return report;
  report.pending = verdicts_.empty();
  if (!verdicts_.empty()) report.verdicts = verdicts_;
  report.fresh = std::exchange(fresh_, false);
  return report;
}

void SlurmSource::watch() {
  pollfd stop{stop_.get(), POLLIN, 0};
  do {
    const auto asked = Clock::now();
    try {
      take(opinions_.judge(parse_node_states(ask())));
    } catch (const std::exception& error) {
      complain(error.what());
    }
    const double spent = std::chrono::duration<double>(Clock::now() - asked).count();
    const double left = std::max(0.0, config_.interval - spent);
    (void)::poll(&stop, 1, static_cast<int>(left * 1000));
  } while ((stop.revents & POLLIN) == 0);
}

// Throws Error when there is no answer, also when nobody wants it any more.
std::string SlurmSource::ask() const {
  return run_and_check(config_.sinfo, {"--noheader", "--all", "--Node", "--format=%N %T"},
                       {.deadline_seconds = config_.timeout, .interrupt = stop_.get()}, "it");
}

void SlurmSource::take(std::vector<Verdict> verdicts) {
  if (opinions_.known_hosts() == 0) {
    return complain("it knows none of the hosts; [hosts] must name nodes as Slurm does");
  }
  if (std::exchange(failing_, false)) spdlog::info("{} answers again", config_.sinfo);
  const std::lock_guard lock(mutex_);
  verdicts_ = std::move(verdicts);
  fresh_ = true;
  valid_until_ = Clock::now() + validity(config_);
}

// Once, until there is an answer again.
void SlurmSource::complain(const std::string& problem) {
  pollfd stop{stop_.get(), POLLIN, 0};
  if (::poll(&stop, 1, 0) > 0 || std::exchange(failing_, true)) return;
  spdlog::warn("cannot learn node states from {}: {}; it is asked again every {} s", config_.sinfo,
               problem, config_.interval);
}

namespace {

// The section [slurm].
SourceMaker configure_slurm(TomlSection& section, HealthdConfig& /*config*/) {
  bool enabled = false;
  SlurmConfig slurm;
  section.flag("enabled", enabled);
  section.number("interval", 0.05, kLongestInterval, slurm.interval);
  section.number("timeout", 0.05, kLongestInterval, slurm.timeout);
  section.text("sinfo", slurm.sinfo);
  section.refuse_other_keys();
  if (!enabled) return {};
  return [slurm](const HealthdConfig& config) {
    return std::make_unique<SlurmSource>(names_of(config.hosts), slurm);
  };
}

}  // namespace

extern constexpr SourceKind kSlurmSource{"slurm", configure_slurm};

}  // namespace tofa::health
