// SPDX-License-Identifier: BSD-3-Clause
// The list of estimation methods.
#include "tofa/estimator.hpp"

#include <fmt/format.h>

#include <array>

#include "outage/estimator_methods.hpp"
#include "tofa/error.hpp"

namespace tofa {

extern const EstimatorMethod kGammaMethod, kEwmaMethod, kMovingAverageMethod;

void Estimator::watch(double, double) {}
void Estimator::fail(double) {}
void Estimator::recover(double) {}
void Estimator::add_past(double, double) {}
void Estimator::learn(std::span<const WatchedDay>) {}
const HostEvidence* Estimator::evidence() const {
  return nullptr;
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

}  // namespace tofa
