// SPDX-License-Identifier: BSD-3-Clause
// A knock is a connection to libpmix's private port that carries nothing: it makes libpmix call
// accept() and is closed there.
#include "gateway/handover.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace tofa::health {

Handover& Handover::instance() {
  static Handover handover;
  return handover;
}

bool Handover::give(FileDescriptor connection) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(connection));
  }
  const FileDescriptor knock(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (knock && (::connect(knock.get(), reinterpret_cast<const sockaddr*>(&private_address_),
                          sizeof private_address_) == 0 ||
                errno == EINPROGRESS)) {
    return true;
  }
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) queue_.pop_back();
  return false;
}

FileDescriptor Handover::take() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) return {};
  FileDescriptor connection = std::move(queue_.front());
  queue_.pop_front();
  return connection;
}

}  // namespace tofa::health
