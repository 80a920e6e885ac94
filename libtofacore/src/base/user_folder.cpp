// SPDX-License-Identifier: BSD-3-Clause
// Files are opened in the folder that was looked at, so that nobody can put another in its place.
#include "tofa/user_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"

namespace tofa {
namespace {

// Whether it is the user's and nobody else can have written it.
bool is_own(const struct stat& info) {
  return info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Nothing where the folder is missing or not the user's own.
FileDescriptor open_folder(const std::string& folder) {
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (fd && (::fstat(fd.get(), &info) != 0 || !is_own(info))) fd.reset();
  return fd;
}

// Also the folder above it, which a new account lacks.
void make_folder(const std::string& folder) {
  ::mkdir(std::filesystem::path(folder).parent_path().c_str(), S_IRWXU);
  ::mkdir(folder.c_str(), S_IRWXU);
}

bool write_new_file(int folder, const std::string& name, std::string_view text) {
  const FileDescriptor fd(::openat(folder, name.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                   S_IRUSR | S_IWUSR));
  if (!fd) return false;
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(fd.get(), text.data() + written, text.size() - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written == text.size();
}

struct File {
  std::string name;
  struct timespec used {};
  std::uint64_t bytes = 0;
};

std::vector<File> files_in(int folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(::dup(folder)), ::closedir);
  std::vector<File> files;
  if (!open) return files;
  ::rewinddir(open.get());
  while (const dirent* entry = ::readdir(open.get())) {
    struct stat info {};
    if (::fstatat(folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode)) continue;
    files.push_back({entry->d_name, info.st_mtim, static_cast<std::uint64_t>(info.st_size)});
  }
  return files;
}

// Whatever lies there counts, also what a process left behind that was killed while it wrote.
void remove_oldest(int folder, const UserFolder::Limits& limits) {
  std::vector<File> files = files_in(folder);
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) > std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (const File& file : files) {
    bytes += file.bytes;
    if (++count > limits.files || bytes > limits.bytes) ::unlinkat(folder, file.name.c_str(), 0);
  }
}

FileDescriptor open_own_file(int folder, const std::string& name) {
  FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (file && (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || !is_own(info)))
    file.reset();
  return file;
}

}  // namespace

std::string user_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/tofa";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/tofa";
  return "";
}

std::optional<std::string> UserFolder::find(const std::string& name) const {
  const FileDescriptor folder = folder_.empty() ? FileDescriptor() : open_folder(folder_);
  if (!folder) return std::nullopt;
  const FileDescriptor file = open_own_file(folder.get(), name);
  if (!file) return std::nullopt;
  try {
    return read_file(fmt::format("/proc/self/fd/{}", file.get()), {.max_bytes = limits_.bytes});
  } catch (const Error&) {
    return std::nullopt;
  }
}

void UserFolder::touch(const std::string& name) const {
  const FileDescriptor folder = folder_.empty() ? FileDescriptor() : open_folder(folder_);
  if (!folder) return;
  const FileDescriptor file = open_own_file(folder.get(), name);
  if (file) ::futimens(file.get(), nullptr);
}

void UserFolder::keep(const std::string& name, std::string_view text) const {
  if (folder_.empty() || text.size() > limits_.bytes) return;
  make_folder(folder_);
  const FileDescriptor folder = open_folder(folder_);
  if (!folder) return;
  const std::string temporary = fmt::format("{}.{}", name, ::getpid());
  if (!write_new_file(folder.get(), temporary, text) ||
      ::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
  }
  remove_oldest(folder.get(), limits_);
}

}  // namespace tofa
