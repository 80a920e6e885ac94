// SPDX-License-Identifier: BSD-3-Clause
// What every fuzz target shares: any bytes are either parsed or refused with a tofa::Error that has
// a message. Anything else, be it another exception, a crash or a broken promise, ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tofa/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tofa::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool promise) {
  if (!promise) std::abort();
}

template <typename Parse>
void parse_or_refuse(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    require(error.what()[0] != '\0');
  }
}

}  // namespace tofa::fuzz
