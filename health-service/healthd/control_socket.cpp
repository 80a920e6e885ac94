// SPDX-License-Identifier: BSD-3-Clause
// The socket is made under another name, given its group and mode before anybody can connect, and
// then renamed, so that at every moment there is the old one, the new one, or none.
#include "healthd/control_socket.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr int kBacklog = 64;
constexpr std::size_t kRoomForEntry = 65'536;
constexpr std::size_t kMostRoomForEntry = 16'777'216;

[[noreturn]] void fail_socket(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::unavailable, path, 0, what);
}

[[noreturn]] void fail_errno(const std::string& path, const char* doing, int error) {
  fail_socket(path,
              fmt::format("cannot {} the socket of [control]: {}", doing, std::strerror(error)));
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

FileDescriptor make_socket(const std::string& path) {
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) fail_errno(path, "make", errno);
  return socket;
}

// Throws unless what is at `path`, if anything, is a socket that nobody listens on any more.
void refuse_others(const std::string& path, bool replace) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return;
    fail_errno(path, "look at", errno);
  }
  if (!S_ISSOCK(info.st_mode)) {
    fail_socket(path,
                "is there already and no socket; [control] socket names where one is to be made");
  }
  if (replace) return;
  const FileDescriptor probe = make_socket(path);
  const sockaddr_un address = address_of(path);
  const bool answers =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!answers && errno == ECONNREFUSED) return;
  fail_socket(path,
              "another tofa-healthd listens there; stop it, or name another [control] socket");
}

}  // namespace

std::optional<gid_t> find_group(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::string room(kRoomForEntry, '\0');
  group entry{};
  group* found = nullptr;
  int error = ERANGE;
  // A group lists its members, of which a directory service may have thousands.
  while (error == ERANGE && room.size() <= kMostRoomForEntry) {
    room.resize(2 * room.size());
    error = ::getgrnam_r(name.c_str(), &entry, room.data(), room.size(), &found);
  }
  if (found == nullptr) {
    throw Error(
        error == 0 ? ErrorKind::bad_input : ErrorKind::unavailable,
        fmt::format("[control] group: there is no group \"{}\" here{}{}; make it with "
                    "groupadd --system {}",
                    name, error == 0 ? "" : ": ", error == 0 ? "" : std::strerror(error), name));
  }
  return found->gr_gid;
}

ControlSocket::ControlSocket(std::string path, const std::optional<gid_t>& group, bool replace)
    : path_(std::move(path)), socket_(make_socket(path_)) {
  refuse_others(path_, replace);
  const std::string name = path_ + ".new";
  (void)::unlink(name.c_str());
  const sockaddr_un address = address_of(name);
  if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail_errno(path_, "make", errno);
  }
  const auto give_up = [&](const char* doing) {
    const int error = errno;
    (void)::unlink(name.c_str());
    fail_errno(path_, doing, error);
  };
  struct stat info {};
  if (::stat(name.c_str(), &info) != 0) give_up("look at");
  if (group && info.st_gid != *group &&
      ::chown(name.c_str(), static_cast<uid_t>(-1), *group) != 0) {
    give_up("give to its group (the daemon's user has to be a member)");
  }
  if (::chmod(name.c_str(), group ? 0660 : 0600) != 0) give_up("set the mode of");
  if (::listen(socket_.get(), kBacklog) != 0) give_up("listen on");
  if (std::rename(name.c_str(), path_.c_str()) != 0) give_up("rename");
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

ControlSocket::~ControlSocket() {
  struct stat info {};
  if (::lstat(path_.c_str(), &info) != 0) return;
  if (info.st_dev == device_ && info.st_ino == inode_) (void)::unlink(path_.c_str());
}

FileDescriptor ControlSocket::accept() const {
  return FileDescriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

std::optional<Caller> caller_of(int connection) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return std::nullopt;
  }
  Caller caller{.uid = credentials.uid, .gid = credentials.gid, .groups = {}, .user = {}};
  // The groups of the process when it connected, which no user database has to be asked for.
  size = 0;
  (void)::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, nullptr, &size);
  caller.groups.resize(size / sizeof(gid_t));
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERGROUPS, caller.groups.data(), &size) != 0) {
    size = 0;
  }
  caller.groups.resize(size / sizeof(gid_t));
  return caller;
}

std::string user_of(uid_t uid) {
  std::string room(kRoomForEntry, '\0');
  passwd entry{};
  passwd* found = nullptr;
  (void)::getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  return shown_user(uid, found == nullptr ? "" : found->pw_name);
}

}  // namespace tofa::health
