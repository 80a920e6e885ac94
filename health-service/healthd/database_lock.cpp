// SPDX-License-Identifier: BSD-3-Clause
// An open file description lock (fcntl(2)), which unlike those of SQLite belongs to a descriptor
// rather than to the process, on a byte that no database ever has.
#include "healthd/database_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "healthd/sqlite.hpp"

namespace tofa::health {
namespace {

constexpr off_t kLockedByte = off_t{1} << 62;

[[noreturn]] void fail_file(const std::string& file, const std::string& doing, int error) {
  const bool folder_missing = error == ENOENT || error == ENOTDIR;
  throw DatabaseError(file,
                      fmt::format("{}: {}; the folder of [state] database must exist and be "
                                  "writable",
                                  doing, std::strerror(error)),
                      folder_missing ? Trouble::refused : Trouble::passing);
}

// Nothing where there is no such file and none is made.
FileDescriptor open_private(const std::string& file, int flags) {
  FileDescriptor opened(::open(file.c_str(), O_RDWR | O_CLOEXEC | flags, 0600));
  if (!opened && (flags & O_CREAT) == 0 && errno == ENOENT) return opened;
  if (!opened) fail_file(file, "cannot open", errno);
  if (::fchmod(opened.get(), 0600) != 0) {
    throw DatabaseError(file,
                        fmt::format("cannot be kept from other users: {}; it must belong to the "
                                    "user that tofa-healthd runs as",
                                    std::strerror(errno)),
                        errno == EPERM ? Trouble::refused : Trouble::passing);
  }
  return opened;
}

}  // namespace

bool is_locked(const std::string& path, const FileDescriptor& lock) {
  struct stat named {};
  struct stat locked {};
  return lock && ::stat(path.c_str(), &named) == 0 && ::fstat(lock.get(), &locked) == 0 &&
         named.st_dev == locked.st_dev && named.st_ino == locked.st_ino;
}

FileDescriptor lock_database(const std::string& path) {
  FileDescriptor file = open_private(path, O_CREAT);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedByte;
  lock.l_len = 1;
  const bool locked = ::fcntl(file.get(), F_OFD_SETLK, &lock) == 0;
  if (!locked && errno != EAGAIN && errno != EACCES) fail_file(path, "cannot lock", errno);
  // Another daemon may have put the file aside since it was opened.
  if (!locked || !is_locked(path, file)) {
    throw DatabaseError(path, "another tofa-healthd is using this database; stop it first",
                        Trouble::refused);
  }
  return file;
}

void make_logs_private(const std::string& path) {
  for (const char* beside : {"-wal", "-shm"}) open_private(path + beside, 0);
}

}  // namespace tofa::health
