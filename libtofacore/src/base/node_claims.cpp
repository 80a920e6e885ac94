// SPDX-License-Identifier: BSD-3-Clause
// The file of claims: see tofa/node_claims.hpp. A line is JOB PROCESS START NODE=COUNT..., where
// START tells a process from a later one with the same number. Lines of processes that have ended
// are dropped whenever the file is written. That is a new file in place of the old one, so that on
// a full disk, and however the writer ends, all lines are those of before or those of after.
#include "tofa/node_claims.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

struct Line {
  std::string job;
  std::string start;
  NodeClaim claim;
};

Error broken(const std::string& what, int cause) {
  return {ErrorKind::unavailable,
          fmt::format("{}: {}", what, std::generic_category().message(cause))};
}

// The time at which a process began, in ticks since the machine did; empty when there is none.
std::string start_of(long process) {
  std::string text;
  try {
    text = read_file(fmt::format("/proc/{}/stat", process));
  } catch (const Error&) {
    return {};
  }
  // The name before may have blanks and brackets.
  constexpr int words_between = 19;
  const std::size_t name_end = text.find_last_of(')');
  if (name_end == std::string::npos) return {};
  std::string_view rest = std::string_view(text).substr(name_end + 1);
  for (int i = 0; i < words_between; ++i) next_word(rest);
  return std::string(next_word(rest));
}

// A folder of somebody else's, or a link to one, could make this user write anywhere.
bool is_private(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         info.st_uid == ::geteuid() && (info.st_mode & 077U) == 0;
}

std::string find_folder() {
  const char* session = std::getenv("XDG_RUNTIME_DIR");
  if (session != nullptr && is_private(session)) return session;
  std::string folder = fmt::format("/tmp/tofa-{}", ::geteuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw broken(folder, errno);
  if (!is_private(folder))
    throw Error(ErrorKind::unavailable, folder + " is not a folder of this user alone");
  return folder;
}

// Whether the file is still that of this name: who had it before may have written a new one.
bool is_current(const FileDescriptor& file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

FileDescriptor open_locked(const std::string& path) {
  constexpr int attempts = 100;
  constexpr auto pause = std::chrono::milliseconds(10);
  for (int i = 0; i < attempts; ++i) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) throw broken(path, errno);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_current(file, path)) return file;
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) throw broken(path, errno);
    std::this_thread::sleep_for(pause);
  }
  throw Error(ErrorKind::unavailable, path + " stays locked");
}

std::optional<Line> parse_line(std::string_view text) {
  Line line;
  line.job = next_word(text);
  const auto process = parse_number<long>(next_word(text));
  line.start = next_word(text);
  if (!process || line.start.empty()) return std::nullopt;
  line.claim.process = *process;
  for (std::string_view item = next_word(text); !item.empty(); item = next_word(text)) {
    const std::size_t sign = item.find('=');
    if (sign == std::string_view::npos) return std::nullopt;
    const auto count = parse_number<unsigned>(item.substr(sign + 1));
    if (!count) return std::nullopt;
    line.claim.nodes[std::string(item.substr(0, sign))] = *count;
  }
  return line;
}

// Lines of live processes; others, and what is no line, are nobody's.
std::vector<Line> read_lines(const FileDescriptor& file) {
  constexpr std::size_t most = 64U << 20U;
  std::string text;
  std::array<char, 1U << 16U> part{};
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return {};
  for (ssize_t got = 0;
       text.size() < most && (got = ::read(file.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  std::vector<Line> lines;
  LineReader reader(text);
  for (std::string_view words; reader.next(words);) {
    auto line = parse_line(words);
    if (line && start_of(line->claim.process) == line->start) lines.push_back(std::move(*line));
  }
  return lines;
}

// Of the file that is locked. Not synced: what it says does not outlive the machine's next start.
void write_lines(const std::string& path, const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{} {} {}", line.job, line.claim.process, line.start);
    for (const auto& [node, count] : line.claim.nodes) text += fmt::format(" {}={}", node, count);
    text += '\n';
  }
  const std::string beside = path + ".new";
  const FileDescriptor file(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) throw broken(beside, errno);
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      ::rename(beside.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    ::unlink(beside.c_str());
    throw broken(path, cause);
  }
}

std::vector<NodeClaim> others_of(const std::vector<Line>& lines, const std::string& job) {
  std::vector<NodeClaim> others;
  for (const Line& line : lines)
    if (line.job == job && line.claim.process != ::getpid()) others.push_back(line.claim);
  return others;
}

}  // namespace

NodeCounts sum_of(const std::vector<NodeClaim>& claims) {
  NodeCounts sum;
  for (const NodeClaim& claim : claims) {
    for (const auto& [node, count] : claim.nodes) {
      unsigned& taken = sum[node];
      taken = count > kWholeNode - taken ? kWholeNode : taken + count;
    }
  }
  return sum;
}

NodeClaims::NodeClaims(std::string job)
    : job_(std::move(job)), path_(find_folder() + "/tofa-claims") {
  others_ = others_of(read_lines(open_locked(path_)), job_);
}

bool NodeClaims::take(const NodeCounts& nodes) {
  try {
    return take_or_throw(nodes);
  } catch (const Error&) {
    return true;
  }
}

bool NodeClaims::take_or_throw(const NodeCounts& nodes) {
  const FileDescriptor file = open_locked(path_);
  std::vector<Line> lines = read_lines(file);
  auto others = others_of(lines, job_);
  if (others != others_) {
    others_ = std::move(others);
    return false;
  }
  const long self = ::getpid();
  if (!nodes.empty()) lines.push_back({job_, start_of(self), {self, nodes}});
  write_lines(path_, lines);
  return true;
}

}  // namespace tofa
