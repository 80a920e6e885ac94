// SPDX-License-Identifier: BSD-3-Clause
// cpp-httplib without its sockets and threads: a request is text, and so is the answer.
#pragma once

#include <httplib.h>

#include <string>

#include "web/http_loop.hpp"

namespace tofa::health {

class AnsweringServer : public httplib::Server {
 public:
  AnsweringServer();
  // To the head of a request; see HttpLoop::Serve.
  HttpLoop::Answer answer(const std::string& request, bool last);
};

}  // namespace tofa::health
