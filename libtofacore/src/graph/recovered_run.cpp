// SPDX-License-Identifier: BSD-3-Clause
// NAME.ranks.json of a run that died, from the heads of what its ranks left.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tofa/error.hpp"
#include "tofa/rank_counts.hpp"

namespace tofa {
namespace {

using Json = nlohmann::ordered_json;

// As the monitor has it: zeros for ranks of which nothing is known.
void add_times(Json& run, const std::vector<RankCounts>& counts, Rank ranks) {
  if (std::none_of(counts.begin(), counts.end(), [](const auto& one) { return one.times; })) return;
  std::vector<double> all(ranks), mpi(ranks);
  std::vector<std::uint64_t> calls(ranks);
  for (const RankCounts& one : counts) {
    if (!one.times) continue;
    all[one.rank] = one.times->run_seconds;
    mpi[one.rank] = one.times->mpi_seconds;
    calls[one.rank] = one.times->calls;
  }
  run["run_seconds"] = all;
  run["mpi_seconds"] = mpi;
  run["mpi_calls"] = calls;
}

void add_hosts(Json& run, const std::vector<RankCounts>& counts, Rank ranks) {
  const bool all =
      counts.size() == ranks &&
      std::none_of(counts.begin(), counts.end(), [](const auto& one) { return one.host.empty(); });
  if (!all) return;
  for (const RankCounts& one : counts) run["mapping"].push_back(one.host);
}

}  // namespace

std::string recover_run(const std::vector<RankCounts>& counts) {
  if (counts.empty()) throw Error(ErrorKind::bad_input, "no counts of any rank");
  const RankCounts& first = counts.front();
  Json run{{"version", 1},
           {"ranks", first.ranks},
           {"command", first.command},
           {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(first.started))},
           {"open_mpi", first.open_mpi},
           {"recovered", true}};
  add_times(run, counts, first.ranks);
  add_hosts(run, counts, first.ranks);
  return run.dump() + '\n';
}

bool is_recovered_run(std::string_view text) {
  const Json run = Json::parse(text, nullptr, false);
  return run.is_object() && run.contains("recovered");
}

}  // namespace tofa
