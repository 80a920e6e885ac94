// SPDX-License-Identifier: BSD-3-Clause
// What other jobs put on the links: a file, or a Prometheus server, read by the site's rules. A
// source that fails is one warning, and all links are taken to be free. The server is asked by
// curl, in a process of its own, so that nothing it does outlasts the deadline or brings mpirun
// down.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "tofa/child_process.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/inputs.hpp"

namespace tofa {
namespace {

constexpr const char* kFree = "all links are taken to be free";
constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A file without times in it is as old as itself, where the site says how old it may be.
void refuse_old_file(const std::string& path, const LinkLoadRules& rules, double now) {
  struct stat info {};
  if (!rules.max_age || ::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const double age = now - static_cast<double>(info.st_mtime);
  if (age <= *rules.max_age) return;
  throw Error(ErrorKind::unavailable, path, 0,
              fmt::format("was written {:.0f} s ago, {:.0f} s are allowed (max_age); is it still "
                          "written?",
                          age, *rules.max_age));
}

bool is_url(const std::string& source) {
  return source.starts_with("http://") || source.starts_with("https://");
}

std::string ask_prometheus(std::string url, const std::string& query, double timeout) {
  while (url.ends_with('/')) url.pop_back();
  // Prometheus says in its answer what is wrong with a query, which then is read like any other.
  const std::vector<std::string> arguments = {"-q",
                                              "--silent",
                                              "--show-error",
                                              "--get",
                                              "--proto",
                                              "=http,https",
                                              "--max-time",
                                              fmt::format("{:.3f}", timeout),
                                              "--max-filesize",
                                              std::to_string(kLargestFile),
                                              "--data-urlencode",
                                              "query=" + query,
                                              "--url",
                                              url + "/api/v1/query"};
  return run_and_check("curl", arguments,
                       {.deadline_seconds = timeout + 0.5, .max_output = kLargestFile},
                       "curl, which asks " + url + ",");
}

LinkLoadList read_server(const std::string& url, const LinkLoadRules& rules, double now,
                         std::size_t& ahead) {
  if (rules.query.empty()) {
    throw Error(
        ErrorKind::bad_input, url, 0,
        fmt::format("what shall Prometheus be asked? Write query = \"...\" in [link_load] of "
                    "the site file ({})",
                    site_file_path()));
  }
  LinkLoadList load =
      parse_link_load(ask_prometheus(url, rules.query, rules.timeout), url, rules, now, ahead);
  if (!rules.stalls_query.empty()) {
    add_stalls(load, ask_prometheus(url, rules.stalls_query, rules.timeout), url, rules, now,
               ahead);
  }
  return load;
}

LinkLoadList read_load_file(const std::string& path, const LinkLoadRules& rules, double now,
                            std::size_t& ahead) {
  refuse_old_file(path, rules, now);
  return parse_link_load(
      read_file(path, {.max_bytes = kLargestFile, .max_stream_bytes = kLargestFile}), path, rules,
      now, ahead);
}

LinkLoadRules load_rules() {
  const std::string path = site_file_path();
  if (!path_exists(path)) return {};
  return parse_link_load_rules(read_file(path, {.max_bytes = 1 << 20}), path);
}

}  // namespace

LinkUse InputReader::read_link_load(const Source& source, const NetworkInput& network) {
  const double now = seconds_since_1970();
  const LinkLoadRules rules = load_rules();
  if (!is_url(source.value)) refuse_pipe(source.value);
  std::size_t ahead = 0;
  const LinkLoadList load = is_url(source.value) ? read_server(source.value, rules, now, ahead)
                                                 : read_load_file(source.value, rules, now, ahead);
  LinkUse use = link_use_of(load, *network.topology);
  use.ahead = ahead;
  // Where the network is assumed, it has the nodes of this job only, and the load is a site's.
  if (network.assumed && !source.asked()) {
    use.unknown = 0;
  } else if (!load.empty() && use.measured == 0) {
    throw Error(ErrorKind::unavailable, source.value, 0,
                fmt::format("is about no link of the topology ({}), e.g. {} to {}; are they "
                            "neighbours there?",
                            network.topology->describe(), load.front().from, load.front().to));
  }
  return use;
}

// A site file that is of no use is worth a warning to those who need it: for the load of links
// alone it is not.
InputReader::Source InputReader::link_load_source() {
  if (request_.link_load) return {*request_.link_load, ""};
  try {
    if (!defaults_) load_site_defaults();
  } catch (const std::exception&) {
    const SiteDefaults rest = merge_defaults(load_environment_defaults(), request_.launcher);
    if (rest.link_load.empty()) return {};
    return {rest.link_load, rest.named_by.at("link_load")};
  }
  return usual("link_load", &SiteDefaults::link_load);
}

LinkUse InputReader::link_load(NetworkInput& network) {
  const Source source = link_load_source();
  LinkUse use;
  PairCostRule rule = request_.pair_cost;
  if (!source.value.empty()) {
    try {
      use = read_link_load(source, network);
      network.origin += fmt::format(", load of {} links from {}", use.measured,
                                    source.asked() ? source.value : source.named_by);
      if (use.unknown > 0) {
        notes_.warn(fmt::format("{}: {} measurements are about no link of the topology",
                                source.value, use.unknown));
      }
      if (use.ahead > 0) {
        notes_.warn(fmt::format(
            "{}: {} measurements are of a time to come and not used; do the clocks agree?",
            source.value, use.ahead));
      }
    } catch (const std::exception& error) {
      std::string problem = error.what();
      if (!source.asked()) problem += fmt::format(" (named by {})", source.named_by);
      notes_.failed(source.asked(), problem, kFree);
      use = {};
    }
  }
  if (rule.measure == LinkMeasure::stalls && use.stalls.empty()) {
    notes_.degraded("pair-cost is stalls, but nobody says how long links are stalled",
                    "the bandwidth that is left counts");
    rule.measure = LinkMeasure::bandwidth;
  }
  weigh_links(*network.topology, use, rule);
  return use;
}

}  // namespace tofa
