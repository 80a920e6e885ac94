// SPDX-License-Identifier: BSD-3-Clause
// The line is a pair of sockets that keeps messages apart. One byte from the process means that it
// is ready, one to it has a descriptor beside it, and the end is the other one's end.
#include "gateway/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tofa/error.hpp"

namespace tofa::health {
namespace {

constexpr int kEndMs = 1000;
constexpr int kLine = 3;  // in the new process

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(ErrorKind::unavailable, fmt::format("{}: {}", what, std::strerror(error)));
}

std::string make_folder() {
  std::string path = (std::filesystem::temp_directory_path() / "tofa-gateway-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    const int error = errno;
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: {}; set TMPDIR to a writable folder", path, std::strerror(error)));
  }
  return path;
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// Clients' sockets and the port stay with the gate: here they would outlive it.
[[noreturn]] void be_worker(const Worker::Serve& serve, int line, const std::string& folder) {
  int status = 1;
  if (line == kLine || ::dup2(line, kLine) == kLine) {
    (void)::fcntl(kLine, F_SETFD, FD_CLOEXEC);
    (void)::close_range(kLine + 1, ~0U, 0);
    try {
      serve(kLine, folder);
      status = 0;
    } catch (const std::exception& error) {
      spdlog::error("{}", error.what());
    }
    remove_folder(folder);
  }
  std::fflush(nullptr);
  std::_Exit(status);  // libpmix's threads still run; its destructors must not meet them
}

// One byte, with room for a descriptor beside it.
struct DescriptorMessage {
  DescriptorMessage() {
    data = {&byte, 1};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  char byte = 0;
  iovec data{};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))]{};
  msghdr message{};
};

}  // namespace

Worker::Worker(const Serve& serve) : folder_(make_folder()) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    const int error = errno;
    remove_folder(folder_);
    fail("cannot make a pair of sockets", error);
  }
  line_.reset(ends[0]);
  const FileDescriptor theirs(ends[1]);
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ == 0) be_worker(serve, theirs.get(), folder_);
  if (process_ < 0) {
    const int error = errno;
    remove_folder(folder_);
    fail("cannot start a process for libpmix", error);
  }
}

Worker::~Worker() {
  (void)::shutdown(line_.get(), SHUT_RDWR);
  wait_for_end();
  remove_folder(folder_);
}

// Its end of the line closes when it ends, however that comes about.
void Worker::wait_for_end() {
  if (process_ < 0) return;
  for (int waited = 0; waited < kEndMs; ++waited) {
    if (::waitpid(process_, &status_, WNOHANG) != 0) {
      process_ = -1;
      return;
    }
    ::poll(nullptr, 0, 1);
  }
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

Worker::State Worker::look() {
  char byte = 0;
  const ssize_t size = ::recv(line_.get(), &byte, 1, MSG_DONTWAIT);
  if (size > 0) state_ = State::ready;
  const bool momentary = size < 0 && (errno == EAGAIN || errno == EINTR);
  if (size <= 0 && !momentary) state_ = State::ended;
  return state_;
}

std::string Worker::ending() {
  wait_for_end();
  if (WIFSIGNALED(status_)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status_),
                       ::strsignal(WTERMSIG(status_)));
  }
  return fmt::format("has ended with status {}", WEXITSTATUS(status_));
}

void Worker::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

bool Worker::takes_more() const {
  pollfd line{line_.get(), POLLOUT, 0};
  return ::poll(&line, 1, 0) > 0;
}

bool Worker::give(FileDescriptor connection) {
  DescriptorMessage out;
  cmsghdr* header = CMSG_FIRSTHDR(&out.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int descriptor = connection.get();
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  return ::sendmsg(line_.get(), &out.message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

void say_ready(int line) {
  const char byte = 1;
  (void)!::write(line, &byte, 1);
}

FileDescriptor take_connection(int line) {
  for (;;) {
    DescriptorMessage in;
    const ssize_t size = ::recvmsg(line, &in.message, MSG_CMSG_CLOEXEC);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return {};
    const cmsghdr* header = CMSG_FIRSTHDR(&in.message);
    // Out of descriptors: the client sees its connection end.
    if (header == nullptr || header->cmsg_type != SCM_RIGHTS) continue;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return FileDescriptor(descriptor);
  }
}

}  // namespace tofa::health
