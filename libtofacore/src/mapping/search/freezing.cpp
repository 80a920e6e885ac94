// SPDX-License-Identifier: BSD-3-Clause
// A curve of cost over temperature: see freezing.hpp.
#include "mapping/search/freezing.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {

Freezing::Freezing(std::vector<double> temperatures, std::vector<double> costs, double stirring,
                   double hurry)
    : stirring_(stirring),
      hurry_(hurry),
      temperatures_(std::move(temperatures)),
      saved_(std::move(costs)) {
  // Costs that rise while it cools are noise.
  for (std::size_t i = saved_.size() - 1; i-- > 0;) saved_[i] = std::max(saved_[i], saved_[i + 1]);
  highest_ = saved_.front();
  drop_ = highest_ - saved_.back();
  for (std::size_t i = 0; i < saved_.size(); ++i) {
    saved_[i] = drop_ > 0 ? share_saved(saved_[i])
                          : static_cast<double>(i) / static_cast<double>(saved_.size() - 1);
  }
}

double Freezing::temperature(double share) const {
  const auto above = std::lower_bound(saved_.begin(), saved_.end(), share);
  if (above == saved_.begin()) return temperatures_.front();
  if (above == saved_.end()) return temperatures_.back();
  const auto i = static_cast<std::size_t>(above - saved_.begin());
  const double part = (share - saved_[i - 1]) / (saved_[i] - saved_[i - 1]);
  const double between =
      temperatures_[i - 1] * std::pow(temperatures_[i] / temperatures_[i - 1], part);
  return std::clamp(between, temperatures_[i], temperatures_[i - 1]);
}

double Freezing::share_saved(double cost) const {
  return drop_ > 0 ? (highest_ - cost) / drop_ : 1;
}

}  // namespace tofa
