// SPDX-License-Identifier: BSD-3-Clause
// Writing the site's log: see tofa/job_log.hpp. Not by syslog(3), which waits for a logging daemon
// that is stuck, and shares its state with the launcher.
#include "tofa/job_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <string_view>

#include "tofa/file_descriptor.hpp"
#include "tofa/site_log.hpp"

namespace tofa {
namespace {

std::string format_time(const char* format, const std::tm& time) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &time)};
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  ::gmtime_r(&now, &time);
  return format_time("%Y-%m-%dT%H:%M:%SZ", time);
}

std::string user_name() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
    return found->pw_name;
  return std::to_string(::getuid());
}

std::string append_to_file(const std::string& path, const std::string& line) {
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return std::strerror(errno);
  if (!S_ISREG(info.st_mode)) return "not a file";
  const std::string text = line + "\n";
  if (::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size())) return "";
  return errno != 0 ? std::strerror(errno) : "no room";
}

// As RFC 3164 has it, which journald and rsyslog read alike.
std::string send_to_syslog(const std::string& line, const char* socket_path) {
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (std::strlen(socket_path) >= sizeof address.sun_path) return "its path is too long";
  std::strcpy(address.sun_path, socket_path);
  const std::time_t now = std::time(nullptr);
  std::tm time{};
  ::localtime_r(&now, &time);
  const std::string text = fmt::format("<{}>{} tofa[{}]: {}", LOG_USER | LOG_INFO,
                                       format_time("%b %e %H:%M:%S", time), ::getpid(), line);
  const auto sent = ::sendto(socket.get(), text.data(), text.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return sent < 0 ? std::strerror(errno) : "";
}

}  // namespace

std::string format_entry(const LogEntry& entry, const std::string& job) {
  LogFields fields{{"time", now_utc()}, {"user", user_name()}};
  if (!job.empty()) fields.emplace_back("job", job);
  if (!entry.declined.empty()) {
    fields.insert(fields.end(), {{"outcome", "declined"}, {"reason", entry.declined}});
    return format_log_line(fields);
  }
  fields.insert(fields.end(),
                {{"outcome", "placed"}, {"warnings", std::to_string(entry.warnings)}});
  return format_log_line(fields) + " " + entry.figures;
}

std::string append_to_log(const std::string& log, const std::string& line, const char* socket) {
  errno = 0;
  return log == "syslog" ? send_to_syslog(line, socket) : append_to_file(log, line);
}

}  // namespace tofa
