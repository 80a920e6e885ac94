// SPDX-License-Identifier: BSD-3-Clause
// A kept file is named by whom it came from and by whose word that was checked with, so that what
// one service said is never taken for what another did. It has the text as it came.
#include "tofa/topology_query.hpp"

#include <fmt/format.h>

#include "base/fingerprint.hpp"
#include "outage/run_query.hpp"
#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kFirstWord = "tofa-topology ";

std::string name_of(const HealthQuery& query) {
  return "topology-" + Fingerprint().add(query.uri).add(query.key).add(query.key_user).text();
}

// Earlier versions of tofa-query do not know the question, and those of the gateway not the key.
// Programs of the site's own that take the place of tofa-query may say anything; what is wrong with
// them is seen when they are asked for what they are there for.
bool knows_no_topologies(const ChildResult& result) {
  if (result.end != ChildResult::End::exited) return false;
  if (result.status == kStatusUsage || result.status == kStatusNoData) return true;
  return result.status <= 0 && !result.output.starts_with(kFirstWord);
}

}  // namespace

std::optional<TopologyReply> parse_topology_reply(std::string_view printed) {
  using Kind = TopologyReply::Kind;
  const std::size_t end = printed.find('\n');
  if (!printed.starts_with(kFirstWord) || end == std::string_view::npos) return {};
  const std::string_view word = printed.substr(kFirstWord.size(), end - kFirstWord.size());
  const std::string_view text = printed.substr(end + 1);
  if (word == "none" && text.empty()) return TopologyReply{Kind::none, {}};
  if (word == "unchanged" && text.empty()) return TopologyReply{Kind::unchanged, {}};
  const auto size = parse_number<std::size_t>(word);
  if (!size || *size == 0 || *size != text.size()) return {};
  return TopologyReply{Kind::text, text};
}

std::optional<std::string> query_topology(const HealthQuery& query, const UserFolder& kept) {
  const std::string name = name_of(query);
  std::optional<std::string> known = kept.find(name);
  std::vector<std::string> more = {"--topology"};
  if (known) more.insert(more.end(), {"--known", fingerprint_of(*known)});
  const ChildResult result = run_query(query, more);
  if (knows_no_topologies(result)) return {};
  refuse_failure(query, result);
  const auto reply = parse_topology_reply(result.output);
  if (!reply || (reply->kind == TopologyReply::Kind::unchanged && !known)) {
    throw Error(ErrorKind::unavailable,
                fmt::format("health service at {} gave a malformed answer about its topology, "
                            "which is ignored as a whole",
                            query.uri));
  }
  if (reply->kind == TopologyReply::Kind::none) return {};
  if (reply->kind == TopologyReply::Kind::unchanged) {
    kept.touch(name);
    return known;
  }
  kept.keep(name, reply->text);
  return std::string(reply->text);
}

}  // namespace tofa
