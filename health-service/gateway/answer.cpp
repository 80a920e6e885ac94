// SPDX-License-Identifier: BSD-3-Clause
// Fills PMIx's own arrays column by column. PMIX_INFO_FREE gives all of it to free(), so all of it
// comes from malloc(): from PMIx's macros and from strdup().
#include "gateway/answer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "common/wire.hpp"

namespace tofa::health {
namespace {

// libpmix sends a double as text with six decimals; what is suspect must not become 0 on the way.
constexpr double kSmallestCarried = 1e-6;

double carried(double value) {
  return value > 0 ? std::max(value, kSmallestCarried) : 0;
}

std::time_t whole_seconds(double time) {
  return static_cast<std::time_t>(std::floor(time));
}

// Gives `info` an empty array of `size` values and returns its storage, which `info` owns.
template <typename Value>
Value* load_array(pmix_info_t& info, const char* key, pmix_data_type_t type, std::size_t size) {
  pmix_data_array_t* array = nullptr;
  PMIX_DATA_ARRAY_CREATE(array, size, type);
  if (array == nullptr || (size > 0 && array->array == nullptr)) throw std::bad_alloc();
  PMIX_LOAD_KEY(info.key, key);
  info.value.type = PMIX_DATA_ARRAY;
  info.value.data.darray = array;
  return static_cast<Value*>(array->array);
}

}  // namespace

Answer::Answer(std::size_t count) : size(count) {
  PMIX_INFO_CREATE(info, count);
  if (info == nullptr) throw std::bad_alloc();
}

Answer::~Answer() {
  PMIX_INFO_FREE(info, size);
}

std::unique_ptr<Answer> make_outages_answer(const Snapshot& snapshot, std::time_t now) {
  auto answer = std::make_unique<Answer>(5);
  const std::size_t hosts = snapshot.hosts.size();
  auto* names = load_array<char*>(answer->info[0], kHostsKey, PMIX_STRING, hosts);
  auto* probabilities = load_array<double>(answer->info[1], kProbabilitiesKey, PMIX_DOUBLE, hosts);
  auto* polled = load_array<std::time_t>(answer->info[2], kPolledKey, PMIX_TIME, hosts);
  auto* rates = load_array<double>(answer->info[3], kRatesKey, PMIX_DOUBLE, hosts);
  for (std::size_t i = 0; i < hosts; ++i) {
    names[i] = ::strdup(snapshot.hosts[i].host.c_str());
    probabilities[i] = carried(snapshot.hosts[i].probability);
    polled[i] = whole_seconds(snapshot.hosts[i].polled);
    rates[i] = carried(snapshot.hosts[i].rate);
  }
  PMIX_INFO_LOAD(&answer->info[4], kNowKey, &now, PMIX_TIME);
  return answer;
}

std::unique_ptr<Answer> make_history_answer(const Snapshot& snapshot) {
  auto answer = std::make_unique<Answer>(4);
  const std::size_t outages = snapshot.outages.size();
  auto* names = load_array<char*>(answer->info[0], kHostsKey, PMIX_STRING, outages);
  auto* starts = load_array<std::time_t>(answer->info[1], kStartsKey, PMIX_TIME, outages);
  auto* ends = load_array<std::time_t>(answer->info[2], kEndsKey, PMIX_TIME, outages);
  auto* causes = load_array<char*>(answer->info[3], kCausesKey, PMIX_STRING, outages);
  for (std::size_t i = 0; i < outages; ++i) {
    names[i] = ::strdup(snapshot.outages[i].host.c_str());
    starts[i] = whole_seconds(snapshot.outages[i].start);
    ends[i] = whole_seconds(snapshot.outages[i].end);
    causes[i] = ::strdup(snapshot.outages[i].cause.c_str());
  }
  return answer;
}

std::unique_ptr<Answer> make_error_answer(const std::string& reason) {
  auto answer = std::make_unique<Answer>(1);
  PMIX_INFO_LOAD(&answer->info[0], kErrorKey, reason.c_str(), PMIX_STRING);
  return answer;
}

}  // namespace tofa::health
