// SPDX-License-Identifier: BSD-3-Clause
// What a format of link loads provides. A new one is one file that defines a `LinkLoadFormat`, plus
// its line in the registry (formats.cpp).
#pragma once

#include <string>
#include <string_view>

#include "base/registry.hpp"
#include "tofa/link_load.hpp"

namespace tofa {

inline constexpr std::size_t kMostLinkSamples = 5'000'000;

struct LinkLoadFormat {
  std::string_view name;
  bool (*recognise)(std::string_view text);
  // The text is valid UTF-8. See parse_link_load().
  LinkLoadList (*parse)(std::string_view text, const std::string& name, const LinkLoadRules& rules,
                        double now, std::size_t& ahead);
};

Registry<LinkLoadFormat> link_load_registry();

// Throws Error (unavailable) where what was measured at `time` is too old by now.
void refuse_old_load(double time, const std::string& name, const LinkLoadRules& rules, double now);

// Whether `time` is so late that it is a mistake, see parse_link_load().
bool is_ahead(double time, const LinkLoadRules& rules, double now);

// Throws Error (unavailable): all `ahead` measurements are.
[[noreturn]] void refuse_all_ahead(const std::string& name, std::size_t ahead);

// Whether a number can be what a link carries.
bool is_load(double value);

// Shares are quotients of two samples, so that those of a link that is busy all the time may come
// out a little above 100, which counts as 100.
inline constexpr double kMostPercent = 110;

}  // namespace tofa
