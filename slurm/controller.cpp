// SPDX-License-Identifier: BSD-3-Clause
// Asking Slurm's controller: see controller.hpp. Only what slurm/slurm.h offers of each release.
#include "controller.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "step.hpp"
#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::spank {
namespace {

// Steps above are the batch script, a shell and what Slurm keeps beside every job.
constexpr std::uint32_t kFirstSpecialStep = 0xfffffff0;

// Called by name, not by address: the plugin can then be loaded, and looked at, outside of Slurm.
struct Free {
  void operator()(job_info_msg_t* message) const { slurm_free_job_info_msg(message); }
  void operator()(node_info_msg_t* message) const { slurm_free_node_info_msg(message); }
  void operator()(job_step_info_response_msg_t* message) const {
    slurm_free_job_step_info_response_msg(message);
  }
};

template <class Message>
using Answer = std::unique_ptr<Message, Free>;

std::string text(const char* words) {
  return words == nullptr ? std::string() : words;
}

// By name, the hardware of those of these nodes that are not down.
std::map<std::string, slurm::NodeResources> ask_hardware(const std::vector<std::string>& names) {
  const std::set<std::string> wanted(names.begin(), names.end());
  std::map<std::string, slurm::NodeResources> hardware;
  node_info_msg_t* message = nullptr;
  if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) return {};
  const Answer<node_info_msg_t> answer(message);
  for (std::uint32_t i = 0; i < message->record_count; ++i) {
    const node_info_t& node = message->node_array[i];
    const std::string name = text(node.name);
    if (!wanted.contains(name) || (node.node_state & NODE_STATE_BASE) == NODE_STATE_DOWN) continue;
    slurm::NodeResources& known = hardware[name];
    known.name = name;
    // Where the threads of a core are not counted as processors, a core is one.
    const unsigned cores = node.boards * node.sockets * node.cores;
    const bool counts_threads = cores > 0 && node.cpus > cores;
    known.threads_per_core = counts_threads ? node.cpus / cores : 1;
    known.sockets = node.boards * node.sockets;
    known.cpus = node.cpus;
    known.memory = node.real_memory;
  }
  return hardware;
}

// By name, the processors of the job on its nodes, as Slurm told this process: its library has not
// told them of a job since 23.11.
std::map<std::string, unsigned> allocated_processors() {
  const char* list = std::getenv("SLURM_JOB_NODELIST");
  const char* counts = std::getenv("SLURM_JOB_CPUS_PER_NODE");
  std::map<std::string, unsigned> processors;
  if (list == nullptr || counts == nullptr) return processors;
  const auto names = expand_hostlist(list);
  const auto numbers = expand_counts(counts);
  for (std::size_t i = 0; i < std::min(names.size(), numbers.size()); ++i)
    processors[names[i]] = numbers[i];
  return processors;
}

void add_nodes(const slurm_job_info_t& job, JobState& state) {
  const auto names = expand_hostlist(text(job.nodes));
  auto hardware = ask_hardware(names);
  if (hardware.empty()) return;
  const auto processors = allocated_processors();
  const bool per_cpu = (job.pn_min_memory & MEM_PER_CPU) != 0;
  const std::uint64_t memory = job.pn_min_memory & ~MEM_PER_CPU;
  state.counts_memory = memory > 0;
  const bool details_fit = job.gres_detail_cnt == names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto entry = hardware.find(names[i]);
    if (entry == hardware.end()) continue;
    slurm::NodeResources node = entry->second;
    const auto known = processors.find(names[i]);
    const unsigned allocated = known == processors.end() ? node.cpus : known->second;
    // Which sockets a part of a node is on is not told.
    if (allocated < node.cpus) node.sockets = 0;
    node.cpus = allocated;
    if (memory > 0) node.memory = per_cpu ? memory * allocated : memory;
    if (details_fit) node.gres = slurm::parse_known_gres(text(job.gres_detail_str[i]));
    state.nodes.push_back(std::move(node));
  }
}

// srun leaves when its ranks have, a moment before the controller frees their nodes.
bool has_ended(const job_step_info_t& step) {
  std::array<char, 256> here{};
  if (::gethostname(here.data(), here.size() - 1) != 0) return false;
  const std::string name(here.data());
  return text(step.srun_host) == name.substr(0, name.find('.')) &&
         ::kill(static_cast<pid_t>(step.srun_pid), 0) != 0 && errno == ESRCH;
}

// One task of an array has the number of the array as its own, for which the controller answers
// with the records, and with the steps, of all of them.
const slurm_job_info_t* find_job(const job_info_msg_t& message, std::uint32_t job) {
  for (std::uint32_t i = 0; i < message.record_count; ++i)
    if (message.job_array[i].job_id == job) return &message.job_array[i];
  return nullptr;
}

std::vector<OtherStep> ask_steps(std::uint32_t job) {
  std::vector<OtherStep> steps;
  job_step_info_response_msg_t* message = nullptr;
  if (slurm_get_job_steps(0, job, NO_VAL, &message, SHOW_ALL) != SLURM_SUCCESS) return steps;
  const Answer<job_step_info_response_msg_t> answer(message);
  for (std::uint32_t i = 0; i < message->job_step_count; ++i) {
    const job_step_info_t& step = message->job_steps[i];
    if (step.step_id.job_id != job || step.step_id.step_id >= kFirstSpecialStep ||
        step.state != JOB_RUNNING) {
      continue;
    }
    steps.push_back({expand_hostlist(text(step.nodes)), step.num_cpus,
                     static_cast<long>(step.srun_pid), has_ended(step)});
  }
  return steps;
}

// The controller also serves others, so it is asked less often the longer it takes.
void wait_for_ending_steps(std::uint32_t job, JobState& state) {
  using namespace std::chrono_literals;
  const auto one_is_ending = [&state] {
    return std::any_of(state.steps.begin(), state.steps.end(),
                       [](const OtherStep& step) { return step.ending; });
  };
  for (const auto pause : {20ms, 40ms, 80ms, 160ms, 160ms}) {
    if (!one_is_ending()) break;
    std::this_thread::sleep_for(pause);
    state.steps = ask_steps(job);
  }
  std::erase_if(state.steps, [](const OtherStep& step) { return step.ending; });
}

JobState ask(std::uint32_t job) {
  JobState state;
  job_info_msg_t* message = nullptr;
  if (slurm_load_job(&message, job, SHOW_DETAIL) != SLURM_SUCCESS) return state;
  const Answer<job_info_msg_t> answer(message);
  if (const slurm_job_info_t* record = find_job(*message, job)) add_nodes(*record, state);
  state.steps = ask_steps(job);
  wait_for_ending_steps(job, state);
  return state;
}

}  // namespace

JobState ask_controller(std::uint32_t job) {
  try {
    return ask(job);
  } catch (const Error&) {
    return {};  // a list or a count that is none
  }
}

unsigned threads_per_core(const std::vector<std::string>& nodes) {
  unsigned most = 1;
  for (const auto& [name, node] : ask_hardware(nodes)) most = std::max(most, node.threads_per_core);
  return most;
}

}  // namespace tofa::spank
