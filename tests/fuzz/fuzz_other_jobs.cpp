// SPDX-License-Identifier: BSD-3-Clause
// What went to other jobs: what is read can be written and is read again as it was.
#include "fuzz_target.hpp"
#include "tofa/other_jobs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const std::vector<OtherJobTraffic> rows = parse_other_jobs(fuzz::as_text(data, size), "fuzz");
    fuzz::require(parse_other_jobs(format_other_jobs(rows, "{}"), "again") == rows);
    fuzz::require(sum_other_jobs(rows).empty() == rows.empty());
  });
  return 0;
}
