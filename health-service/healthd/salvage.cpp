// SPDX-License-Identifier: BSD-3-Clause
// The write-ahead log goes along first: without its database it is nothing, while a database
// without its log looks whole and lacks the last changes.
#include "healthd/salvage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "healthd/sqlite.hpp"

namespace tofa::health {
namespace {

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

void rename_to(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == ENOENT) return;
  throw DatabaseError(
      from, fmt::format("is damaged and cannot be renamed to {}: {}", to, std::strerror(errno)),
      Trouble::passing);
}

std::string unused_name(const std::string& path) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  const std::string name =
      fmt::format("{}.damaged-{:04}{:02}{:02}T{:02}{:02}{:02}Z", path, utc.tm_year + 1900,
                  utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
  std::string unused = name;
  for (int i = 2; exists(unused) || exists(unused + "-wal"); ++i) {
    unused = fmt::format("{}-{}", name, i);
  }
  return unused;
}

// In memory where it can be, for what cannot be read where it is. Removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    for (const std::string& parent : {std::string("/dev/shm"), temporary_folder()}) {
      std::string pattern = parent + "/tofa-healthd-XXXXXX";
      if (::mkdtemp(pattern.data()) == nullptr) continue;
      path_ = pattern;
      return;
    }
    throw DatabaseError(temporary_folder(),
                        fmt::format("cannot make a folder: {}", std::strerror(errno)),
                        Trouble::refused);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  static std::string temporary_folder() {
    std::error_code ignored;
    return std::filesystem::temp_directory_path(ignored);
  }

  std::string path_;
};

// Nothing where there is none.
void copy_file(const std::string& from, const std::string& to) {
  std::error_code failed;
  std::filesystem::copy_file(from, to, failed);
  if (!failed || failed == std::errc::no_such_file_or_directory) return;
  throw DatabaseError(from, fmt::format("cannot be read: {}", failed.message()), Trouble::refused);
}

}  // namespace

std::string set_aside(const std::string& path) {
  std::string aside = unused_name(path);
  rename_to(path + "-wal", aside + "-wal");
  rename_to(path, aside);
  rename_to(path + "-shm", aside + "-shm");
  return aside;
}

StoreContents salvage(const std::string& path) {
  try {
    const Database database = open_database(path, SQLITE_OPEN_READONLY);
    return salvage_contents(database.get());
  } catch (const Error&) {
    return {};
  }
}

void copy_unwritable(const std::string& path, sqlite3* to) {
  const ScratchFolder folder;
  const std::string copied = folder.path() + "/health.db";
  for (const char* end : {"-wal", ""}) copy_file(path + end, copied + end);
  const Database from = open_database(copied, SQLITE_OPEN_READWRITE);
  sqlite3_backup* copy = ::sqlite3_backup_init(to, "main", from.get(), "main");
  if (copy == nullptr) fail_sqlite(to, "copying " + path);
  ::sqlite3_backup_step(copy, -1);
  if (::sqlite3_backup_finish(copy) != SQLITE_OK) fail_sqlite(to, "copying " + path);
}

}  // namespace tofa::health
