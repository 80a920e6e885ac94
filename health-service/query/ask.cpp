// SPDX-License-Identifier: BSD-3-Clause
// The client side of libpmix: attaches to the gateway as a tool, sends the one query, and takes the
// text and its signature out of the answer. Whether the text is a snapshot is for its reader to
// see.
#include "query/ask.hpp"

#include <fmt/format.h>
#include <pmix_tool.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "common/address.hpp"
#include "common/signature.hpp"
#include "common/wire.hpp"
#include "query/libpmix_guard.hpp"
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

const pmix_value_t* find_value(const InfoArray& answer, const char* key) {
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

std::optional<std::string> find_text(const InfoArray& answer, const char* key) {
  const pmix_value_t* value = find_value(answer, key);
  if (value == nullptr || value->type != PMIX_STRING || value->data.string == nullptr) return {};
  return value->data.string;
}

// From the server itself and not from what libpmix has cached.
pmix_query_t* make_query(const std::string& key) {
  pmix_query_t* query = nullptr;
  PMIX_QUERY_CREATE(query, 1);
  query->keys = static_cast<char**>(std::calloc(2, sizeof(char*)));
  query->keys[0] = ::strdup(key.c_str());
  PMIX_QUERY_QUALIFIERS_CREATE(query, 1);
  bool yes = true;
  PMIX_INFO_LOAD(&query->qualifiers[0], PMIX_QUERY_REFRESH_CACHE, &yes, PMIX_BOOL);
  return query;
}

void connect(const std::string& uri) {
  const std::size_t address = uri.find("://") + 3;
  set_gateway_port(split_host_port(uri.substr(address), kDefaultGatewayPort).port);
  InfoArray options{nullptr, 1};
  PMIX_INFO_CREATE(options.info, options.size);
  PMIX_INFO_LOAD(&options.info[0], PMIX_SERVER_URI, uri.c_str(), PMIX_STRING);
  pmix_proc_t self;
  const pmix_status_t status = ::PMIx_tool_init(&self, options.info, options.size);
  if (status != PMIX_SUCCESS) {
    throw CutOff(ErrorKind::unavailable,
                 fmt::format("nobody answers there ({})", ::PMIx_Error_string(status)));
  }
}

}  // namespace

std::string full_uri(const std::string& uri) {
  constexpr std::size_t scheme = std::string_view(";tcp4://").size();
  const std::size_t at = std::min(uri.find(";tcp4://"), uri.find(";tcp6://"));
  const bool is_short = at == std::string::npos;
  const SocketAddress address = numeric_address(
      split_host_port(is_short ? uri : uri.substr(at + scheme), kDefaultGatewayPort));
  const std::string identity =
      is_short ? fmt::format("{}.0", kGatewayNamespace) : uri.substr(0, at);
  return fmt::format("{};{}://{}", identity, address.any.sa_family == AF_INET6 ? "tcp6" : "tcp4",
                     to_string(address));
}

namespace {

// The one question of this process.
void ask(const std::string& uri, const std::string& key, InfoArray& answer) {
  connect(uri);
  pmix_query_t* query = make_query(key);
  const pmix_status_t status = ::PMIx_Query_info(query, 1, &answer.info, &answer.size);
  PMIX_QUERY_FREE(query, 1);
  if (status == PMIX_ERR_LOST_CONNECTION) {
    throw CutOff(ErrorKind::unavailable, "the connection was ended before there was an answer");
  }
  if (status != PMIX_SUCCESS) {
    fail(
        fmt::format("the server there does not answer \"{}\" ({}); it is a tofa-pmix-gateway of "
                    "another version, which is to be upgraded, or none",
                    key, ::PMIx_Error_string(status)));
  }
  if (const auto error = find_text(answer, kErrorKey)) {
    throw Error(ErrorKind::unmet, fmt::format("the gateway has no data to hand out: {}", *error));
  }
}

std::string require_text(const InfoArray& answer, const char* key) {
  if (auto text = find_text(answer, key)) return *std::move(text);
  fail(fmt::format("the answer has no text \"{}\"; is another program listening there?", key));
}

std::string signature_in(const InfoArray& answer) {
  return find_text(answer, kSignatureKey).value_or("");
}

}  // namespace

GatewayAnswer ask_for_snapshot(const std::string& uri) {
  InfoArray answer;
  ask(uri, kSnapshotKey, answer);
  return {require_text(answer, kSnapshotKey), signature_in(answer), kSnapshotText};
}

GatewayAnswer ask_for_topology(const std::string& uri, const std::string& known) {
  InfoArray answer;
  ask(uri, known.empty() ? kTopologyKey : fmt::format("{}.{}", kTopologyKey, known), answer);
  const auto unchanged = find_text(answer, kUnchangedKey);
  if (unchanged && !known.empty() && *unchanged == known) {
    return {known, signature_in(answer), kUnchangedTopology};
  }
  return {require_text(answer, kTopologyKey), signature_in(answer), kTopologyText};
}

void take_leave() {
  (void)::PMIx_tool_finalize();
}

}  // namespace tofa::health
