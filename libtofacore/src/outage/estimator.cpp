// SPDX-License-Identifier: BSD-3-Clause
// The registry of outage estimators: a new method is one new file and one line here.
#include "tofa/estimator.hpp"

#include <fmt/format.h>

#include <array>

#include "outage/estimator_methods.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

struct Method {
  std::string_view name;
  std::unique_ptr<Estimator> (*make)(const EstimatorOptions&);
};

constexpr std::array kMethods{
    Method{"ewma", make_ewma_estimator},
    Method{"moving-average", make_moving_average_estimator},
};

}  // namespace

std::unique_ptr<Estimator> make_estimator(const EstimatorOptions& options) {
  for (const Method& method : kMethods) {
    if (method.name == options.method) return method.make(options);
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("unknown estimation method \"{}\"; known are: {}", options.method,
                          fmt::join(estimator_names(), ", ")));
}

std::vector<std::string> estimator_names() {
  std::vector<std::string> names;
  names.reserve(kMethods.size());
  for (const Method& method : kMethods) names.emplace_back(method.name);
  return names;
}

}  // namespace tofa
