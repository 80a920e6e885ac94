// SPDX-License-Identifier: BSD-3-Clause
// The daemon's local socket, a file whose mode says who may connect, and who did.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "healthd/control_session.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

inline constexpr std::size_t kLongestSocketPath = 100;  // with room for the name it is made under

// Throws tofa::Error where there is no such group; nothing for an empty name.
std::optional<gid_t> find_group(const std::string& name);

class ControlSocket {
 public:
  // Open to the group, where there is one. What a daemon that is dead left at `path` is replaced; a
  // socket on which somebody answers only where `replace` is set, since that is this daemon's own.
  // Throws tofa::Error.
  ControlSocket(std::string path, const std::optional<gid_t>& group, bool replace);
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;
  // Removes the file, unless it is another socket's by now.
  ~ControlSocket();

  int fd() const { return socket_.get(); }
  // A connection that does not block; none, with errno, when nobody waits.
  FileDescriptor accept() const;

 private:
  std::string path_;
  FileDescriptor socket_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

// Without the user's name. Nothing where the kernel does not tell.
std::optional<Caller> caller_of(int connection);
// Asks the system's user database, which may be slow.
std::string user_of(uid_t uid);

}  // namespace tofa::health
