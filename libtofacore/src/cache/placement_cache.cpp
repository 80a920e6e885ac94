// SPDX-License-Identifier: BSD-3-Clause
// The files of the cache: see placement_cache.hpp. One per placement, named by its key:
//
//     tofa placement
//     origin NAME
//     mapping NODE NODE ...
//     default NODE NODE ...
//     end FINGERPRINT
//
// The last line is about the key and all lines before, so that a file which was cut off, damaged or
// renamed is none.
#include "tofa/placement_cache.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "base/fingerprint.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kFirstLine = "tofa placement\n";
constexpr std::string_view kEnd = "end ";

std::string seal(const std::string& key, std::string_view text) {
  return fmt::format("{}{}\n", kEnd, Fingerprint().add(key).add(text).text());
}

std::string format_kept(const std::string& key, const KeptPlacement& placement) {
  const std::string text =
      fmt::format("{}origin {}\nmapping {}\ndefault {}\n", kFirstLine, placement.origin,
                  fmt::join(placement.mapping, " "), fmt::join(placement.by_default, " "));
  return text + seal(key, text);
}

std::optional<Mapping> parse_nodes(std::string_view text) {
  Mapping mapping;
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    const auto node = parse_number<Node>(word);
    if (!node) return std::nullopt;
    mapping.push_back(*node);
  }
  return mapping;
}

std::optional<KeptPlacement> parse_kept(const std::string& key, std::string_view text) {
  const std::size_t end = text.rfind(kEnd);
  if (end == std::string_view::npos || !text.starts_with(kFirstLine)) return std::nullopt;
  if (text.substr(end) != seal(key, text.substr(0, end))) return std::nullopt;
  KeptPlacement kept;
  LineReader lines(text.substr(kFirstLine.size()));
  for (std::string_view line; lines.next(line);) {
    const std::string_view what = next_word(line);
    if (what == "origin") kept.origin = trim(line);
    if (what != "mapping" && what != "default") continue;
    auto nodes = parse_nodes(line);
    if (!nodes) return std::nullopt;
    (what == "mapping" ? kept.mapping : kept.by_default) = std::move(*nodes);
  }
  return kept;
}

}  // namespace

std::optional<KeptPlacement> PlacementCache::find(const std::string& key) const {
  const auto text = folder_.find(key);
  auto kept = text ? parse_kept(key, *text) : std::nullopt;
  if (kept) folder_.touch(key);
  return kept;
}

void PlacementCache::keep(const std::string& key, const KeptPlacement& placement) const {
  folder_.keep(key, format_kept(key, placement));
}

}  // namespace tofa
