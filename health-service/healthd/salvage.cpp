// SPDX-License-Identifier: BSD-3-Clause
// The write-ahead log goes along first: without its database it is nothing, while a database
// without its log looks whole and lacks the last changes.
#include "healthd/salvage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "healthd/sqlite.hpp"

namespace tofa::health {
namespace {

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

void rename_to(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == ENOENT) return;
  throw Error(ErrorKind::unavailable, from, 0,
              fmt::format("is damaged and cannot be renamed to {}: {}", to, std::strerror(errno)));
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

}  // namespace tofa::health
