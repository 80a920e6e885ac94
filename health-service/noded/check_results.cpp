// SPDX-License-Identifier: BSD-3-Clause
// A check's reason is the first line that it printed, and how it ended where it printed nothing.
#include "noded/check_results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tofa/host_index.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

constexpr std::size_t kLongestCheckName = 64;

std::string reason_of(const CheckOutcome& outcome) {
  using End = CheckOutcome::End;
  if (outcome.end == End::timed_out) return fmt::format("not done within {} s", outcome.status);
  if (outcome.end == End::exited && outcome.status == 0) return "";
  std::string reason = as_cause(outcome.output);
  if (!reason.empty()) return reason;
  return outcome.end == End::killed ? fmt::format("ended by signal {}", outcome.status)
                                    : fmt::format("exit status {}", outcome.status);
}

}  // namespace

bool is_check_name(std::string_view name) {
  return is_host_name(name) && name.front() != '.' && name.size() <= kLongestCheckName;
}

void CheckResults::keep(const std::vector<std::string>& names) {
  std::erase_if(reasons_, [&names](const auto& entry) {
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
}

std::optional<std::string> CheckResults::record(const std::string& name,
                                                const CheckOutcome& outcome) {
  if (outcome.end == CheckOutcome::End::not_run) return std::nullopt;
  const std::string reason = reason_of(outcome);
  const auto known = reasons_.find(name);
  if (reason.empty()) {
    if (known == reasons_.end()) return std::nullopt;
    reasons_.erase(known);
    return fmt::format("check {} finds nothing wrong any more", name);
  }
  if (known != reasons_.end() && known->second == reason) return std::nullopt;
  reasons_[name] = reason;
  return fmt::format("check {} failed: {}", name, reason);
}

std::string CheckResults::failure() const {
  if (reasons_.empty()) return "";
  const auto& [name, reason] = *reasons_.begin();
  const std::string first = fmt::format("{}: {}", name, reason);
  return reasons_.size() == 1 ? first : fmt::format("{} (and {} more)", first, reasons_.size() - 1);
}

std::string CheckResults::save() const {
  std::string text;
  for (const auto& [name, reason] : reasons_) text += fmt::format("{} {}\n", name, reason);
  return text;
}

void CheckResults::restore(std::string_view text) {
  reasons_.clear();
  LineReader lines(text);
  for (std::string_view line; lines.next(line);) {
    const std::string name(next_word(line));
    std::string reason = as_cause(std::string(trim(line)));
    if (is_check_name(name) && !reason.empty()) reasons_[name] = std::move(reason);
  }
}

}  // namespace tofa::health
