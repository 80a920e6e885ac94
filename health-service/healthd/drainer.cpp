// SPDX-License-Identifier: BSD-3-Clause
// One question at a time: it carries what is to be done, and its answer is how things are after
// that, so that no decision is made from how they were before.
#include "healthd/drainer.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::health {
namespace {

constexpr auto kDecisionHolds = std::chrono::seconds(60);
constexpr const char* kDrainUser = "tofa-healthd";
constexpr const char* kAsked = "tofa-slurm-nodes";

std::chrono::steady_clock::time_point after(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

// As Slurm says, and as this service does.
std::vector<DrainHost> join_hosts(const DrainConfig& config, const std::vector<SlurmNode>& nodes,
                                  const Fleet& fleet, double time) {
  std::vector<DrainHost> hosts(fleet.size());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].host = fleet.name(i);
    names.push_back(fleet.name(i));
    const auto outlook = fleet.outlook(i, time, config.horizon, config.above);
    if (!outlook) continue;
    hosts[i].usable = fleet.up(i) && fleet.seen(i) && !fleet.planned(i);
    hosts[i].probability = outlook->probability;
    hosts[i].low = outlook->low;
  }
  const HostIndex index(std::move(names));
  for (const SlurmNode& node : nodes) {
    if (const auto host = index.find(node.name)) hosts[*host].node = node;
  }
  return hosts;
}

std::string hosts_of(const std::vector<DrainAction>& actions, ChangeKind kind) {
  std::vector<std::string> hosts;
  for (const DrainAction& action : actions) {
    if (action.kind == kind && !action.only_noted) hosts.push_back(action.host);
  }
  return compress_hostlist(hosts);
}

// What would be done.
std::string describe_plan(const std::vector<DrainAction>& actions) {
  const std::string drained = hosts_of(actions, ChangeKind::drain);
  const std::string resumed = hosts_of(actions, ChangeKind::resume);
  std::string text;
  if (!drained.empty()) text = fmt::format("Slurm would be told to drain {}", drained);
  if (!resumed.empty()) {
    text +=
        fmt::format("{} resume {}", text.empty() ? "Slurm would be told to" : " and to", resumed);
  }
  return text.empty() ? text : text + " (drain = \"show\")";
}

void log_plan(const std::vector<DrainAction>& actions) {
  for (const DrainAction& action : actions) {
    if (action.kind == ChangeKind::release || action.only_noted) continue;
    spdlog::info("{} would be {} in Slurm ({})", action.host,
                 action.kind == ChangeKind::drain ? "drained" : "resumed", action.reason);
  }
}

std::string list_drained(const Drains& drains) {
  std::vector<std::string> hosts;
  for (const auto& [host, how] : drains.drained()) hosts.push_back(host);
  return compress_hostlist(hosts);
}

// By an earlier configuration.
std::string describe_left(const Drains& drains) {
  if (drains.drained().empty()) return "";
  return fmt::format("drained in Slurm, and left so while [slurm] has drain = \"never\": {}",
                     list_drained(drains));
}

}  // namespace

Drainer::Drainer(DrainConfig config)
    : config_(std::move(config)),
      uid_(::geteuid()),
      next_(Clock::now()),
      retry_(Clock::now()),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  board_.config = config_;
  if (!stop_) {
    throw Error(ErrorKind::unavailable, fmt::format("no eventfd: {}", std::strerror(errno)));
  }
}

Drainer::~Drainer() {
  (void)::eventfd_write(stop_.get(), 1);
  if (answer_.valid()) answer_.wait();
}

