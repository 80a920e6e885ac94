// SPDX-License-Identifier: BSD-3-Clause
// How long ranks were in MPI: no bytes make a share that is none.
#include "fuzz_target.hpp"
#include "tofa/run_times.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  fuzz::parse_or_refuse([&] {
    const RunFacts run = parse_run_facts(fuzz::as_text(data, size), "fuzz");
    fuzz::require(run.mpi_calls.empty() || run.mpi_calls.size() == run.run_seconds.size());
    const auto shares = mpi_shares(run);
    if (shares) fuzz::require(shares->least >= 0 && shares->least <= shares->most);
  });
  return 0;
}
