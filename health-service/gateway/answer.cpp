// SPDX-License-Identifier: BSD-3-Clause
// PMIX_INFO_FREE gives what an answer holds to free(), so all of it comes from PMIx's own macros.
#include "gateway/answer.hpp"

#include <cstring>
#include <new>

#include "common/wire.hpp"

namespace tofa::health {
namespace {

void set_text(pmix_info_t& info, const char* key, const std::string& text) {
  PMIX_INFO_LOAD(&info, key, text.c_str(), PMIX_STRING);
  if (info.value.data.string == nullptr) throw std::bad_alloc();
}

}  // namespace

Answer::Answer(std::size_t count) : size(count) {
  PMIX_INFO_CREATE(info, count);
  if (info == nullptr) throw std::bad_alloc();
}

Answer::~Answer() {
  PMIX_INFO_FREE(info, size);
}

namespace {

std::unique_ptr<Answer> make_answer(const char* key, const std::string& text,
                                    const std::string& signature) {
  auto answer = std::make_unique<Answer>(signature.empty() ? 1 : 2);
  set_text(answer->info[0], key, text);
  if (!signature.empty()) set_text(answer->info[1], kSignatureKey, signature);
  return answer;
}

}  // namespace

std::unique_ptr<Answer> make_snapshot_answer(const SnapshotText& snapshot) {
  return make_answer(kSnapshotKey, snapshot.text, snapshot.signature);
}

std::unique_ptr<Answer> make_topology_answer(const TopologyAnswer& topology) {
  return make_answer(topology.unchanged ? kUnchangedKey : kTopologyKey, topology.text,
                     topology.signature);
}

std::unique_ptr<Answer> make_error_answer(const std::string& reason) {
  auto answer = std::make_unique<Answer>(1);
  set_text(answer->info[0], kErrorKey, reason);
  return answer;
}

}  // namespace tofa::health