void Drainer::step(const Fleet& fleet, bool hold, Drains& drains, Writer& writer,
                   std::uint64_t done, double time) {
  hold_ = hold;
  if (config_.mode == DrainMode::never) return tell_of_left(drains);
  if (noting_) {
    if (noting_->number <= done) finish_noting(drains, hold);
    return;
  }
  if (!answer_.valid()) {
    if (Clock::now() >= next_) start({});
    return;
  }
  if (answer_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  const Answer answer = answer_.get();
  std::vector<Change> rows = settle(answer, drains, time);
  std::vector<DrainAction> actions;
  if (answer.problem.empty()) {
    const auto hosts = join_hosts(config_, answer.nodes, fleet, time);
    actions = drains.plan(config_, hosts, hold, uid_);
    board_.asked = time;
    board_.most = most_drained(config_, hosts.size());
    board_.hosts = drains.standings(config_, hosts, hold, uid_);
  }
  board_.trouble = trouble(answer);
  if (answer.problem.empty()) {
    if (config_.mode == DrainMode::show) return show(actions);
  }
  act(actions, std::move(rows), writer, time);
  remark_ = drains.drained().empty() ? "" : "drained in Slurm: " + list_drained(drains);
  if (!answer.problem.empty()) remark_ = "no node is drained or resumed: " + answer.problem;
}

// Only what an earlier configuration drained.
void Drainer::tell_of_left(const Drains& drains) {
  remark_ = describe_left(drains);
  std::vector<DrainHost> hosts;
  for (const auto& [host, how] : drains.drained()) hosts.push_back({.host = host});
  board_.hosts = drains.standings(config_, hosts, false);
}

std::string Drainer::trouble(const Answer& answer) const {
  if (!answer.problem.empty()) return "Slurm does not tell of its nodes: " + answer.problem;
  const auto left = std::chrono::duration<double>(retry_ - Clock::now()).count();
  if (left <= 0) return "";
  return fmt::format("{}; tried again in {:.0f} s", complaint_, left);
}

void Drainer::start(std::vector<DrainAction> actions) {
  next_ = after(config_.interval);
  try {
    answer_ = std::async(std::launch::async,
                         [this, actions = std::move(actions)] { return ask(actions); });
  } catch (const std::exception& error) {
    complain(fmt::format("no nodes to drain are known: {}", error.what()));
  }
}

Drainer::Answer Drainer::ask(const std::vector<DrainAction>& actions) const {
  Answer answer;
  const ChildLimits limits{.deadline_seconds = config_.timeout, .interrupt = stop_.get()};
  const auto begun = Clock::now();
  for (const DrainAction& action : actions) {
    // The rest is decided again.
    if (hold_ || Clock::now() - begun > kDecisionHolds) break;
    const bool drain = action.kind == ChangeKind::drain;
    try {
      const ChildResult result = run_to_end(
          config_.program, {drain ? "--drain" : "--resume", action.node, "--reason", action.reason},
          limits, kAsked);
      if (result.status == 0) {
        answer.done.push_back(action);
      } else if (result.status == kLeftAlone) {
        answer.left_alone.push_back(complaint_of(result));
      } else {
        answer.refused = result.status != kNotReached;
        answer.failed = fmt::format("{}: {} failed: {}", action.host, kAsked, complaint_of(result));
        break;
      }
    } catch (const std::exception& error) {
      answer.failed = fmt::format("{}: {}", action.host, error.what());
      break;
    }
  }
  try {
    answer.nodes = parse_slurm_nodes(run_and_check(config_.program, {}, limits, kAsked));
  } catch (const std::exception& error) {
    answer.problem = error.what();
  }
  return answer;
}

std::vector<Change> Drainer::settle(const Answer& answer, Drains& drains, double time) {
  std::vector<Change> rows;
  for (const DrainAction& action : answer.done) {
    const bool drain = action.kind == ChangeKind::drain;
    spdlog::warn("{} {} in Slurm ({})", drain ? "drained" : "resumed", action.host, action.reason);
    if (drain) continue;
    rows.push_back(row_of(action, time));
    drains.apply(rows.back(), true);
  }
  for (const std::string& why : answer.left_alone) spdlog::info("{}", why);
  if (!answer.failed.empty()) {
    retry_ = after(pause_.after(answer.refused ? DrainOutcome::refused : DrainOutcome::unanswered));
    complain("cannot change nodes in Slurm: " + answer.failed);
  } else if (!answer.done.empty()) {
    (void)pause_.after(DrainOutcome::done);
    complaint_.clear();
  }
  return rows;
}

void Drainer::show(const std::vector<DrainAction>& actions) {
  std::string remark = describe_plan(actions);
  if (remark != remark_) log_plan(actions);
  remark_ = std::move(remark);
}

// A drain is noted before it is done: a crash between the two leaves a note too many, and never a
// drained node that nobody resumes.
void Drainer::act(const std::vector<DrainAction>& actions, std::vector<Change> rows, Writer& writer,
                  double time) {
  std::vector<DrainAction> next;
  for (const DrainAction& action : actions) {
    const bool others = action.kind == ChangeKind::release;
    if (others) spdlog::info("{} was drained here, others have decided since", action.host);
    const bool to_do = !others && !action.only_noted;
    if (to_do && Clock::now() < retry_) continue;
    if (to_do) next.push_back(action);
    if (action.kind != ChangeKind::resume || action.only_noted)
      rows.push_back(row_of(action, time));
    if (action.kind == ChangeKind::drain && action.only_noted) {
      spdlog::info("{} is drained by an earlier order of this service ({})", action.host,
                   action.reason);
    }
  }
  if (rows.empty()) {
    if (!next.empty()) start(std::move(next));
    return;
  }
  const auto note = std::make_shared<Note>(Note{std::move(rows), ""});
  const std::uint64_t number = writer.run([note](Store& store) {
    try {
      store.save_changes(note->rows);
    } catch (const std::exception& error) {
      note->problem = error.what();
    }
  });
  noting_ = Noting{number, note, std::move(next), Clock::now()};
}

// What the disk was too slow for is decided again: Slurm says then that nothing was done.
void Drainer::finish_noting(Drains& drains, bool hold) {
  Noting noted = *std::exchange(noting_, std::nullopt);
  if (!noted.note->problem.empty()) {
    return complain("no node is drained or resumed: " + noted.note->problem);
  }
  for (const Change& row : noted.note->rows) drains.apply(row, true);
  if (hold || Clock::now() - noted.decided > kDecisionHolds) noted.next.clear();
  if (!noted.next.empty()) start(std::move(noted.next));
}

Change Drainer::row_of(const DrainAction& action, double time) const {
  return {.time = time,
          .uid = uid_,
          .user = kDrainUser,
          .kind = action.kind,
          .host = action.host,
          .reason = action.reason,
          .start = time};
}

// Once, until something works or it is something else.
void Drainer::complain(const std::string& problem) {
  if (problem != complaint_) spdlog::error("{}", problem);
  complaint_ = problem;
}

}  // namespace tofa::health
