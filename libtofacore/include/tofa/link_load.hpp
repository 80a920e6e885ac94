// SPDX-License-Identifier: BSD-3-Clause
// What other jobs put on the links of a network, as a site measures it. Pure: text in, numbers out;
// where the text comes from is up to the inputs (tofa/inputs.hpp). Formats are known by content:
//
//   - lines `from to bytes_per_second [stalls]`, with # comments;
//   - CSV with the time of each row, as LDMS stores it;
//   - what a Prometheus server answers to a query.
//
// A new format is a file in src/link_load and its line in the registry (src/link_load/formats.cpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/link_costs.hpp"

namespace tofa {

class Topology;

// Of a directed link. `from` and `to` are nodes or switches as the topology calls them. One of them
// may be a direction in a grid, `x+`: the neighbour there; or `*`: all links of the other one.
struct LinkSample {
  std::string from;
  std::string to;
  double bytes_per_second = 0;
  double share = -1;    // of the link's bandwidth, 0 to 1, instead; -1: not said
  double stalled = -1;  // share of the time that it could not send; -1: not said
};
using LinkLoadList = std::vector<LinkSample>;

// Of several measurements in a window of time.
enum class WindowValue { mean, max, latest };

// How a site's measurements are meant: [link_load] of the site file.
struct LinkLoadRules {
  double window = 60;  // seconds before the newest row
  WindowValue take = WindowValue::mean;
  std::optional<double> max_age;  // seconds; not said: kLinkLoadMaxAge where there is a time
  std::optional<bool> incoming;   // counted where links end, not where they begin
  double scale = 1;               // bytes of a unit

  // CSV: the column of the host, and what follows the direction in the names of others.
  std::string host_column = "ProducerName";
  std::string used_column;     // empty: Gemini's, in percent
  std::string stalled_column;  // the same
  bool counters = false;       // used_column is a sum since the beginning; `(B)` at its end says so

  // Prometheus.
  std::string query;
  std::string stalls_query;  // percent; empty: not asked
  std::string from_label = "instance";
  std::string to_label = "to";  // a series without it is about all links of the host
  double timeout = 2;           // seconds
};

inline constexpr double kLinkLoadMaxAge = 300;

// By so many seconds the clock of who measures may be ahead of ours at least.
inline constexpr double kLinkLoadAhead = 60;

// `now` is in seconds since 1970. What is of a time clearly later, by more than the window, is not
// used, and counted in `ahead`: a single such row would be the newest one for ever, and make all
// others too old to count. Throws Error (bad_input) with file and line, or (unavailable) when all
// of it is too old, of a time to come, or about nothing.
LinkLoadList parse_link_load(std::string_view text, const std::string& name,
                             const LinkLoadRules& rules, double now, std::size_t& ahead);

// The same links with the stalls of `stalls`, an answer of Prometheus, in percent.
void add_stalls(LinkLoadList& load, std::string_view stalls, const std::string& name,
                const LinkLoadRules& rules, double now, std::size_t& ahead);

// By link. What is said of the same link by several adds up.
LinkUse link_use_of(const LinkLoadList& load, const Topology& topology);

// [link_load] of a site file. Throws Error with file and line.
LinkLoadRules parse_link_load_rules(std::string_view site_file, const std::string& name);

}  // namespace tofa
