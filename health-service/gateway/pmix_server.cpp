// SPDX-License-Identifier: BSD-3-Clause
// The upcalls of a PMIx server, of which the gateway needs two: a tool has connected, a tool asks.
// libpmix calls them on its own thread, and an exception must not leave them.
#include "gateway/pmix_server.hpp"

#include <fmt/format.h>
#include <pmix_server.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <ctime>
#include <optional>

#include "common/address.hpp"
#include "common/daemon.hpp"
#include "common/wire.hpp"
#include "gateway/answer.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

// The upcalls get no context of ours; all of them run on libpmix's progress thread.
SnapshotSource* snapshot_source = nullptr;
TopologySource* topology_source = nullptr;

// Refusing a tool here would crash libpmix, so everyone is taken; the gate has looked at them
// before.
void accept_tool(pmix_info_t* /*info*/, std::size_t /*size*/, pmix_tool_connection_cbfunc_t done,
                 void* context) {
  static std::atomic<std::uint64_t> next{0};
  pmix_proc_t tool;
  PMIX_LOAD_PROCID(&tool, fmt::format("tofa-query-{}", next++).c_str(), 0);
  done(PMIX_SUCCESS, &tool, context);
}

void free_answer(void* answer) {
  delete static_cast<Answer*>(answer);
}

// The fingerprint behind the key of the topology; nothing for another key.
std::optional<std::string_view> known_topology(std::string_view key) {
  const std::string_view topology = kTopologyKey;
  if (key == topology) return "";
  if (!key.starts_with(topology) || key[topology.size()] != '.') return {};
  return key.substr(topology.size() + 1);
}

// Of a key that is known.
std::unique_ptr<Answer> current_answer(std::string_view key) {
  static RateLimit failures(std::chrono::seconds(60));
  const std::time_t now = std::time(nullptr);
  try {
    if (const auto known = known_topology(key)) {
      return make_topology_answer(topology_source->answer(*known, now));
    }
    return make_snapshot_answer(*snapshot_source->text(now));
  } catch (const Error& error) {
    if (const auto held_back = failures.pass()) {
      spdlog::error("no answer to give: {} ({} more since the last report)", error.what(),
                    *held_back);
    }
    return make_error_answer(error.what());
  }
}

// A tofa-query of another version prints this.
std::unique_ptr<Answer> refusal_of(std::string_view key) {
  return make_error_answer(fmt::format(
      "the gateway answers \"{}\" and \"{}\", not {}; it and tofa-query must be of the same version",
      kSnapshotKey, kTopologyKey, excerpt(key)));
}

// The first key that is one of ours, of whatever version; empty when there is none.
std::string_view key_of(const pmix_query_t* queries, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    for (char** key = queries[i].keys; key != nullptr && *key != nullptr; ++key) {
      if (std::string_view(*key).starts_with(kKeyPrefix)) return *key;
    }
  }
  return {};
}

pmix_status_t answer_query(pmix_proc_t* /*asking*/, pmix_query_t* queries, std::size_t size,
                           pmix_info_cbfunc_t done, void* context) {
  const std::string_view key = key_of(queries, size);
  if (key.empty()) return PMIX_ERR_NOT_FOUND;
  try {
    const bool is_known = key == kSnapshotKey || known_topology(key);
    Answer* answer = (is_known ? current_answer(key) : refusal_of(key)).release();
    done(PMIX_SUCCESS, answer->info, answer->size, context, free_answer, answer);
    return PMIX_SUCCESS;
  } catch (const std::exception& error) {
    spdlog::error("cannot answer: {}", error.what());
    return PMIX_ERR_NOMEM;
  }
}

sockaddr_in address_of_uri(const std::string& file) {
  const std::string text = read_file(file);
  constexpr std::string_view scheme = "tcp4://";
  const std::size_t begin = text.find(scheme);
  if (begin == std::string::npos) {
    throw Error(ErrorKind::unavailable, file, 0, "libpmix reports no IPv4 address; is lo up?");
  }
  const std::size_t host = begin + scheme.size();
  return numeric_address(
             split_host_port(std::string_view(text).substr(host, text.find('\n', host) - host), 0))
      .v4;
}

}  // namespace

sockaddr_in start_pmix_server(const std::string& directory, SnapshotSource& snapshot,
                              TopologySource& topology) {
  snapshot_source = &snapshot;
  topology_source = &topology;
  static pmix_server_module_t module = [] {
    pmix_server_module_t upcalls{};
    upcalls.tool_connected = accept_tool;
    upcalls.query = answer_query;
    return upcalls;
  }();
  const std::string uri_file = directory + "/uri";
  Answer options(6);
  bool yes = true;
  pmix_rank_t rank = 0;
  PMIX_INFO_LOAD(&options.info[0], PMIX_SERVER_TOOL_SUPPORT, &yes, PMIX_BOOL);
  PMIX_INFO_LOAD(&options.info[1], PMIX_SERVER_NSPACE, kGatewayNamespace, PMIX_STRING);
  PMIX_INFO_LOAD(&options.info[2], PMIX_SERVER_RANK, &rank, PMIX_PROC_RANK);
  PMIX_INFO_LOAD(&options.info[3], PMIX_SERVER_TMPDIR, directory.c_str(), PMIX_STRING);
  PMIX_INFO_LOAD(&options.info[4], PMIX_SYSTEM_TMPDIR, directory.c_str(), PMIX_STRING);
  PMIX_INFO_LOAD(&options.info[5], PMIX_TCP_REPORT_URI, uri_file.c_str(), PMIX_STRING);
  const pmix_status_t status = ::PMIx_server_init(&module, options.info, options.size);
  if (status != PMIX_SUCCESS) {
    throw Error(ErrorKind::unavailable,
                fmt::format("libpmix does not start as a server: {}", ::PMIx_Error_string(status)));
  }
  return address_of_uri(uri_file);
}

}  // namespace tofa::health
