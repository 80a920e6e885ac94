// SPDX-License-Identifier: BSD-3-Clause
// The files of the cache: see placement_cache.hpp. One per placement, named by its key:
//
//     tofa placement
//     origin NAME
//     mapping NODE NODE ...
//     default NODE NODE ...
//     end FINGERPRINT
//
// The last line is about the key and all lines before, so that a file which was cut off, damaged or
// renamed is none.
#include "tofa/placement_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/fingerprint.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kFirstLine = "tofa placement\n";
constexpr std::string_view kEnd = "end ";

std::string seal(const std::string& key, std::string_view text) {
  return fmt::format("{}{}\n", kEnd, Fingerprint().add(key).add(text).text());
}

std::string format_kept(const std::string& key, const KeptPlacement& placement) {
  const std::string text =
      fmt::format("{}origin {}\nmapping {}\ndefault {}\n", kFirstLine, placement.origin,
                  fmt::join(placement.mapping, " "), fmt::join(placement.by_default, " "));
  return text + seal(key, text);
}

std::optional<Mapping> parse_nodes(std::string_view text) {
  Mapping mapping;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    const auto node = parse_number<Node>(word);
    if (!node) return std::nullopt;
    mapping.push_back(*node);
  }
  return mapping;
}

std::optional<KeptPlacement> parse_kept(const std::string& key, std::string_view text) {
  const std::size_t end = text.rfind(kEnd);
  if (end == std::string_view::npos || !text.starts_with(kFirstLine)) return std::nullopt;
  if (text.substr(end) != seal(key, text.substr(0, end))) return std::nullopt;
  KeptPlacement kept;
  LineReader lines(text.substr(kFirstLine.size()));
  for (std::string_view line; lines.next(line);) {
    const std::string_view what = next_word(line);
    if (what == "origin") kept.origin = trim(line);
    if (what != "mapping" && what != "default") continue;
    auto nodes = parse_nodes(line);
    if (!nodes) return std::nullopt;
    (what == "mapping" ? kept.mapping : kept.by_default) = std::move(*nodes);
  }
  return kept;
}

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

bool write_new_file(int folder, const std::string& name, const std::string& text) {
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
void remove_oldest(int folder, const PlacementCache::Limits& limits) {
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

}  // namespace

std::string user_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/tofa";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/tofa";
  return "";
}

std::optional<KeptPlacement> PlacementCache::find(const std::string& key) const {
  const FileDescriptor folder = folder_.empty() ? FileDescriptor() : open_folder(folder_);
  if (!folder) return std::nullopt;
  const FileDescriptor file(::openat(folder.get(), key.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || !is_own(info))
    return std::nullopt;
  try {
    auto kept = parse_kept(
        key, read_file(fmt::format("/proc/self/fd/{}", file.get()), {.max_bytes = limits_.bytes}));
    if (kept) ::futimens(file.get(), nullptr);  // used now
    return kept;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void PlacementCache::keep(const std::string& key, const KeptPlacement& placement) const {
  if (folder_.empty()) return;
  make_folder(folder_);
  const FileDescriptor folder = open_folder(folder_);
  if (!folder) return;
  const std::string text = format_kept(key, placement);
  if (text.size() > limits_.bytes) return;
  // Others see the whole file or none.
  const std::string temporary = fmt::format("{}.{}", key, ::getpid());
  if (!write_new_file(folder.get(), temporary, text) ||
      ::renameat(folder.get(), temporary.c_str(), folder.get(), key.c_str()) != 0) {
    ::unlinkat(folder.get(), temporary.c_str(), 0);
  }
  remove_oldest(folder.get(), limits_);
}

}  // namespace tofa
