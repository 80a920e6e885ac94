// SPDX-License-Identifier: BSD-3-Clause
// Lines `from to bytes_per_second [stalls]`: instead of bytes a percentage of the link's bandwidth,
// `45%`; stalls are the percentage of time that the link could not send.
#include <fmt/core.h>

#include <algorithm>

#include "link_load/formats.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

// 0 to 1 for `0%` to `100%`, with or without the sign; -1 for anything else.
double parse_percent(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  const auto value = parse_number<double>(word);
  return value && *value >= 0 && *value <= kMostPercent ? std::min(*value, 100.0) / 100 : -1;
}

LinkLoadList parse_lines(std::string_view text, const std::string& name, const LinkLoadRules& rules,
                         double /*now*/, std::size_t& /*ahead*/) {
  LinkLoadList load;
  LineReader lines(text);
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorKind::bad_input, name, lines.number(), message);
  };
  for (std::string_view line; lines.next(line);) {
    std::string_view rest = line.substr(0, line.find('#'));
    const std::string_view from = next_word(rest);
    if (from.empty()) continue;
    LinkSample sample{.from = std::string(from), .to = std::string(next_word(rest))};
    const std::string_view used = next_word(rest);
    const std::string_view stalled = next_word(rest);
    const bool share = used.ends_with('%');
    const auto bytes = share ? 0.0 : parse_number<double>(used);
    if (share) sample.share = parse_percent(used);
    if (!bytes || !is_load(*bytes) || (share && sample.share < 0) || !trim(rest).empty()) {
      fail(fmt::format("line {} is not `from to bytes_per_second [percent of time stalled]`",
                       excerpt(trim(line))));
    }
    sample.bytes_per_second = *bytes * rules.scale;
    if (!stalled.empty()) {
      sample.stalled = parse_percent(stalled);
      if (sample.stalled < 0)
        fail(fmt::format("stalls {} are no percentage from 0 to 100", excerpt(stalled)));
    }
    load.push_back(std::move(sample));
    if (load.size() > kMostLinkSamples) fail(fmt::format("more than {} lines", kMostLinkSamples));
  }
  return load;
}

bool takes_all(std::string_view /*text*/) {
  return true;
}

}  // namespace

extern constexpr LinkLoadFormat kLinesLoadFormat{"lines", takes_all, parse_lines};

}  // namespace tofa
