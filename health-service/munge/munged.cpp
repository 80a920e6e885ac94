// SPDX-License-Identifier: BSD-3-Clause
// libmunge behind the interface of munge/munged.hpp.
#include "munge/munged.hpp"

#include <fmt/format.h>
#include <munge.h>

#include <cstdlib>
#include <memory>

#include "tofa/error.hpp"

namespace tofa::health {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

class Context {
 public:
  explicit Context(const std::string& socket) : context_(::munge_ctx_create()) {
    if (context_ == nullptr) throw Error(ErrorKind::unavailable, "libmunge has no memory left");
    if (!socket.empty()) (void)::munge_ctx_set(context_, MUNGE_OPT_SOCKET, socket.c_str());
  }
  ~Context() { ::munge_ctx_destroy(context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  munge_ctx_t get() const { return context_; }

  // The more precise word where there is one.
  std::string problem(munge_err_t error) const {
    const char* said = ::munge_ctx_strerror(context_);
    return said != nullptr ? said : ::munge_strerror(error);
  }

 private:
  munge_ctx_t context_;
};

// munged, not the credential.
bool is_unavailable(munge_err_t error) {
  return error == EMUNGE_SOCKET || error == EMUNGE_SNAFU || error == EMUNGE_NO_MEMORY ||
         error == EMUNGE_TIMEOUT;
}

// `whole` credentials, whose time or first use is for others to judge.
bool is_genuine(munge_err_t error) {
  return error == EMUNGE_SUCCESS || error == EMUNGE_CRED_EXPIRED || error == EMUNGE_CRED_REWOUND ||
         error == EMUNGE_CRED_REPLAYED;
}

[[noreturn]] void fail(const std::string& problem) {
  throw Error(
      ErrorKind::unavailable,
      fmt::format("munged does not answer on this host: {}; is munge.service running?", problem));
}

}  // namespace

std::string munge_encode(const std::string& socket, const std::string& payload) {
  const Context context(socket);
  char* made = nullptr;
  const munge_err_t error =
      ::munge_encode(&made, context.get(), payload.data(), static_cast<int>(payload.size()));
  const std::unique_ptr<char, Free> credential(made);
  if (error != EMUNGE_SUCCESS) fail(context.problem(error));
  return credential.get();
}

Voucher munge_decode(const std::string& socket, const std::string& credential) {
  const Context context(socket);
  void* data = nullptr;
  int size = 0;
  Voucher voucher;
  gid_t group = 0;
  const munge_err_t error =
      ::munge_decode(credential.c_str(), context.get(), &data, &size, &voucher.user, &group);
  const std::unique_ptr<void, Free> payload(data);
  if (is_unavailable(error)) fail(context.problem(error));
  if (!is_genuine(error)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("munged does not believe its credential: {}; it was altered, or the "
                            "gateway's host has another MUNGE key",
                            context.problem(error)));
  }
  if (payload != nullptr) voucher.payload.assign(static_cast<const char*>(data), size);
  return voucher;
}

}  // namespace tofa::health
