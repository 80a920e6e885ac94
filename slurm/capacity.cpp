// SPDX-License-Identifier: BSD-3-Clause
// Counting the ranks that a node takes: see capacity.hpp.
#include "capacity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa::slurm {
namespace {

// Where a step asks for a number on each node, it has no more of them there.
std::uint64_t available(const NodeResources& node, const RankNeeds& needs,
                        const std::string& name) {
  const std::uint64_t here = count_of(node.gres, name);
  const auto asked = needs.gres_of_node.find(name);
  return asked == needs.gres_of_node.end() ? here : std::min(here, asked->second);
}

unsigned threads_of_core(const NodeResources& node) {
  return std::max(1U, node.threads_per_core);
}

// How many of them ranks may use.
unsigned used_of_core(const NodeResources& node, const RankNeeds& needs) {
  const unsigned threads = threads_of_core(node);
  return needs.threads_per_core == 0 ? threads : std::min(threads, needs.threads_per_core);
}

void limit(std::uint64_t& ranks, std::uint64_t most) {
  ranks = std::min(ranks, most);
}

// Commas part items, but not those within brackets: gpu:4(IDX:0-1,3).
std::string_view next_item(std::string_view& text) {
  std::size_t depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (text[end] != ',' || depth > 0); ++end) {
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && depth > 0) --depth;
  }
  const std::string_view item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trim(item);
}

bool is_number(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

// More are not counted, so that sums fit.
constexpr std::uint64_t kMostResources = std::uint64_t{1} << 62U;

// A number, with a unit as in 4G: each is 1024 of the one before.
std::optional<std::uint64_t> parse_count(std::string_view text) {
  constexpr std::string_view units = "KkMmGgTtPp";
  std::uint64_t factor = 1;
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit != std::string_view::npos) {
    factor = std::uint64_t{1} << (10 * (unit / 2 + 1));
    text.remove_suffix(1);
  }
  const auto number = parse_number<std::uint64_t>(text);
  if (!number) return std::nullopt;
  return *number > kMostResources / factor ? kMostResources : *number * factor;
}

// NAME, NAME:COUNT, NAME:TYPE or NAME:TYPE:COUNT. That a resource is not used up, which
// slurm.conf says in front of the count, does not matter here.
void add_item(GresCounts& counts, std::string_view item) {
  constexpr std::string_view shared = ":no_consume";
  std::string plain(trim(item.substr(0, item.find('('))));
  if (const auto at = plain.find(shared); at != std::string::npos) plain.erase(at, shared.size());
  std::uint64_t count = 1;
  const std::size_t colon = plain.find_last_of(':');
  if (colon != std::string::npos && is_number(plain.substr(colon + 1))) {
    const auto number = parse_count(plain.substr(colon + 1));
    if (!number) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("{} is not a count of resources", excerpt(item)));
    }
    count = *number;
    plain.resize(colon);
  }
  if (plain.empty())
    throw Error(ErrorKind::bad_input, fmt::format("{} names no resource", excerpt(item)));
  const auto add = [&counts, count](const std::string& name) {
    counts[name] = std::min(kMostResources, counts[name] + count);
  };
  const std::string name = plain.substr(0, plain.find(':'));
  add(name);
  if (name != plain) add(plain);
}

template <typename Use>
void for_each_item(std::string_view text, const Use& use) {
  text = trim(text);
  if (text.empty() || text == "(null)" || text == "N/A" || text == "none") return;
  while (!text.empty()) {
    std::string_view item = next_item(text);
    // Later releases write what their options take: gres/gpu:2 and gres:gpu:2.
    if (item.starts_with("gres:") || item.starts_with("gres/")) item.remove_prefix(5);
    use(item);
  }
}

}  // namespace

