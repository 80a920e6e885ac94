// SPDX-License-Identifier: BSD-3-Clause
// Plain POSIX calls, since only they tell a directory from a pipe and let us wait with a deadline.
#include "tofa/file_io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tofa/error.hpp"

namespace tofa {

namespace {

using Clock = std::chrono::steady_clock;

// A path that cannot be read is a mistake in what the user gave; one that cannot be written, a lack
// outside.
[[noreturn]] void fail(const std::string& path, const std::string& action, int error) {
  const bool writing = action == "write";
  throw Error(writing ? ErrorKind::unavailable : ErrorKind::bad_input, path, 0,
              fmt::format("cannot {}: {}{}", action, std::strerror(error),
                          error == ENOENT && !writing ? "; name a file that exists" : ""));
}

// Waits until `fd` has data or has ended; pipes are opened without waiting for a writer, so this is
// where one is waited for.
void wait_readable(int fd, const std::string& path, Clock::time_point deadline, double seconds) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left > 0) {
      pollfd waited{fd, POLLIN, 0};
      const int ready = ::poll(&waited, 1, static_cast<int>(std::min<long long>(left, INT_MAX)));
      if (ready > 0) return;
      if (ready == 0 || errno == EINTR) continue;
      fail(path, "read", errno);
    }
    throw Error(
        ErrorKind::unavailable, path, 0,
        fmt::format("did not end within {} s; write what produces it to a file first", seconds));
  }
}

[[noreturn]] void fail_too_large(const std::string& path, std::uint64_t limit) {
  throw Error(ErrorKind::bad_input, path, 0,
              fmt::format("larger than the {} MiB that are read at most; is this the right file?",
                          limit >> 20));
}

void write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path, "write", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// /dev/stdout and the like name whatever the caller has open, even where that is a regular file.
bool is_own_descriptor(const std::string& path) {
  return path.rfind("/dev/std", 0) == 0 || path.rfind("/dev/fd/", 0) == 0;
}

void write_directly(std::string_view text, const std::string& path) {
  // O_NONBLOCK only for the open: a pipe that nobody reads is an error, not a wait.
  const FileDescriptor fd(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) fail(path, "write", errno);
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) < 0) fail(path, "write", errno);
  write_all(fd.get(), text, path);
}

// The file a symbolic link stands for, so that replacing it keeps the link.
std::string follow_links(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string result = resolved;
  std::free(resolved);
  return result;
}

void sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const FileDescriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Not every file system can sync a directory; the new file itself is safe either way.
  if (fd.get() >= 0) ::fsync(fd.get());
}

// Creates a file beside `target` that nobody else uses; `path` is what messages name.
std::pair<int, std::string> open_temporary(const std::string& target, const std::string& path) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::string name = fmt::format("{}.tmp.{}.{}", target, ::getpid(), counter++);
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return {fd, name};
    if (errno != EEXIST) break;
  }
  fail(path, "write", errno);
}

// Without a descriptor, errno says why.
FileDescriptor open_to_read(const std::string& path) {
  // O_NONBLOCK so that a pipe without a writer does not hang in open.
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (fd || path != "/dev/stdin") return fd;
  // A socket cannot be opened anew, nor can the pipe or terminal of another user: under sudo or
  // runuser that is what standard input is. It can be read as it was handed over.
  return FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

std::string read_file(const std::string& path, const ReadLimits& limits) {
  const FileDescriptor fd = open_to_read(path);
  if (fd.get() < 0) fail(path, "open", errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail(path, "open", errno);
  if (S_ISDIR(info.st_mode)) fail(path, "read", EISDIR);

  const bool regular = S_ISREG(info.st_mode);
  const std::uint64_t limit = regular ? limits.max_bytes : limits.max_stream_bytes;
  if (regular && static_cast<std::uint64_t>(info.st_size) > limit) fail_too_large(path, limit);
  const auto deadline = Clock::now() + std::chrono::milliseconds(
                                           static_cast<long long>(limits.stream_seconds * 1000));

  std::string text;
  std::size_t used = 0;
  // One byte more than expected, so that the end is seen without growing.
  text.resize(regular && info.st_size > 0 ? static_cast<std::size_t>(info.st_size) + 1 : 65536);
  for (;;) {
    if (!regular) wait_readable(fd.get(), path, deadline, limits.stream_seconds);
    const ssize_t got = ::read(fd.get(), text.data() + used, text.size() - used);
    if (got == 0) break;
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      fail(path, "read", errno);
    }
    used += static_cast<std::size_t>(got);
    if (used > limit) fail_too_large(path, limit);
    if (used == text.size()) text.resize(text.size() * 2);
  }
  text.resize(used);
  return text;
}

bool path_exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

void write_file_atomically(const std::string& path, std::string_view text) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail(path, "write", EISDIR);
  if (exists && (!S_ISREG(info.st_mode) || is_own_descriptor(path))) {
    write_directly(text, path);
    return;
  }

  const std::string target = follow_links(path);
  const auto [raw_fd, temporary] = open_temporary(target, path);
  FileDescriptor fd(raw_fd);
  try {
    if (exists && ::fchmod(fd.get(), info.st_mode & 07777) != 0) fail(path, "write", errno);
    write_all(fd.get(), text, path);
    if (::fsync(fd.get()) != 0 || ::close(fd.release()) != 0) fail(path, "write", errno);
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail(path, "write", errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory_of(target);
}

FileDescriptor file_in_memory(const char* name, std::string_view text) {
  FileDescriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file) fail(name, "write", errno);
  write_all(file.get(), text, name);
  return file;
}

}  // namespace tofa
