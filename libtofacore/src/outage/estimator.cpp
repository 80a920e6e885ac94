// SPDX-License-Identifier: BSD-3-Clause
// The list of estimation methods.
#include "tofa/estimator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "outage/estimator_methods.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

constexpr double kOldestHeartbeat = 1e12;

}  // namespace

extern const EstimatorMethod kGammaMethod, kEwmaMethod, kMovingAverageMethod;

void Estimator::watch(double, double) {}
void Estimator::fail(double) {}
void Estimator::recover(double) {}
void Estimator::learn(std::span<const WatchedDay>) {}
void Estimator::set_clock(double) {}
void Estimator::mend(double, std::span<const WatchedDay>) {}
void Estimator::add_earlier(const HostEvidence&) {}
const HostEvidence* Estimator::evidence() const {
  return nullptr;
}
std::string Estimator::save_all() const {
  return save();
}

Registry<EstimatorMethod> estimator_registry() {
  static constexpr std::array methods{&kGammaMethod, &kEwmaMethod, &kMovingAverageMethod};
  return methods;
}

std::unique_ptr<Estimator> make_estimator(const EstimatorOptions& options) {
  if (const EstimatorMethod* method = find_entry(estimator_registry(), options.method)) {
    return method->make(options);
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("unknown estimation method \"{}\"; known are: {}", options.method,
                          fmt::join(names_of(estimator_registry()), ", ")));
}

std::optional<HeartbeatAges> ages_of(double start, double end, const HeartbeatTimes& times) {
  if (times.last <= 0 || times.period <= 0 || start > times.last || end < start) {
    return std::nullopt;
  }
  const auto age = [&](double time) {
    return std::clamp((times.last - time) / times.period, 0.0, kOldestHeartbeat);
  };
  const auto youngest = static_cast<std::uint64_t>(std::ceil(age(end)));
  return HeartbeatAges{youngest, std::max(youngest, static_cast<std::uint64_t>(age(start)))};
}

}  // namespace tofa
