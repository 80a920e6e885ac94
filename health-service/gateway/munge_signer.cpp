// SPDX-License-Identifier: BSD-3-Clause
// One thread for each question, of which there is one at a time.
#include "gateway/munge_signer.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include "common/munge_signature.hpp"
#include "tofa/error.hpp"

namespace tofa::health {

struct MungeSigner::Shared {
  Encode encode;
  std::mutex mutex;
  std::condition_variable answered;
  bool is_asking = false;
  std::chrono::steady_clock::time_point asked;
  std::string problem;                            // of the last question; empty: none
  std::int64_t time = 0;                          // of the signatures
  std::map<std::string, std::string> by_payload;  // signatures of that second
};

namespace {

[[noreturn]] void fail_to_sign(const std::string& problem) {
  throw Error(ErrorKind::unavailable, fmt::format("answers cannot be signed: {}", problem));
}

}  // namespace

MungeSigner::MungeSigner(Encode encode, std::chrono::milliseconds limit)
    : shared_(std::make_shared<Shared>()), limit_(limit) {
  shared_->encode = std::move(encode);
}

// With the lock held.
void MungeSigner::ask(const std::string& payload) const {
  const auto encode = [shared = shared_, payload] {
    std::string signature;
    std::string problem;
    try {
      signature = munge_signature(shared->encode(payload));
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const std::lock_guard lock(shared->mutex);
    if (problem.empty()) shared->by_payload[payload] = std::move(signature);
    shared->problem = std::move(problem);
    shared->is_asking = false;
    shared->answered.notify_all();
  };
  try {
    std::thread(encode).detach();
  } catch (const std::system_error& error) {
    fail_to_sign(fmt::format("no thread to ask munged: {}", error.what()));
  }
  // Not before: without a thread nobody would end it. With one, the lock has it wait until here.
  shared_->is_asking = true;
  shared_->asked = std::chrono::steady_clock::now();
  shared_->problem.clear();
}

// For the answer to whoever has asked.
void MungeSigner::wait(std::unique_lock<std::mutex>& lock) const {
  const auto end = shared_->asked + limit_;
  if (shared_->answered.wait_until(lock, end, [&] { return !shared_->is_asking; })) return;
  fail_to_sign(fmt::format("munged has owed an answer for more than {:.1f} s; is it running?",
                           std::chrono::duration<double>(limit_).count()));
}

std::string MungeSigner::operator()(std::string_view text, std::int64_t time,
                                    std::string_view what) const {
  const std::string payload = munge_payload(text, time, what);
  std::unique_lock lock(shared_->mutex);
  while (shared_->is_asking) wait(lock);
  if (shared_->time != time) shared_->by_payload.clear();
  shared_->time = time;
  if (!shared_->by_payload.contains(payload)) {
    ask(payload);
    wait(lock);
    if (!shared_->problem.empty()) fail_to_sign(shared_->problem);
  }
  return shared_->by_payload[payload];
}

}  // namespace tofa::health
