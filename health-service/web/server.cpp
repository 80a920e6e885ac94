// SPDX-License-Identifier: BSD-3-Clause
// cpp-httplib makes an answer of each request; it would serve each connection on a thread, of which
// those that are slow would soon have all, so http_loop.hpp has the connections instead. Nothing
// that a client sends is used.
#include "web/server.hpp"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <atomic>
#include <ctime>
#include <thread>

#include "common/daemon.hpp"
#include "common/listener.hpp"
#include "common/snapshot_source.hpp"
#include "tofa/error.hpp"
#include "web/exchange.hpp"
#include "web/http_loop.hpp"
#include "web/layout.hpp"
#include "web/metrics.hpp"
#include "web/page.hpp"

namespace tofa::health {
namespace {

constexpr int kUnavailable = 503;

void harden(AnsweringServer& server) {
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

  std::shared_ptr<HttpLoop> make_loop(FileDescriptor listener) {
    return std::make_shared<HttpLoop>(
        std::move(listener),
        [this](const std::string& request, bool last) { return server.answer(request, last); });
  }

  void run(HttpLoop& loop) {
    try {
      while (!stopping) loop.pass(stop.get());
    } catch (const std::exception& error) {
      spdlog::error("cannot serve any more: {}", error.what());
    }
    ended = true;
  }

  SnapshotSource source;
  std::unique_ptr<const Topology> topology;
  AnsweringServer server;
  FileDescriptor stop = make_event();
  std::atomic<bool> stopping = false;
  std::thread thread;
  std::atomic<bool> ended = false;
};

WebServer::WebServer(WebOptions options) {
  FileDescriptor listener = listen_on(numeric_address(options.listen));
  parts_ = std::make_unique<Parts>(std::move(options));
  harden(parts_->server);
  parts_->add_routes();
  parts_->thread = std::thread(
      [parts = parts_.get(), loop = parts_->make_loop(std::move(listener))] { parts->run(*loop); });
}

WebServer::~WebServer() {
  parts_->stopping = true;
  (void)::eventfd_write(parts_->stop.get(), 1);
  parts_->thread.join();
}

bool WebServer::running() const {
  return !parts_->ended;
}

}  // namespace tofa::health
