// SPDX-License-Identifier: BSD-3-Clause
// Prometheus as a source of health: an expression is evaluated once a period (GET /api/v1/query of
// its HTTP API), see prometheus_answer.hpp for what follows. cpp-httplib limits the time of each
// step of a request only, so what arrives is cut off after the time for all of it, and who sends
// its headers letter by letter is given up on by BackgroundSource.
#include <fmt/format.h>
#include <httplib.h>

#include <chrono>
#include <cmath>

#include "base/toml_section.hpp"
#include "healthd/background_source.hpp"
#include "healthd/config.hpp"
#include "healthd/prometheus_answer.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargestAnswer = 32 << 20;  // 300 bytes for each of 100,000 hosts
constexpr double kLongestPeriod = 300;            // an estimate must not become stale
constexpr double kLongestTimeout = 60;
// For so many questions without an answer the last one holds: Prometheus may be restarted.
constexpr double kValidQuestions = 3;

struct PrometheusConfig {
  std::string url;
  std::string query = "up";
  std::string label = "instance";
  double period = 15;
  double timeout = 5;
};

// `http://host:port/prefix` in front of the third slash, and from there on.
std::pair<std::string, std::string> split_url(const std::string& url) {
  const std::size_t slash = url.find('/', url.find("://") + 3);
  if (slash == std::string::npos) return {url, ""};
  std::string prefix = url.substr(slash);
  while (prefix.ends_with('/')) prefix.pop_back();
  return {url.substr(0, slash), prefix};
}

class Prometheus final : public Oracle {
 public:
  Prometheus(const HealthdConfig& config, PrometheusConfig prometheus)
      : config_(std::move(prometheus)),
        opinions_(config.hosts, config_.query, config_.label),
        path_(split_url(config_.url).second + "/api/v1/query"),
        client_(split_url(config_.url).first) {
    const auto limit = std::chrono::milliseconds(std::lround(config_.timeout * 1000));
    client_.set_connection_timeout(limit);
    client_.set_read_timeout(limit);
    client_.set_write_timeout(limit);
  }

  Opinions ask() override { return opinions_.judge(parse_instant_vector(fetch(), "")); }
  void give_up() override { client_.stop(); }

 private:
  std::string fetch() {
    const auto deadline = Clock::now() + std::chrono::duration<double>(config_.timeout);
    std::string text;
    bool too_large = false;
    const httplib::Params query{{"query", config_.query},
                                {"timeout", fmt::format("{:.0f}ms", config_.timeout * 1000)}};
    const auto answer =
        client_.Get(path_, query, httplib::Headers(), [&](const char* data, std::size_t size) {
          too_large = text.size() + size > kLargestAnswer;
          if (too_large || Clock::now() > deadline) return false;
          text.append(data, size);
          return true;
        });
    if (too_large) fail(fmt::format("it answers with more than {} bytes", kLargestAnswer));
    if (!answer && Clock::now() > deadline) {
      fail(fmt::format("no answer within {} s", config_.timeout));
    }
    if (!answer) fail(httplib::to_string(answer.error()));
    // Errors come with a reason in the same form.
    if (answer->status != 200 && !text.starts_with('{')) {
      fail(fmt::format("HTTP status {}; is it Prometheus that [prometheus] url names?",
                       answer->status));
    }
    return text;
  }

  [[noreturn]] static void fail(const std::string& problem) {
    throw Error(ErrorKind::unavailable, problem);
  }

  const PrometheusConfig config_;
  const PrometheusOpinions opinions_;
  const std::string path_;
  httplib::Client client_;
};

// The section [prometheus].
SourceMaker configure_prometheus(TomlSection& section, HealthdConfig& /*config*/) {
  PrometheusConfig prometheus;
  section.text("url", prometheus.url);
  section.text("query", prometheus.query);
  section.text("label", prometheus.label);
  section.number("period", 0.05, kLongestPeriod, prometheus.period);
  section.number("timeout", 0.05, kLongestTimeout, prometheus.timeout);
  section.refuse_other_keys();
  if (prometheus.url.empty()) return {};
  const auto [server, prefix] = split_url(prometheus.url);
  if (!(server.starts_with("http://") || server.starts_with("https://")) ||
      !httplib::Client(server).is_valid() ||
      prometheus.url.find_first_of("?#@ \t") != std::string::npos) {
    section.fail("url", fmt::format("{} is no address such as http://127.0.0.1:9090",
                                    excerpt(prometheus.url)));
  }
  if (prometheus.query.empty()) section.fail("query", "is empty; up is the default");
  if (prometheus.label.empty()) section.fail("label", "is empty; instance is the default");
  return [prometheus](const HealthdConfig& config) -> std::unique_ptr<HealthSource> {
    return std::make_unique<BackgroundSource>(
        BackgroundOptions{"prometheus", "Prometheus at " + prometheus.url, prometheus.period,
                          prometheus.timeout,
                          kValidQuestions * (prometheus.period + prometheus.timeout)},
        config.hosts.size(), std::make_unique<Prometheus>(config, prometheus));
  };
}

}  // namespace

extern constexpr SourceKind kPrometheusSource{"prometheus", configure_prometheus};

}  // namespace tofa::health
