// SPDX-License-Identifier: BSD-3-Clause
// The list of policies, in the order reports show them: what there is today comes first.
#include "replay/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {

extern const ReplayPolicy kSlurmPolicy, kReorderPolicy, kCompactPolicy, kSubtreePolicy,
    kWholePolicy, kFaultAwarePolicy;

Registry<ReplayPolicy> policy_registry() {
  static constexpr std::array policies{&kSlurmPolicy,   &kReorderPolicy, &kCompactPolicy,
                                       &kSubtreePolicy, &kWholePolicy,   &kFaultAwarePolicy};
  return policies;
}

std::vector<Node> PolicyTask::candidates() const {
  std::vector<Node> found;
  for (Node node = 0; node < free.nodes(); ++node)
    if (allowed.has(node) && free.fits(node, request)) found.push_back(node);
  return found;
}

std::vector<std::string> policy_names() {
  return names_of(policy_registry());
}
std::string_view policy_name(const ReplayPolicy& policy) {
  return policy.name;
}
std::string_view policy_title(const ReplayPolicy& policy) {
  return policy.title;
}
bool policy_needs_outages(const ReplayPolicy& policy) {
  return policy.needs_outages;
}
bool policy_for_comparison(const ReplayPolicy& policy) {
  return policy.for_comparison;
}

const ReplayPolicy& find_policy(std::string_view name) {
  if (const ReplayPolicy* policy = find_entry(policy_registry(), name)) return *policy;
  throw Error(ErrorKind::bad_input,
              fmt::format("unknown policy {}; known are {}{}", excerpt(name),
                          fmt::join(policy_names(), ", "), did_you_mean(name, policy_names())));
}

}  // namespace tofa
