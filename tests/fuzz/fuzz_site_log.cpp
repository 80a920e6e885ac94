// SPDX-License-Identifier: BSD-3-Clause
// The site's log, which anybody writes to: no line breaks the sums, and what was read can be
// written and read again.
#include "fuzz_target.hpp"
#include "tofa/site_log.hpp"
#include "tofa/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  SiteSummary sum;
  std::uint64_t count = 0;
  LineReader lines(fuzz::as_text(data, size));
  for (std::string_view line; lines.next(line); ++count) {
    add_log_line(sum, line);
    const auto fields = parse_log_line(line);
    if (!fields || fields->size() != 1) continue;
    const auto again = parse_log_line(format_log_line({{"time", fields->at("time")}}));
    fuzz::require(again.has_value() && again->size() == 1);
  }
  fuzz::require(sum.placed + sum.declined + sum.others == count);
  fuzz::require(sum.hops_default >= 0 && sum.hops_chosen >= 0);
  fuzz::require(sum.aborts_default <= static_cast<double>(sum.placed));
  fuzz::require(sum.aborts_chosen <= static_cast<double>(sum.placed));
  return 0;
}
