// SPDX-License-Identifier: BSD-3-Clause
// cpp-httplib serves each connection on one of its threads. A client that is slow is cut off soon,
// so that many of them cannot keep everybody else waiting; nothing that a client sends is used.
#include "web/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <thread>

#include "common/snapshot_source.hpp"
#include "tofa/error.hpp"
#include "web/layout.hpp"
#include "web/metrics.hpp"
#include "web/page.hpp"

namespace tofa::health {
namespace {

constexpr time_t kSlowest = 2;  // seconds that a client may take to send or receive
constexpr std::size_t kThreads = 64;
constexpr std::size_t kLargestBody = 1024;
constexpr std::size_t kRequestsPerConnection = 100;
constexpr int kUnavailable = 503;

void harden(httplib::Server& server) {
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_read_timeout(kSlowest);
  server.set_write_timeout(kSlowest);
  server.set_keep_alive_timeout(kSlowest);
  server.set_keep_alive_max_count(kRequestsPerConnection);
  server.set_payload_max_length(kLargestBody);
  server.set_default_headers({{"Content-Security-Policy", "default-src 'self'; img-src data:"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cache-Control", "no-store"}});
  server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
        response.status = kUnavailable;
        response.set_content("the snapshot cannot be read\n", "text/plain");
      });
}

}  // namespace

struct WebServer::Parts {
  explicit Parts(WebOptions given)
      : source(std::move(given.snapshot)), topology(std::move(given.topology)) {}

  // The snapshot, or nullptr with the reason.
  std::shared_ptr<const Snapshot> snapshot(std::string& problem) {
    try {
      return source.get();
    } catch (const Error& error) {
      problem = error.what();
      return nullptr;
    }
  }

  void serve_metrics(httplib::Response& response) {
    std::string problem;
    response.set_content(metrics_text(snapshot(problem).get()), kMetricsType);
  }

  // With the time of now, so that the age of what it says shows.
  void serve_snapshot(httplib::Response& response) {
    std::string problem;
    if (snapshot(problem) != nullptr) {
      response.set_content(source.text(std::time(nullptr))->text, "application/json");
    } else {
      response.status = kUnavailable;
      response.set_content(problem + "\n", "text/plain");
    }
  }

  void serve_layout(httplib::Response& response) {
    std::string problem;
    std::vector<std::string> hosts;
    if (const auto known = snapshot(problem)) {
      for (const SnapshotHost& host : known->hosts) hosts.push_back(host.host);
    }
    response.set_content(layout_json(lay_out(hosts, topology.get())), "application/json");
  }

  void add_routes() {
    const auto page = [this](const char* path, const char* text, const char* type) {
      server.Get(path, [text, type](const httplib::Request&, httplib::Response& response) {
        response.set_content(text, type);
      });
    };
    page("/", kPageHtml, "text/html");
    page("/page.js", kPageScript, "text/javascript");
    page("/page.css", kPageStyle, "text/css");
    const auto data = [this](const char* path, void (Parts::*serve)(httplib::Response&)) {
      server.Get(path, [this, serve](const httplib::Request&, httplib::Response& response) {
        (this->*serve)(response);
      });
    };
    data("/metrics", &Parts::serve_metrics);
    data("/snapshot.json", &Parts::serve_snapshot);
    data("/layout.json", &Parts::serve_layout);
  }

  SnapshotSource source;
  std::unique_ptr<const Topology> topology;
  httplib::Server server;
  std::thread thread;
  std::atomic<bool> ended = false;
};

WebServer::WebServer(WebOptions options) {
  const HostPort listen = options.listen;
  parts_ = std::make_unique<Parts>(std::move(options));
  harden(parts_->server);
  parts_->add_routes();
  if (!parts_->server.bind_to_port(listen.host, listen.port)) {
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot listen on {}:{}: {}; choose another with --listen ADDRESS:PORT",
                            listen.host, listen.port, std::strerror(errno)));
  }
  parts_->thread = std::thread([parts = parts_.get()] {
    parts->server.listen_after_bind();
    parts->ended = true;
  });
}

WebServer::~WebServer() {
  // Before its thread listens, stop() has no effect.
  while (!parts_->ended && !parts_->server.is_running()) std::this_thread::yield();
  parts_->server.stop();
  parts_->thread.join();
}

bool WebServer::running() const {
  return !parts_->ended;
}

}  // namespace tofa::health
