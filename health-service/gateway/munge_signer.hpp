// SPDX-License-Identifier: BSD-3-Clause
// Signs with MUNGE for the gateway. munged may take as long as it likes, so a thread asks it; who
// wants a signature waits for a limited time once, and not at all while munged owes an answer. Who
// asks for the signature of the same text within the same second gets the same one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace tofa::health {

class MungeSigner {
 public:
  // Makes a credential of a payload; may hang, or throw tofa::Error.
  using Encode = std::function<std::string(const std::string& payload)>;

  MungeSigner(Encode encode, std::chrono::milliseconds limit);

  // As Sign of common/signature.hpp. Throws tofa::Error (unavailable). From any thread.
  std::string operator()(std::string_view text, std::int64_t time, std::string_view what) const;

 private:
  struct Shared;
  void ask(const std::string& payload) const;
  void wait(std::unique_lock<std::mutex>& lock) const;

  std::shared_ptr<Shared> shared_;  // with the thread, which a hanging call may keep for ever
  std::chrono::milliseconds limit_;
};

}  // namespace tofa::health
