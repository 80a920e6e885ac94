// SPDX-License-Identifier: BSD-3-Clause
// PMIX_INFO_FREE gives what an answer holds to free(), so all of it comes from PMIx's own macros.
#include "gateway/answer.hpp"

#include <cstring>
#include <new>

#include "common/wire.hpp"

namespace tofa::health {
namespace {

std::unique_ptr<Answer> make_text_answer(const char* key, const std::string& text) {
  auto answer = std::make_unique<Answer>(1);
  PMIX_INFO_LOAD(&answer->info[0], key, text.c_str(), PMIX_STRING);
  if (answer->info[0].value.data.string == nullptr) throw std::bad_alloc();
  return answer;
}

}  // namespace

Answer::Answer(std::size_t count) : size(count) {
  PMIX_INFO_CREATE(info, count);
  if (info == nullptr) throw std::bad_alloc();
}

Answer::~Answer() {
  PMIX_INFO_FREE(info, size);
}

std::unique_ptr<Answer> make_snapshot_answer(const std::string& text) {
  return make_text_answer(kSnapshotKey, text);
}

std::unique_ptr<Answer> make_error_answer(const std::string& reason) {
  return make_text_answer(kErrorKey, reason);
}

}  // namespace tofa::health
