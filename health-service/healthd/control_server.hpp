// SPDX-License-Identifier: BSD-3-Clause
// Who wants something of the running daemon. A thread of its own accepts connections, reads
// requests and sends answers, so that nobody who connects can hold up a heartbeat; the daemon takes
// whole requests between two rounds. Who may not ask is told so and heard no further.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "healthd/config.hpp"
#include "healthd/control_session.hpp"
#include "healthd/control_socket.hpp"
#include "tofa/file_descriptor.hpp"

namespace tofa::health {

class ControlServer {
 public:
  // At once; where there are more, who has been silent for longest has to go.
  static constexpr std::size_t kMostConnections = 64;

  struct Request {
    std::uint64_t connection = 0;
    Caller caller;
    std::string text;
  };

  // `replace`: the socket there is this daemon's own. Throws tofa::Error.
  ControlServer(const ControlConfig& config, bool replace);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer();

  // Readable while requests wait.
  int fd() const { return asked_.get(); }
  std::vector<Request> take();
  void answer(std::uint64_t connection, std::string text);

 private:
  struct Connection {
    FileDescriptor socket;
    Caller caller;
    ControlSession session;
  };

  void serve();
  void serve_once();
  bool has_room() const;
  void let_in(double now);
  void add(FileDescriptor socket, double now);
  void receive(Connection& connection, double now);
  static void send(Connection& connection);
  void hand_over(std::uint64_t id, Connection& connection);
  void take_answers(double now);

  std::optional<gid_t> group_;
  std::string group_name_;
  ControlSocket socket_;
  FileDescriptor asked_;  // eventfd: for the daemon
  FileDescriptor wake_;   // eventfd: for the thread
  std::atomic<bool> stop_ = false;
  std::map<std::uint64_t, Connection> connections_;  // the thread's; the oldest first
  std::uint64_t next_ = 1;
  double closed_until_ = 0;  // where nothing can be accepted

  std::mutex mutex_;  // of both below
  std::vector<Request> requests_;
  std::vector<std::pair<std::uint64_t, std::string>> answers_;
  std::thread thread_;
};

}  // namespace tofa::health
