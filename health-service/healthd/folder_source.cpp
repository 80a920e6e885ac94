// SPDX-License-Identifier: BSD-3-Clause
// A file is opened without following links and without waiting, and only then asked what it is. Who
// writes a file piece by piece, or empties it first, is not taken at half a word: until it has been
// left alone for a moment, what it said before holds.
#include "healthd/folder_source.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "base/toml_section.hpp"
#include "healthd/config.hpp"
#include "tofa/error.hpp"
#include "tofa/file_descriptor.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kMostFiles = 200'000;
constexpr std::size_t kLargestFile = 4 << 20;
constexpr std::size_t kReadAtOnce = 65'536;
// Seconds that a file was left alone. One that changes again so soon may have the same times.
constexpr double kSettled = 5;
constexpr double kFuture = 60;   // seconds by which clocks of file servers may be ahead
constexpr double kSlowest = 30;  // seconds that a look may take
constexpr double kLongestFolderPeriod = 300;  // an estimate must not become stale

bool is_report_name(std::string_view name) {
  return !name.starts_with('.') && !name.ends_with('~') && !name.ends_with(".tmp") &&
         !name.ends_with(".new");
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Up to a part more than the limit; nothing when it is no regular file by now, or cannot be read.
std::optional<std::string> read_regular_file(int folder, const std::string& name) {
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text;
  while (text.size() <= kLargestFile) {
    const std::size_t size = text.size();
    text.resize(size + kReadAtOnce);
    const ssize_t got = ::read(file.get(), text.data() + size, kReadAtOnce);
    if (got < 0 && errno != EINTR) return std::nullopt;
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) break;
  }
  return text;
}

}  // namespace

FolderReader::FolderReader(std::vector<std::string> hosts, FolderConfig config)
    : hosts_(std::move(hosts)), config_(std::move(config)) {}

void FolderReader::PassedOver::add(const std::string& name, const char* why) {
  if (files++ == 0) first = fmt::format("{} {}", excerpt(name), why);
}

Opinions FolderReader::ask() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(config_.path.c_str()), &::closedir);
  if (!folder) throw Error(ErrorKind::unavailable, std::strerror(errno));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::map<std::string, Known> found;
  PassedOver passed_over;
  for (std::size_t files = 0; const dirent* entry = ::readdir(folder.get());) {
    if (!is_report_name(entry->d_name)) continue;
    if (++files > kMostFiles) {
      passed_over.add(entry->d_name, "and others are too many");
      break;
    }
    look_at(::dirfd(folder.get()), entry->d_name, now, found, passed_over);
  }
  known_ = std::move(found);
  std::map<std::string, ReportFile> files;
  for (const auto& [name, known] : known_) files.emplace(name, known.file);
  Opinions opinions = judge_reports(files, hosts_.names().size());
  if (passed_over.files > 0) {
    opinions.remark +=
        fmt::format("{}{} files are passed over: {}", opinions.remark.empty() ? "" : "; ",
                    passed_over.files, passed_over.first);
  }
  if (!opinions.remark.empty()) {
    opinions.remark = fmt::format("reports in {}: {}", config_.path, opinions.remark);
  }
  return opinions;
}

void FolderReader::look_at(int folder, const std::string& name, double now,
                           std::map<std::string, Known>& found, PassedOver& passed_over) {
  struct stat info {};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;  // gone by now
  if (S_ISDIR(info.st_mode)) return;
  if (!S_ISREG(info.st_mode)) return passed_over.add(name, "is no regular file");
  const Stamp stamp{info.st_ino, info.st_size, nanoseconds(info.st_mtim),
                    nanoseconds(info.st_ctim)};
  const double age = now - static_cast<double>(stamp.written) * 1e-9;
  if (age >= config_.max_age) return;
  if (age < -kFuture) return passed_over.add(name, "is from the future");
  const auto before = known_.find(name);
  if (before != known_.end() && before->second.stamp == stamp) {
    found.emplace(name, before->second);
    return;
  }
  const auto text = read_regular_file(folder, name);
  if (!text) return passed_over.add(name, "cannot be read");
  if (text->size() > kLargestFile) return passed_over.add(name, "is too large");
  ReportFile read = parse_reports(*text, name, hosts_, age > kSettled);
  if (!read.finished && age <= kSettled && before != known_.end()) {
    found.emplace(name, before->second);
    return;
  }
  found.emplace(name, Known{age > kSettled ? stamp : Stamp{}, std::move(read)});
}

namespace {

// The section [folder].
SourceMaker configure_folder(TomlSection& section, HealthdConfig& /*config*/) {
  FolderConfig folder;
  section.text("path", folder.path);
  section.number("max_age", 1, 1e9, folder.max_age);
  section.number("period", 0.05, kLongestFolderPeriod, folder.period);
  section.refuse_other_keys();
  if (folder.path.empty()) return {};
  return [folder](const HealthdConfig& config) -> std::unique_ptr<HealthSource> {
    const double validity = 3 * (folder.period + 1);
    return std::make_unique<BackgroundSource>(
        BackgroundOptions{"folder", "the reports in " + folder.path, folder.period, kSlowest,
                          validity},
        config.hosts.size(), std::make_unique<FolderReader>(names_of(config.hosts), folder));
  };
}

}  // namespace

extern constexpr SourceKind kFolderSource{"folder", configure_folder};

}  // namespace tofa::health
