// SPDX-License-Identifier: BSD-3-Clause
// A check leads a process group, and the group is killed before its leader is waited for: until
// then no other process can have its number.
#include "noded/check_runner.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <memory>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

extern "C" {  // which the header of glibc 2.36 leaves out
#include <sys/pidfd.h>
}

namespace tofa::health {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostChecks = 100;
constexpr std::size_t kMostOutput = 1024;  // of which the first line counts
constexpr int kKillMilliseconds = 1000;    // what hangs in the kernel outlives SIGKILL

// As cron does it: a check must not depend on how the agent was started, and the agent's own
// variables, such as where its key is, are not for it.
constexpr std::array<const char*, 3> kEnvironment{"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                                                  "LC_ALL=C.UTF-8", nullptr};

int milliseconds_until(Clock::time_point deadline) {
  const double left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  return static_cast<int>(std::ceil(std::clamp(left, 0.0, 1e9)));
}

// Descriptor numbers of a pipe must not be those that become the check's standard streams.
FileDescriptor above_standard_streams(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return FileDescriptor(fd);
  const FileDescriptor low(fd);
  return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// Starts it in a process group of its own with `output` as its standard output and error. Returns
// an error number.
int spawn_check(const std::string& path, int output, pid_t& check) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::array<char*, 2> arguments{const_cast<char*>(path.c_str()), nullptr};
  const int error = ::posix_spawn(&check, path.c_str(), &files, &attributes, arguments.data(),
                                  const_cast<char* const*>(kEnvironment.data()));
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

// Keeps the first part of what there is to read; false at its end.
bool read_some(int fd, std::string& output) {
  std::array<char, 4096> data{};
  const ssize_t size = ::read(fd, data.data(), data.size());
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  const std::size_t room = kMostOutput - std::min(kMostOutput, output.size());
  output.append(data.data(), std::min(room, static_cast<std::size_t>(size)));
  return size > 0;
}

bool is_executable(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool others_may_write(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

}  // namespace

CheckRunner::CheckRunner(CheckOptions options)
    : options_(std::move(options)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!stop_) {
    throw Error(ErrorKind::unavailable, fmt::format("no eventfd: {}", std::strerror(errno)));
  }
  const auto names = find_checks();
  spdlog::info("{} checks in {}, once every {} s", names.size(), options_.folder, options_.period);
  remember();
  results_.keep(names);
  publish();
  thread_ = std::thread([this] { watch(); });
}

CheckRunner::~CheckRunner() {
  (void)::eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::string CheckRunner::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

bool CheckRunner::stopped(double seconds) const {
  pollfd stop{stop_.get(), POLLIN, 0};
  return ::poll(&stop, 1, static_cast<int>(std::ceil(seconds * 1000))) > 0;
}

void CheckRunner::watch() {
  for (;;) {
    const auto begin = Clock::now();
    try {
      run_all();
    } catch (const std::exception& error) {
      if (!std::exchange(folder_gone_, true)) spdlog::warn("{}; no check is run", error.what());
      results_.keep({});
      publish();
    }
    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    if (stopped(std::max(0.0, options_.period - spent))) return;
  }
}

void CheckRunner::run_all() {
  const auto names = find_checks();
  folder_gone_ = false;
  results_.keep(names);
  for (const std::string& name : names) {
    const CheckOutcome outcome = run(name);
    if (stopped(0)) return;
    if (const auto news = results_.record(name, outcome)) spdlog::warn("{}", *news);
    publish();
  }
  publish();
}

void CheckRunner::publish() {
  note_for_later();
  const std::lock_guard lock(mutex_);
  failure_ = results_.failure();
}

// A node that a check has found broken is not up again because its agent was restarted.
void CheckRunner::remember() {
  if (options_.memory.empty() || !path_exists(options_.memory)) return;
  try {
    noted_ = read_file(options_.memory);
    results_.restore(noted_);
  } catch (const Error& error) {
    spdlog::warn("{}; checks begin anew", error.what());
  }
}

void CheckRunner::note_for_later() {
  std::string text = results_.save();
  if (options_.memory.empty() || text == noted_) return;
  try {
    write_file_atomically(options_.memory, text);
    noted_ = std::move(text);
  } catch (const Error& error) {
    if (complaints_.insert(options_.memory).second)
      spdlog::warn("{}; a restart forgets what checks said", error.what());
  }
}

std::vector<std::string> CheckRunner::find_checks() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(options_.folder.c_str()), &::closedir);
  if (!folder) {
    throw Error(ErrorKind::bad_input,
                fmt::format("cannot read the checks in {}: {}; --checks names a folder of "
                            "executables",
                            options_.folder, std::strerror(errno)));
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string path = fmt::format("{}/{}", options_.folder, entry->d_name);
    if (!is_check_name(entry->d_name) || !is_executable(path)) continue;
    if (!others_may_write(path)) {
      names.emplace_back(entry->d_name);
    } else if (complaints_.insert(path).second) {
      spdlog::warn("{} is not run: every user may change it; chmod o-w", path);
    }
  }
  std::sort(names.begin(), names.end());
  if (names.size() > kMostChecks) {
    names.resize(kMostChecks);
    if (complaints_.insert(options_.folder).second) {
      spdlog::warn("{} has more than {} checks; the others are not run", options_.folder,
                   kMostChecks);
    }
  }
  return names;
}

CheckOutcome CheckRunner::run(const std::string& name) {
  using End = CheckOutcome::End;
  if (const auto held = unkillable_.find(name); held != unkillable_.end()) {
    if (::waitpid(held->second, nullptr, WNOHANG) == 0) {
      return {End::timed_out, static_cast<int>(options_.timeout), {}};
    }
    unkillable_.erase(held);
  }
  const std::string path = fmt::format("{}/{}", options_.folder, name);
  std::array<int, 2> ends{-1, -1};
  int error = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? 0 : errno;
  FileDescriptor output = above_standard_streams(ends[0]);
  FileDescriptor input = above_standard_streams(ends[1]);
  pid_t check = 0;
  if (output && input) {
    (void)::fcntl(output.get(), F_SETFL, O_NONBLOCK);  // of this end only
    error = spawn_check(path, input.get(), check);
  }
  if (error != 0 || check == 0) {
    if (complaints_.insert(path).second) {
      spdlog::warn("check {} cannot be run: {}{}", path, std::strerror(error),
                   error == ENOEXEC ? "; does it begin with #! and an interpreter?" : "");
    }
    return {End::not_run, 0, {}};
  }
  input.reset();
  return wait_for(check, std::move(output), name);
}

CheckOutcome CheckRunner::wait_for(pid_t check, FileDescriptor output, const std::string& name) {
  using End = CheckOutcome::End;
  CheckOutcome outcome{End::timed_out, static_cast<int>(options_.timeout), {}};
  const FileDescriptor process(::pidfd_open(check, 0));
  if (!process) {
    if (complaints_.insert("pidfd").second)
      spdlog::warn("no check can be waited for: {}", std::strerror(errno));
    (void)::kill(-check, SIGKILL);
    (void)::waitpid(check, nullptr, 0);
    return {End::not_run, 0, {}};
  }
  const auto deadline = Clock::now() + std::chrono::seconds(options_.timeout);
  pollfd waiting[] = {
      {process.get(), POLLIN, 0}, {output.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
  bool ended = false;
  while (!ended) {
    const int left = milliseconds_until(deadline);
    (void)::poll(waiting, 3, left);
    if (waiting[1].revents != 0 && !read_some(output.get(), outcome.output)) waiting[1].fd = -1;
    ended = (waiting[0].revents & POLLIN) != 0;
    if (waiting[2].revents != 0 || left == 0) break;
  }
  (void)::kill(-check, SIGKILL);
  if (!ended) (void)::poll(waiting, 1, kKillMilliseconds);
  if (waiting[1].fd >= 0) (void)read_some(output.get(), outcome.output);
  int status = 0;
  const pid_t waited = ::waitpid(check, &status, WNOHANG);
  if (waited < 0) return {End::not_run, 0, {}};
  if (waited == 0) {
    unkillable_[name] = check;
  } else if (ended) {
    outcome.end = WIFEXITED(status) ? End::exited : End::killed;
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  }
  return outcome;
}

}  // namespace tofa::health
