// SPDX-License-Identifier: BSD-3-Clause
// Slurm's node states as a source of health, asked for every so many seconds: of libslurm, through
// tofa-slurm-nodes, or of sinfo where that program was not built or libslurm cannot be loaded.
// Either has a deadline, so that a slurmctld that hangs never holds up anything else. What was said
// last stays valid while Slurm fails, but not for long; after that it has no opinion.
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/toml_section.hpp"
#include "healthd/background_source.hpp"
#include "healthd/config.hpp"
#include "healthd/slurm_states.hpp"
#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {
namespace {

// For so many questions without an answer the last one holds: a slurmctld that restarts must not
// end the outages it had reported.
constexpr double kSlurmQuestions = 3;
// An estimate that is not renewed would be refused as stale.
constexpr double kLongestInterval = 300;
const std::vector<std::string> kSinfoOptions{"--noheader", "--all", "--Node", "--format=%N %T"};

struct SlurmConfig {
  double interval = 10;  // seconds from one question to the next
  double timeout = 5;    // seconds that an answer may take
  bool libslurm = true;
  std::string program = "tofa-slurm-nodes";  // which asks it
  std::string sinfo = "sinfo";
};

// The program beside this one, if it is there; otherwise it is looked for in PATH.
std::string find_beside(const std::string& program) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto beside = self.parent_path() / program;
  return std::filesystem::exists(beside, ignored) ? beside.string() : program;
}

class Slurm final : public Oracle {
 public:
  Slurm(const std::vector<std::string>& hosts, SlurmConfig config)
      : config_(std::move(config)), opinions_(hosts), stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (!stop_) {
      throw Error(ErrorKind::unavailable, fmt::format("no eventfd: {}", std::strerror(errno)));
    }
  }

  Opinions ask() override {
    try {
      return judge();
    } catch (const std::exception&) {
      libslurm_works_ = false;
      forget_stop();
      throw;
    }
  }

  void give_up() override { (void)::eventfd_write(stop_.get(), 1); }

 private:
  Opinions judge() {
    std::string remark;
    Opinions opinions = opinions_.judge(
        try_libslurm(remark) ? node_states(parse_slurm_nodes(run(config_.program, {})))
                             : parse_node_states(run(config_.sinfo, kSinfoOptions)));
    if (opinions_.known_hosts() == 0) {
      throw Error(ErrorKind::bad_input,
                  "it knows none of the hosts; [hosts] must name nodes as Slurm does");
    }
    opinions.remark = std::move(remark);
    return opinions;
  }

  // Whether there is such a program, and libslurm can be loaded. `remark` says why not.
  bool try_libslurm(std::string& remark) {
    if (!config_.libslurm || libslurm_works_) return libslurm_works_;
    try {
      (void)run(config_.program, {"--version"});
      if (!std::exchange(said_, true)) spdlog::info("Slurm is asked through {}", config_.program);
      libslurm_works_ = true;
    } catch (const Error& error) {
      said_ = false;
      remark = fmt::format(
          "Slurm is asked through {}, which tells neither reasons nor boots of nodes: {}; libslurm "
          "= false in [slurm] asks for that",
          config_.sinfo, error.what());
    }
    return libslurm_works_;
  }

  // Throws Error when there is no answer, also when nobody wants it any more.
  std::string run(const std::string& program, const std::vector<std::string>& arguments) const {
    return run_and_check(program, arguments,
                         {.deadline_seconds = config_.timeout, .interrupt = stop_.get()}, program);
  }

  // The next question may be asked again.
  void forget_stop() {
    pollfd stop{stop_.get(), POLLIN, 0};
    eventfd_t ignored = 0;
    if (::poll(&stop, 1, 0) > 0) (void)::eventfd_read(stop_.get(), &ignored);
  }

  const SlurmConfig config_;
  SlurmOpinions opinions_;
  bool libslurm_works_ = false;
  bool said_ = false;
  FileDescriptor stop_;  // readable when an answer is no longer wanted
};

// The section [slurm].
SourceMaker configure_slurm(TomlSection& section, HealthdConfig& config) {
  bool enabled = false;
  SlurmConfig slurm;
  section.flag("enabled", enabled);
  section.number("interval", 0.05, kLongestInterval, slurm.interval);
  section.number("timeout", 0.05, kLongestInterval, slurm.timeout);
  section.flag("libslurm", slurm.libslurm);
  section.text("program", slurm.program);
  section.text("sinfo", slurm.sinfo);
  config.drain = read_drain_config(section);
  section.refuse_other_keys();
  slurm.program = find_beside(slurm.program);
  config.drain.interval = slurm.interval;
  config.drain.timeout = slurm.timeout;
  config.drain.program = slurm.program;
  if (config.drain.mode != DrainMode::never && !(enabled && slurm.libslurm)) {
    section.fail("drain", "needs enabled = true and libslurm = true");
  }
  if (!enabled) return {};
  return [slurm](const HealthdConfig& all) -> std::unique_ptr<HealthSource> {
    // Whether libslurm works takes a program of its own.
    const double programs = slurm.libslurm ? 2 : 1;
    return std::make_unique<BackgroundSource>(
        BackgroundOptions{"slurm", "Slurm", slurm.interval, programs * slurm.timeout,
                          kSlurmQuestions * (slurm.interval + slurm.timeout)},
        all.hosts.size(), std::make_unique<Slurm>(names_of(all.hosts), slurm));
  };
}

}  // namespace

extern constexpr SourceKind kSlurmSource{"slurm", configure_slurm};

}  // namespace tofa::health
