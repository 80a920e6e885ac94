// SPDX-License-Identifier: BSD-3-Clause
// libpmix's answers are read only while there is none left over for the client, so that a client
// that does not read costs one buffer and no more.
#include "gateway/session.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "gateway/message.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kAnswerBuffer = 65'536;
constexpr int kMostMessages = 16;  // tofa-query sends 3
// Messages of an honest client follow one another within milliseconds.
constexpr std::chrono::seconds kQuietTime{2};

// The other end is alive, there is just nothing to read or no room to write.
bool is_momentary(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void Session::wait_for(std::vector<pollfd>& events) const {
  const short writable = answers_.empty() ? 0 : POLLOUT;
  events.push_back({client_.get(), static_cast<short>(POLLIN | POLLRDHUP | writable), 0});
  // A descriptor of -1 is passed over; asked for no events, it would still tell of a hang-up.
  events.push_back({answers_.empty() ? libpmix_.get() : -1, POLLIN, 0});
}

bool Session::is_late(Clock::time_point now) const {
  return now >= deadline_ || (!waits_for_libpmix() && now - quiet_since_ >= kQuietTime);
}

bool Session::go_on() {
  if (!relay_requests()) {
    ended_ = true;
    return false;
  }
  relay_answers();
  return true;
}

bool Session::relay_requests() {
  std::array<char, kLargestMessage> data;
  const ssize_t size = ::recv(client_.get(), data.data(), data.size(), MSG_DONTWAIT);
  if (size == 0 || (size < 0 && !is_momentary(errno))) ended_ = true;
  if (size <= 0) return true;
  requests_.append(data.data(), static_cast<std::size_t>(size));
  return relay_messages();
}

bool Session::relay_messages() {
  for (;;) {
    const Check check = check_message(requests_);
    if (check.verdict == FrameVerdict::incomplete) return true;
    if (check.verdict == FrameVerdict::refused || ++messages_ > kMostMessages) return false;
    const ssize_t sent =
        ::send(libpmix_.get(), check.relay.data(), check.relay.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    // The pair has room for all messages of a session, so this is libpmix having hung up.
    if (sent != static_cast<ssize_t>(check.relay.size())) {
      ended_ = true;
      return true;
    }
    requests_.erase(0, check.bytes);
    quiet_since_ = Clock::now();
    waits_for_libpmix_ = true;
  }
}

void Session::relay_answers() {
  while (!ended_ && flush()) {
    answers_.resize(kAnswerBuffer);
    const ssize_t size = ::recv(libpmix_.get(), answers_.data(), answers_.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && !is_momentary(errno))) ended_ = true;
    if (size > 0 || ended_) ++heard_;
    answers_.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (size <= 0) return;
    waits_for_libpmix_ = false;
  }
}

// True when the client has taken all.
bool Session::flush() {
  if (answers_.empty()) return true;
  const ssize_t sent =
      ::send(client_.get(), answers_.data(), answers_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && !is_momentary(errno)) ended_ = true;
  if (sent > 0) {
    answers_.erase(0, static_cast<std::size_t>(sent));
    quiet_since_ = Clock::now();
  }
  return answers_.empty();
}

}  // namespace tofa::health
