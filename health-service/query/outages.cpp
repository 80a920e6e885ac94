// SPDX-License-Identifier: BSD-3-Clause
// The client side of libpmix: attaches to the gateway as a tool, sends the one query, and takes the
// answer apart. Nothing in an answer is believed before its type and its size have been looked at.
#include "query/outages.hpp"

#include <fmt/format.h>
#include <pmix_tool.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/address.hpp"
#include "common/wire.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::unavailable, message);
}

struct InfoArray {
  pmix_info_t* info = nullptr;
  std::size_t size = 0;
  ~InfoArray() {
    if (info != nullptr) PMIX_INFO_FREE(info, size);
  }
};

const pmix_value_t* find(const InfoArray& answer, const char* key) {
  for (std::size_t i = 0; i < answer.size; ++i) {
    if (PMIX_CHECK_KEY(&answer.info[i], key)) return &answer.info[i].value;
    // A server may put all answers to one query into an array of their own.
    const pmix_value_t& value = answer.info[i].value;
    if (value.type != PMIX_DATA_ARRAY || value.data.darray == nullptr ||
        value.data.darray->type != PMIX_INFO) {
      continue;
    }
    const auto* inner = static_cast<pmix_info_t*>(value.data.darray->array);
    for (std::size_t k = 0; k < value.data.darray->size; ++k) {
      if (PMIX_CHECK_KEY(&inner[k], key)) return &inner[k].value;
    }
  }
  return nullptr;
}

const pmix_data_array_t& column(const InfoArray& answer, const char* key, pmix_data_type_t type) {
  const pmix_value_t* value = find(answer, key);
  if (value == nullptr || value->type != PMIX_DATA_ARRAY || value->data.darray == nullptr ||
      (value->data.darray->size > 0 && value->data.darray->type != type)) {
    fail(fmt::format("the answer has no column {}; is another program listening there?", key));
  }
  return *value->data.darray;
}

// Nothing when the gateway is of a version without rates.
const double* find_rates(const InfoArray& answer, std::size_t hosts) {
  if (find(answer, kRatesKey) == nullptr) return nullptr;
  const auto& rates = column(answer, kRatesKey, PMIX_DOUBLE);
  if (rates.size != hosts) fail("the columns of the answer do not belong together");
  return static_cast<const double*>(rates.array);
}

std::string format_outages(const InfoArray& answer) {
  const auto& hosts = column(answer, kHostsKey, PMIX_STRING);
  const auto& probabilities = column(answer, kProbabilitiesKey, PMIX_DOUBLE);
  const auto& polled = column(answer, kPolledKey, PMIX_TIME);
  const pmix_value_t* now = find(answer, kNowKey);
  if (hosts.size != probabilities.size || hosts.size != polled.size || now == nullptr ||
      now->type != PMIX_TIME) {
    fail("the columns of the answer do not belong together");
  }
  const double* rates = find_rates(answer, hosts.size);
  std::string text;
  for (std::size_t i = 0; i < hosts.size; ++i) {
    // Clocks with whole seconds: an estimate made a moment ago may look like one from the future.
    const auto age =
        std::max<std::time_t>(0, now->data.time - static_cast<std::time_t*>(polled.array)[i]);
    text += fmt::format("{} {} {}", static_cast<char**>(hosts.array)[i],
                        static_cast<double*>(probabilities.array)[i], age);
    text += rates == nullptr ? "\n" : fmt::format(" {}\n", rates[i]);
  }
  return text + "END\n";
}

std::string format_history(const InfoArray& answer) {
  const auto& hosts = column(answer, kHostsKey, PMIX_STRING);
  const auto& starts = column(answer, kStartsKey, PMIX_TIME);
  const auto& ends = column(answer, kEndsKey, PMIX_TIME);
  const auto& causes = column(answer, kCausesKey, PMIX_STRING);
  if (hosts.size != starts.size || hosts.size != ends.size || hosts.size != causes.size) {
    fail("the columns of the answer do not belong together");
  }
  std::string text;
  for (std::size_t i = 0; i < hosts.size; ++i) {
    const std::time_t end = static_cast<std::time_t*>(ends.array)[i];
    text += fmt::format("{} {} {} {}\n", static_cast<char**>(hosts.array)[i],
                        static_cast<std::time_t*>(starts.array)[i],
                        end == 0 ? "-" : std::to_string(end), static_cast<char**>(causes.array)[i]);
  }
  return text + "END\n";
}

// From the server itself and not from what libpmix has cached.
pmix_query_t* make_query(const char* key) {
  pmix_query_t* query = nullptr;
  PMIX_QUERY_CREATE(query, 1);
  query->keys = static_cast<char**>(std::calloc(2, sizeof(char*)));
  query->keys[0] = ::strdup(key);
  PMIX_QUERY_QUALIFIERS_CREATE(query, 1);
  bool yes = true;
  PMIX_INFO_LOAD(&query->qualifiers[0], PMIX_QUERY_REFRESH_CACHE, &yes, PMIX_BOOL);
  return query;
}

void connect(const std::string& uri) {
  InfoArray options{nullptr, 1};
  PMIX_INFO_CREATE(options.info, options.size);
  PMIX_INFO_LOAD(&options.info[0], PMIX_SERVER_URI, uri.c_str(), PMIX_STRING);
  pmix_proc_t self;
  const pmix_status_t status = ::PMIx_tool_init(&self, options.info, options.size);
  if (status != PMIX_SUCCESS) {
    fail(fmt::format("nobody answers there ({})", ::PMIx_Error_string(status)));
  }
}

}  // namespace

std::string full_uri(const std::string& uri) {
  constexpr std::string_view kScheme = ";tcp4://";
  const std::size_t scheme = uri.find(kScheme);
  const bool is_short = scheme == std::string::npos;
  const auto address =
      split_host_port(is_short ? uri : uri.substr(scheme + kScheme.size()), kDefaultGatewayPort);
  (void)numeric_address(address);
  const std::string identity =
      is_short ? fmt::format("{}.0", kGatewayNamespace) : uri.substr(0, scheme);
  return fmt::format("{}{}{}:{}", identity, kScheme, address.host, address.port);
}

namespace {

void ask(const std::string& uri, const char* key, InfoArray& answer) {
  connect(uri);
  pmix_query_t* query = make_query(key);
  const pmix_status_t status = ::PMIx_Query_info(query, 1, &answer.info, &answer.size);
  PMIX_QUERY_FREE(query, 1);
  if (status != PMIX_SUCCESS) {
    fail(fmt::format("the server there does not answer \"{}\" ({}); is it tofa-pmix-gateway?", key,
                     ::PMIx_Error_string(status)));
  }
  if (const pmix_value_t* error = find(answer, kErrorKey)) {
    throw Error(ErrorKind::unmet,
                fmt::format("the gateway has no data of tofa-healthd: {}",
                            error->type == PMIX_STRING && error->data.string != nullptr
                                ? error->data.string
                                : "no reason given"));
  }
}

}  // namespace

std::string ask_for_outages(const std::string& uri) {
  InfoArray answer;
  ask(uri, kOutagesKey, answer);
  return format_outages(answer);
}

std::string ask_for_history(const std::string& uri) {
  InfoArray answer;
  ask(uri, kHistoryKey, answer);
  return format_history(answer);
}

void take_leave() {
  (void)::PMIx_tool_finalize();
}

}  // namespace tofa::health
