// SPDX-License-Identifier: BSD-3-Clause
// Reading and resolving resource requests: see needs.hpp.
#include "mapping/seats/needs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::size_t kMostResources = std::numeric_limits<Resources>::digits;

[[noreturn]] void fail(std::string_view text) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{} is no request for a resource; name ranks, as in fpga:0-3,8, or their "
                          "number, as in fpga=4; semicolons separate several",
                          excerpt(text)));
}

// `0-3,8`, appended to `ranks`.
void parse_ranks(std::string_view text, std::string_view request, std::vector<Rank>& ranks) {
  for (;;) {
    const std::size_t end = text.find_first_of(",+");
    const std::string_view range = trim(text.substr(0, end));
    const std::size_t dash = range.find('-');
    const auto low = parse_number<Rank>(range.substr(0, dash));
    const auto high =
        dash == std::string_view::npos ? low : parse_number<Rank>(range.substr(dash + 1));
    if (!low || !high || *high < *low || *high >= kMaxRanks) fail(request);
    for (Rank rank = *low; rank <= *high; ++rank) ranks.push_back(rank);
    if (ranks.size() > kMaxRanks) fail(request);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

// Names may have colons, as Slurm's have: the last one separates, unless there is a number.
ResourceNeed parse_need(std::string_view text) {
  const std::size_t number = text.rfind('=');
  const std::size_t sign = number == std::string_view::npos ? text.rfind(':') : number;
  if (sign == 0 || sign == std::string_view::npos) fail(text);
  ResourceNeed need;
  need.resource = trim(text.substr(0, sign));
  const std::string_view rest = trim(text.substr(sign + 1));
  if (text[sign] == ':') {
    parse_ranks(rest, text, need.ranks);
  } else {
    const auto count = parse_number<Rank>(rest);
    if (!count || *count == 0) fail(text);
    need.any = *count;
  }
  return need;
}

}  // namespace

std::vector<ResourceNeed> parse_resource_needs(std::string_view text) {
  std::vector<ResourceNeed> needs;
  while (!trim(text).empty()) {
    const std::size_t end = text.find(';');
    needs.push_back(parse_need(trim(text.substr(0, end))));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return needs;
}

Needs::Needs(const std::vector<ResourceNeed>& requests, const Topology& topology, Rank ranks)
    : topology_(&topology) {
  const std::vector<std::string> known = topology.resource_names();
  for (const ResourceNeed& request : requests) {
    if (std::find(known.begin(), known.end(), request.resource) == known.end()) {
      throw Error(
          ErrorKind::unmet,
          fmt::format("resource \"{}\": no node of the topology has any{}; give it to nodes "
                      "in the topology file, as in gres = {{ {} = 1 }}",
                      request.resource,
                      known.empty() ? "" : fmt::format(" (known: {})", fmt::join(known, ", ")),
                      request.resource));
    }
    if (request.any > ranks || (!request.ranks.empty() && request.ranks.back() >= ranks)) {
      throw Error(
          ErrorKind::unmet,
          fmt::format("resource \"{}\" is needed by {}, but the job has {} ranks", request.resource,
                      request.any > ranks ? fmt::format("{} ranks", request.any)
                                          : fmt::format("rank {}", request.ranks.back()),
                      ranks));
    }
    if (request.ranks.empty()) continue;
    const auto it = std::find(names_.begin(), names_.end(), request.resource);
    const auto which = static_cast<std::size_t>(it - names_.begin());
    if (it == names_.end()) names_.push_back(request.resource);
    if (which >= kMostResources) {
      throw Error(ErrorKind::unmet,
                  fmt::format("more than {} different resources are needed", kMostResources));
    }
    of_rank_.resize(ranks);
    for (const Rank rank : request.ranks) of_rank_[rank] |= Resources{1} << which;
  }
}

bool Needs::combined() const {
  return std::any_of(of_rank_.begin(), of_rank_.end(),
                     [](Resources needed) { return std::popcount(needed) > 1; });
}

}  // namespace tofa
