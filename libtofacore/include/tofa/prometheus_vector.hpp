// SPDX-License-Identifier: BSD-3-Clause
// What a Prometheus server answers to an instant query (GET /api/v1/query), for whoever asks one:
// the health service about hosts, placing about links. Pure: text in, series out.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tofa {

struct PrometheusSeries {
  std::map<std::string, std::string, std::less<>> labels;
  double time = 0;   // in seconds since 1970
  double value = 0;  // may be NaN or infinite

  // Empty where there is no such label.
  const std::string& label(std::string_view name) const;
};

// Of the JSON that is answered. Throws Error (bad_input) with what Prometheus says is wrong, or
// when it is no instant vector; a series that is none spoils the answer, since nobody knows then
// what it would have said. `name` is where the text is from, for the message; empty: the caller
// says it.
std::vector<PrometheusSeries> parse_instant_vector(std::string_view text, const std::string& name);

// `n1:9100`, `10.0.0.1:9100`, `[fd00::1]:9100`: without the port and the brackets.
std::string_view host_of_target(std::string_view target);

}  // namespace tofa
