// SPDX-License-Identifier: BSD-3-Clause
// What Prometheus answers to a query, and what it says about hosts. Pure: text in, verdicts out.
// Each series of an instant vector is about the host that one of its labels names, with or without
// a port: its name, or the address that it is polled at. The value 0 means that the host is silent,
// any other that it is up, so that any expression can be bent to it: `up`, `temperature < bool 90`.
// NaN says nothing. Of several series about a host the worst counts.
//
// Silence rather than failure: where many hosts are 0 at once it is the network of Prometheus that
// is interrupted, or the expression that is wrong (reachability.hpp).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "healthd/background_source.hpp"
#include "tofa/host_index.hpp"

namespace tofa::health {

struct HostConfig;

struct PrometheusSample {
  std::string label;  // empty where the series has no such label
  double value = 0;
};

// Of the JSON of /api/v1/query. Throws Error (bad_input) with what Prometheus says is wrong, or
// when it is no answer.
std::vector<PrometheusSample> parse_prometheus(std::string_view text, const std::string& label);

class PrometheusOpinions {
 public:
  // `query` becomes part of the cause.
  PrometheusOpinions(const std::vector<HostConfig>& hosts, const std::string& query);

  // Throws Error (bad_input) when no series is about any of the hosts.
  Opinions judge(const std::vector<PrometheusSample>& samples) const;

 private:
  std::optional<std::uint32_t> find(std::string_view label) const;

  HostIndex names_;
  std::unordered_map<std::string, std::uint32_t> addresses_;
  std::string cause_;
};

}  // namespace tofa::health