std::uint64_t count_of(const GresCounts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

unsigned ranks_on(const NodeResources& node, const RankNeeds& needs) {
  const unsigned threads = threads_of_core(node);
  const unsigned cores = std::max(node.cpus == 0 ? 0U : 1U, node.cpus / threads);
  const unsigned used = used_of_core(node, needs);
  const std::uint64_t usable = used < threads ? cores * used : node.cpus;
  std::uint64_t ranks = usable / std::max(1U, needs.cpus);
  if (needs.ranks_per_core > 0) limit(ranks, std::uint64_t{cores} * needs.ranks_per_core);
  if (needs.ranks_per_socket > 0)
    limit(ranks, std::uint64_t{node.sockets} * needs.ranks_per_socket);
  if (needs.ranks_per_node > 0) limit(ranks, needs.ranks_per_node);
  if (needs.ranks_per_gpu > 0)
    limit(ranks, std::min(ranks, available(node, needs, "gpu")) * needs.ranks_per_gpu);
  // Slurm counts all threads of a core that is used.
  if (needs.memory_per_cpu > 0 && node.memory > 0) {
    const std::uint64_t cpus = std::uint64_t{needs.cpus} * (threads / used);
    limit(ranks, node.memory / (needs.memory_per_cpu * std::max<std::uint64_t>(1, cpus)));
  }
  for (const auto& [name, count] : needs.gres)
    if (count > 0) limit(ranks, available(node, needs, name) / count);
  for (const auto& [name, count] : needs.gres_of_node)
    if (count_of(node.gres, name) < count) return 0;
  return static_cast<unsigned>(
      std::min<std::uint64_t>(ranks, std::numeric_limits<unsigned>::max()));
}

unsigned cpus_taken(const NodeResources& node, const RankNeeds& needs) {
  const unsigned threads = threads_of_core(node);
  const unsigned of_cores = needs.cpus * (threads / used_of_core(node, needs));
  return needs.ranks_per_core == 0 ? of_cores : std::max(of_cores, threads / needs.ranks_per_core);
}

GresCounts parse_gres(std::string_view text) {
  GresCounts counts;
  for_each_item(text, [&counts](std::string_view item) { add_item(counts, item); });
  return counts;
}

GresCounts parse_known_gres(std::string_view text) {
  GresCounts counts;
  for_each_item(text, [&counts](std::string_view item) {
    try {
      add_item(counts, item);
    } catch (const Error&) {
      return;  // a resource that later releases write otherwise
    }
  });
  return counts;
}

// A name is the sum of its types, and written itself where they are fewer.
std::string format_gres(const GresCounts& counts) {
  GresCounts rest;
  for (const auto& [name, count] : counts) {
    const std::size_t colon = name.find(':');
    rest[name] += count;
    if (colon == std::string::npos) continue;
    std::uint64_t& of_all_types = rest[name.substr(0, colon)];
    of_all_types -= std::min(of_all_types, count);
  }
  std::string text;
  for (const auto& [name, count] : rest)
    if (count > 0) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", name, count);
  return text;
}

GresCounts parse_gpus(std::string_view text) {
  GresCounts counts;
  text = trim(text);
  do {
    add_item(counts, "gpu:" + std::string(next_item(text)));
  } while (!text.empty());
  return counts;
}

std::uint64_t parse_memory(std::string_view text) {
  constexpr std::uint64_t kibi = 1024;
  const std::string_view all = trim(text);
  std::string_view digits = all;
  std::uint64_t factor = 1;  // MiB
  if (!digits.empty()) {
    switch (digits.back()) {
      case 'K':
      case 'k':
        factor = 0;
        break;
      case 'G':
      case 'g':
        factor = kibi;
        break;
      case 'T':
      case 't':
        factor = kibi * kibi;
        break;
      default:
        break;
    }
    if (!is_number(digits.substr(digits.size() - 1))) digits.remove_suffix(1);
  }
  const auto number = parse_number<std::uint64_t>(digits);
  if (!number || (factor > 1 && *number > std::numeric_limits<std::uint32_t>::max()))
    throw Error(ErrorKind::bad_input, fmt::format("{} is not a size of memory", excerpt(all)));
  return factor == 0 ? (*number + kibi - 1) / kibi : *number * factor;
}

}  // namespace tofa::slurm
