// SPDX-License-Identifier: BSD-3-Clause
// The registry of formats of link loads, recognition by content, and what all of them check.
#include "link_load/formats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

// Lines take what no other does.
extern const LinkLoadFormat kPrometheusLoadFormat, kCsvLoadFormat, kLinesLoadFormat;

Registry<LinkLoadFormat> link_load_registry() {
  static constexpr std::array formats{&kPrometheusLoadFormat, &kCsvLoadFormat, &kLinesLoadFormat};
  return formats;
}

bool is_load(double value) {
  constexpr double most = 1e18;
  return value >= 0 && value <= most;  // false for NaN
}

void refuse_old_load(double time, const std::string& name, const LinkLoadRules& rules, double now) {
  const double most = rules.max_age.value_or(kLinkLoadMaxAge);
  if (now - time <= most) return;
  throw Error(ErrorKind::unavailable, name, 0,
              fmt::format("is old: its newest measurement was made {:.0f} s ago, {:.0f} s are "
                          "allowed (max_age); is it still written?",
                          now - time, most));
}

bool is_ahead(double time, const LinkLoadRules& rules, double now) {
  return time > now + std::max(rules.window, kLinkLoadAhead);
}

void refuse_all_ahead(const std::string& name, std::size_t ahead) {
  throw Error(ErrorKind::unavailable, name, 0,
              fmt::format("is ahead of time: all of its {} measurements are of a time to come; do "
                          "the clocks of this host and of the one that measures agree?",
                          ahead));
}

LinkLoadList parse_link_load(std::string_view text, const std::string& name,
                             const LinkLoadRules& rules, double now, std::size_t& ahead) {
  text = require_text(text, name);
  for (const LinkLoadFormat* format : link_load_registry())
    if (format->recognise(text)) return format->parse(text, name, rules, now, ahead);
  return {};
}

}  // namespace tofa
