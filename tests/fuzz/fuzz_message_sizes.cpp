// SPDX-License-Identifier: BSD-3-Clause
// Histograms of message sizes: what is read can be written, and is read again as it was.
#include "fuzz_target.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/message_sizes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const MessageSizes sizes = parse_message_sizes(fuzz::as_text(data, size), "fuzz");
    fuzz::require(sizes.ranks <= kMaxRanks);
    for (const SizeCount& count : sizes.counts) {
      fuzz::require(count.sender < sizes.ranks && count.receiver < sizes.ranks);
    }
    const MessageSizes again = parse_message_sizes(format_message_sizes(sizes), "again");
    fuzz::require(again.counts == sizes.counts && again.metadata == sizes.metadata);
    (void)total_sizes(sizes);
  });
  return 0;
}
