// SPDX-License-Identifier: BSD-3-Clause
// Host lists: what expands also compresses, and expands to the same again.
#include "fuzz_target.hpp"
#include "tofa/hostlist.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  constexpr std::size_t kLimit = 2000;
  fuzz::parse_or_refuse([&] {
    const auto hosts = expand_hostlist(fuzz::as_text(data, size), kLimit);
    fuzz::require(hosts.size() <= kLimit);
    fuzz::require(expand_hostlist(compress_hostlist(hosts), kLimit) == hosts);
  });
  return 0;
}
