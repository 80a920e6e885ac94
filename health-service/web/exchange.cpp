// SPDX-License-Identifier: BSD-3-Clause
#include "web/exchange.hpp"

#include <string_view>

namespace tofa::health {
namespace {

constexpr std::size_t kLargestBody = 1024;  // as announced, for none is read

// A request that is whole, for cpp-httplib to read, and the answer that it writes.
class Exchange : public httplib::Stream {
 public:
  explicit Exchange(std::string_view request) : rest_(request) {}
  std::string take_answer() { return std::move(answer_); }

  bool is_readable() const override { return !rest_.empty(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* data, std::size_t size) override {
    const std::size_t copied = rest_.copy(data, size);
    rest_.remove_prefix(copied);
    return static_cast<ssize_t>(copied);
  }
  ssize_t write(const char* data, std::size_t size) override {
    answer_.append(data, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string_view rest_;
  std::string answer_;
};

}  // namespace

// The times are what it tells clients; the connection sees to them.
AnsweringServer::AnsweringServer() {
  set_keep_alive_timeout(Connection::kAskingTime.count());
  set_keep_alive_max_count(Connection::kMostRequests);
  set_payload_max_length(kLargestBody);
}

// Behind the head of any other request there may be a body.
HttpLoop::Answer AnsweringServer::answer(const std::string& request, bool last) {
  const bool is_all = request.starts_with("GET ") || request.starts_with("HEAD ");
  Exchange exchange(request);
  const bool closes = last || !is_all;
  bool client_closes = false;
  const auto process = [&](auto& server) {
    if constexpr (requires { server.process_request(exchange, closes, client_closes, nullptr); }) {
      return server.process_request(exchange, closes, client_closes, nullptr);
    } else {  // later releases take the addresses of both ends, too, which nothing here uses
      return server.process_request(exchange, "", 0, "", 0, closes, client_closes, nullptr);
    }
  };
  const bool is_good = process(*this);
  return {exchange.take_answer(), closes || client_closes || !is_good};
}

}  // namespace tofa::health
