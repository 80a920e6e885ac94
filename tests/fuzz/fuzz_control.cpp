// SPDX-License-Identifier: BSD-3-Clause
// Requests to tofa-healthd over its local socket: what is not refused reads back the same, and
// nothing in it is longer or stranger than the database and the snapshot take.
#include "fuzz_target.hpp"
#include "tofa/health_control.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const ControlRequest request = parse_control_request(fuzz::as_text(data, size));
    fuzz::require(request.reason.size() <= kLongestReason);
    fuzz::require(request.reason.find_first_of("\n\r\x1b") == std::string::npos);
    fuzz::require(request.start >= 0 && request.end.value_or(1) > 0 && request.after >= 0);
    fuzz::require(!request.hosts.empty() || request.command == ControlCommand::export_rows);
    fuzz::require(parse_control_request(format_control_request(request)) == request);
  });
  return 0;
}
