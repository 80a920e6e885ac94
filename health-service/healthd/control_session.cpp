// SPDX-License-Identifier: BSD-3-Clause
// A request ends with its line, or with the input where the asker closes that side.
#include "healthd/control_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tofa/health_control.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kLongestUser = 64;

}  // namespace

bool may_change(const Caller& caller, uid_t own, const std::optional<gid_t>& group) {
  if (caller.uid == 0 || caller.uid == own) return true;
  if (!group) return false;
  return caller.gid == *group ||
         std::find(caller.groups.begin(), caller.groups.end(), *group) != caller.groups.end();
}

std::string shown_user(uid_t uid, const std::string& name) {
  const auto visible = [](char c) { return c > ' ' && c != '\x7f'; };  // of ASCII
  if (!name.empty() && name.size() <= kLongestUser &&
      std::all_of(name.begin(), name.end(), visible)) {
    return name;
  }
  return fmt::format("uid {}", uid);
}

void ControlSession::take(std::string_view bytes, bool end, double now) {
  if (state_ != State::reading) return;
  if (text_.size() + bytes.size() > kLongestControlRequest) {
    return refuse(fmt::format("the request is longer than {} bytes", kLongestControlRequest), now);
  }
  text_ += bytes;
  const std::size_t line = text_.find('\n');
  if (line == std::string::npos) {
    if (end && text_.empty()) {
      state_ = State::over;
    } else if (end) {
      state_ = State::asked;
    }
    return;
  }
  if (line + 1 != text_.size()) return refuse("a connection carries one request", now);
  text_.pop_back();
  state_ = State::asked;
}

void ControlSession::answer(std::string text, double now) {
  if (state_ == State::over) return;
  text_ = std::move(text);
  sent_ = 0;
  deadline_ = now + kWriteSeconds;
  state_ = text_.empty() ? State::over : State::answering;
}

void ControlSession::refuse(const std::string& why, double now) {
  answer(format_control_error(Error(ErrorKind::bad_input, why)), now);
}

void ControlSession::sent(std::size_t bytes) {
  sent_ += std::min(bytes, text_.size() - sent_);
  if (state_ == State::answering && sent_ == text_.size()) state_ = State::over;
}

double ControlSession::deadline() const {
  return state_ == State::asked ? std::numeric_limits<double>::infinity() : deadline_;
}

void ControlSession::pass(double now) {
  if (now < deadline()) return;
  if (state_ == State::reading) {
    refuse(fmt::format("no whole request within {:.0f} s", kReadSeconds), now);
  } else if (state_ == State::answering) {
    state_ = State::over;
  }
}

}  // namespace tofa::health
