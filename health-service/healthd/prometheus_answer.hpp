// SPDX-License-Identifier: BSD-3-Clause
// What the answer of Prometheus to a query says about hosts. Pure: series in, verdicts out.
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
#include "tofa/prometheus_vector.hpp"

namespace tofa::health {

struct HostConfig;

class PrometheusOpinions {
 public:
  // `query` becomes part of the cause; the value of `label` names a host.
  PrometheusOpinions(const std::vector<HostConfig>& hosts, const std::string& query,
                     std::string label);

  // Throws Error (bad_input) when no series is about any of the hosts.
  Opinions judge(const std::vector<PrometheusSeries>& answer) const;

 private:
  std::optional<std::uint32_t> find(std::string_view label) const;

  HostIndex names_;
  std::unordered_map<std::string, std::uint32_t> addresses_;
  std::string label_;
  std::string cause_;
};

}  // namespace tofa::health
