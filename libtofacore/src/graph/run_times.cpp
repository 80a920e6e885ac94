// SPDX-License-Identifier: BSD-3-Clause
// See run_times.hpp.
#include "tofa/run_times.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tofa/error.hpp"

namespace tofa {
namespace {

[[noreturn]] void refuse_times(const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::bad_input, name, 0, reason);
}

std::vector<double> take_numbers(const nlohmann::json& run, const char* member,
                                 const std::string& name) {
  std::vector<double> numbers;
  if (!run.contains(member)) return numbers;
  if (!run[member].is_array()) refuse_times(name, std::string(member) + " is no list");
  for (const auto& value : run[member]) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
      refuse_times(name, std::string(member) + " holds something else than numbers from 0 up");
    }
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

std::string take_text(const nlohmann::json& run, const char* member) {
  return run.contains(member) && run[member].is_string() ? run[member].get<std::string>() : "";
}

}  // namespace

RunFacts parse_run_facts(std::string_view text, const std::string& name) {
  const nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  if (!run.is_object()) refuse_times(name, "is no JSON object, as the monitor writes it");
  RunFacts facts{take_text(run, "command"),
                 take_text(run, "date"),
                 take_text(run, "open_mpi"),
                 take_numbers(run, "run_seconds", name),
                 take_numbers(run, "mpi_seconds", name),
                 take_numbers(run, "mpi_calls", name)};
  for (const auto* list : {&facts.mpi_seconds, &facts.mpi_calls}) {
    if (!list->empty() && list->size() != facts.run_seconds.size())
      refuse_times(name, "run_seconds, mpi_seconds and mpi_calls are of different ranks");
  }
  return facts;
}

std::optional<MpiShares> mpi_shares(const RunFacts& run) {
  const std::vector<double>& all = run.run_seconds;
  const std::vector<double>& mpi = run.mpi_seconds;
  if (mpi.empty()) return std::nullopt;
  MpiShares shares;
  std::size_t ranks = 0;
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == 0) continue;  // nothing has come of this rank
    const double share = mpi[i] / all[i];
    if (ranks == 0 || share < shares.least) {
      shares.least = share;
      shares.of_least = static_cast<Rank>(i);
    }
    if (ranks == 0 || share > shares.most) {
      shares.most = share;
      shares.of_most = static_cast<Rank>(i);
    }
    sum += share;
    ++ranks;
  }
  if (ranks == 0) return std::nullopt;
  shares.mean = sum / static_cast<double>(ranks);
  return shares;
}

std::optional<MpiShares> parse_mpi_shares(std::string_view text, const std::string& name) {
  return mpi_shares(parse_run_facts(text, name));
}

}  // namespace tofa
