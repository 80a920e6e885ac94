// SPDX-License-Identifier: BSD-3-Clause
// How a connection gets from the gate into libpmix, which only knows how to accept() on its own
// listening socket: the gate queues the connection and knocks on libpmix's private port; libpmix
// calls accept(), which is ours (libpmix_guard.cpp), and gets the queued connection instead of the
// knock.
#pragma once

#include <netinet/in.h>

#include <deque>
#include <mutex>

#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class Handover {
 public:
  // The one that accept() takes from.
  static Handover& instance();

  void set_private_address(const sockaddr_in& address) { private_address_ = address; }

  // Queues a connection and knocks. False when knocking fails; the connection is closed then.
  bool give(FileDescriptor connection);
  // The oldest queued connection, or an invalid descriptor.
  FileDescriptor take();

 private:
  sockaddr_in private_address_{};
  std::mutex mutex_;
  std::deque<FileDescriptor> queue_;
};

}  // namespace tofa::health
