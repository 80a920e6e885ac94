// SPDX-License-Identifier: BSD-3-Clause
// See run_times.hpp.
#include "tofa/run_times.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tofa/error.hpp"

namespace tofa {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw Error(ErrorKind::bad_input, name, 0, reason);
}

std::vector<double> take_seconds(const nlohmann::json& run, const char* member,
                                 const std::string& name) {
  std::vector<double> seconds;
  if (!run.contains(member)) return seconds;
  if (!run[member].is_array()) fail(name, std::string(member) + " is no list");
  for (const auto& value : run[member]) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0) {
      fail(name, std::string(member) + " holds something else than seconds");
    }
    seconds.push_back(value.get<double>());
  }
  return seconds;
}

}  // namespace

std::optional<MpiShares> parse_mpi_shares(std::string_view text, const std::string& name) {
  const nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  if (!run.is_object()) fail(name, "is no JSON object, as the monitor writes it");
  const std::vector<double> all = take_seconds(run, "run_seconds", name);
  const std::vector<double> mpi = take_seconds(run, "mpi_seconds", name);
  if (mpi.empty()) return std::nullopt;
  if (mpi.size() != all.size()) fail(name, "run_seconds and mpi_seconds are of different ranks");
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

}  // namespace tofa
