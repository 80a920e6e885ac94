// SPDX-License-Identifier: BSD-3-Clause
#include "web/connection.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace tofa::health {
namespace {

constexpr std::size_t kChunk = 16'384;
constexpr std::size_t kLargestHead = 16'384;
constexpr std::string_view kEndOfHead = "\r\n\r\n";
// The metrics of ten thousand hosts over the slowest of networks.
constexpr std::chrono::seconds kAnswerTime{30};
constexpr std::chrono::seconds kLeavingTime{2};
constexpr const char* kTooLarge =
    "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

// The other end is alive, there is just nothing to read or no room to write.
bool is_momentary(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

// While it waits, only the loss of the connection is of interest, which poll() tells in any case.
pollfd Connection::event() const {
  short events = 0;
  if (state_ == State::asking || state_ == State::leaving) events = POLLIN;
  if (state_ == State::answering) events = POLLOUT;
  return {socket_.get(), events, 0};
}

void Connection::go_on() {
  switch (state_) {
    case State::asking:
      return receive();
    case State::waiting:
      return end();
    case State::answering:
      return send();
    case State::leaving:
      return discard();
    case State::ended:
      return;
  }
}

bool Connection::is_last_request() const {
  return requests_ >= kMostRequests;
}

// What the system has taken need not have reached the client.
bool Connection::has_untaken() const {
  int bytes = 0;
  return ::ioctl(socket_.get(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

bool Connection::is_late(Clock::time_point now) const {
  const bool has_answered = state_ == State::asking || state_ == State::leaving;
  if (has_answered && has_untaken()) return now - answered_ >= kAnswerTime;
  switch (state_) {
    case State::asking:
      return now - since_ >= kAskingTime;
    case State::leaving:
      return now - since_ >= kLeavingTime;
    default:
      return now - since_ >= kAnswerTime;
  }
}

void Connection::enter(State state) {
  state_ = state;
  since_ = Clock::now();
}

// The system would keep what the client does not take for minutes, and the client would not see the
// end before it has taken that. One that just does not ask again is told so in the usual way.
void Connection::cut_off() {
  const bool is_idle = state_ == State::asking && received_.empty() && !has_untaken();
  const linger at_once{1, 0};
  if (!is_idle) (void)::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  end();
}

void Connection::receive() {
  std::array<char, kChunk> data;
  const ssize_t size = ::recv(socket_.get(), data.data(), data.size(), MSG_DONTWAIT);
  if (size < 0 && is_momentary(errno)) return;
  if (size <= 0) return end();
  received_.append(data.data(), static_cast<std::size_t>(size));
  look_for_request();
}

// Byte by byte, too, each byte is looked at once; the end may have begun before.
void Connection::look_for_request() {
  const std::size_t end = received_.find(kEndOfHead, searched_);
  if (end != std::string::npos) {
    head_ = end + kEndOfHead.size();
    ++requests_;
    return enter(State::waiting);
  }
  searched_ = received_.size() - std::min(received_.size(), kEndOfHead.size() - 1);
  if (received_.size() > kLargestHead) answer(kTooLarge, true);
}

void Connection::answer(std::string text, bool last) {
  answer_ = std::move(text);
  sent_ = 0;
  last_ = last;
  received_.erase(0, head_);
  head_ = searched_ = 0;
  answered_ = Clock::now();
  enter(State::answering);
  send();
}

void Connection::send() {
  const ssize_t sent = ::send(socket_.get(), answer_.data() + sent_, answer_.size() - sent_,
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && !is_momentary(errno)) return end();
  if (sent > 0) sent_ += static_cast<std::size_t>(sent);
  if (unsent() > 0) return;
  answer_ = {};
  sent_ = 0;
  if (last_) {
    // Closed with something unread, the connection would be reset, and the answer lost.
    (void)::shutdown(socket_.get(), SHUT_WR);
    return enter(State::leaving);
  }
  enter(State::asking);
  look_for_request();
}

void Connection::discard() {
  std::array<char, kChunk> data;
  const ssize_t size = ::recv(socket_.get(), data.data(), data.size(), MSG_DONTWAIT);
  if (size == 0 || (size < 0 && !is_momentary(errno))) end();
}

}  // namespace tofa::health
