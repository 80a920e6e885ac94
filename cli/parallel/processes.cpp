// SPDX-License-Identifier: BSD-3-Clause
// Agreement and waiting among processes: see processes.hpp.
#include "processes.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

struct Failure {
  bool failed = false;
  ErrorKind kind = ErrorKind::unavailable;
  std::string message;
};

Failure attempt(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const Error& error) {
    return {true, error.kind(), error.what()};
  } catch (const std::bad_alloc&) {
    return {true, ErrorKind::unavailable, "out of memory; use more processes, on more nodes"};
  } catch (const std::exception& error) {
    return {true, ErrorKind::unavailable, error.what()};
  }
}

}  // namespace

Processes::Processes(MPI_Comm all) : all_(all) {
  int rank = 0;
  int count = 1;
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &count);
  rank_ = static_cast<unsigned>(rank);
  count_ = static_cast<unsigned>(count);
}

void Processes::together(const std::function<void()>& work) {
  Failure failure = attempt(work);
  int culprit = static_cast<int>(failure.failed ? rank_ : count_);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &culprit, 1, MPI_INT, MPI_MIN, all_, &request);
  wait_quietly(request);
  if (culprit == static_cast<int>(count_)) return;
  int kind = static_cast<int>(failure.kind);
  int size = static_cast<int>(failure.message.size());
  MPI_Bcast(&kind, 1, MPI_INT, culprit, all_);
  MPI_Bcast(&size, 1, MPI_INT, culprit, all_);
  failure.message.resize(static_cast<std::size_t>(size));
  MPI_Bcast(failure.message.data(), size, MPI_CHAR, culprit, all_);
  throw Error(static_cast<ErrorKind>(kind), failure.message);
}

void Processes::on_first(const std::function<void()>& work) {
  together([&] {
    if (first()) work();
  });
}

// MPI waits by asking again and again, which would take the processor from those that still work.
void Processes::wait_quietly(MPI_Request request) {
  using namespace std::chrono_literals;
  auto pause = 50us;
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(5ms));
  }
}

bool Processes::any(bool mine) {
  int some = mine ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &some, 1, MPI_INT, MPI_MAX, all_);
  return some != 0;
}

double Processes::sum(double mine) {
  // In the order of the processes, so that it is the same in every run.
  std::vector<double> all(count_);
  MPI_Allgather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, all_);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

std::uint64_t Processes::sum(std::uint64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, all_);
  return mine;
}

std::vector<std::uint64_t> Processes::gather(std::uint64_t mine) {
  std::vector<std::uint64_t> all(count_);
  MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, all_);
  return all;
}

std::vector<int> Processes::counts_of(std::size_t mine) {
  const int count = static_cast<int>(mine);
  std::vector<int> counts(count_);
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, all_);
  return counts;
}

std::vector<int> Processes::starts_of(const std::vector<int>& counts) {
  std::vector<int> starts{0};
  for (const int count : counts) {
    int next = 0;
    // Not on all processes, so nothing that they could agree on.
    if (__builtin_add_overflow(starts.back(), count, &next)) {
      throw std::length_error("more than 2^31 values at once for one process");
    }
    starts.push_back(next);
  }
  return starts;
}

}  // namespace tofa::cli
