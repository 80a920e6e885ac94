// SPDX-License-Identifier: BSD-3-Clause
// The processes that place together, and what they send each other. All of them call all of this in
// the same order.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "tofa/parallel.hpp"

namespace tofa::cli {

class Processes {
 public:
  explicit Processes(MPI_Comm all);

  unsigned rank() const { return rank_; }
  unsigned count() const { return count_; }
  bool first() const { return rank_ == 0; }
  MPI_Comm all() const { return all_; }

  // Does work that may fail, on each process. If it does on any, all of them throw the Error of the
  // first that it failed on: nobody goes on and waits for one that does not.
  void together(const std::function<void()>& work);
  // The same where one process works and the others wait, which costs them nothing.
  void on_first(const std::function<void()>& work);

  bool any(bool mine);
  double sum(double mine);
  std::uint64_t sum(std::uint64_t mine);
  // One value of each process.
  std::vector<std::uint64_t> gather(std::uint64_t mine);

  // `to[i]` goes to process i; all that came, by whom it came from.
  template <typename T>
  std::vector<T> exchange(std::vector<std::vector<T>> to);
  // What each has, one behind the other.
  template <typename T>
  std::vector<T> joined(const std::vector<T>& mine);
  // The same on the first processes only, so many of them: all, or one.
  template <typename T>
  std::vector<T> joined(const std::vector<T>& mine, unsigned first_ones);
  // What one process has.
  template <typename T>
  void share(std::vector<T>& values, unsigned from);

 private:
  void wait_quietly(MPI_Request request);
  std::vector<int> counts_of(std::size_t mine);
  static std::vector<int> starts_of(const std::vector<int>& counts);

  MPI_Comm all_;
  unsigned rank_ = 0;
  unsigned count_ = 1;
};

// Numbers of values fit an int: a value is one element, however many bytes it has.
template <typename T>
class MpiType {
 public:
  MpiType() {
    MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~MpiType() { MPI_Type_free(&type_); }
  MpiType(const MpiType&) = delete;
  MpiType& operator=(const MpiType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_{};
};

template <typename T>
std::vector<T> Processes::exchange(std::vector<std::vector<T>> to) {
  std::vector<T> sent;
  std::vector<int> send_counts;
  send_counts.reserve(to.size());
  for (const std::vector<T>& part : to) send_counts.push_back(static_cast<int>(part.size()));
  sent.reserve(std::accumulate(to.begin(), to.end(), std::size_t{0},
                               [](auto sum, const auto& part) { return sum + part.size(); }));
  for (std::vector<T>& part : to) {
    sent.insert(sent.end(), part.begin(), part.end());
    part = {};
  }
  std::vector<int> counts(count_);
  MPI_Alltoall(send_counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, all_);
  const std::vector<int> send_starts = starts_of(send_counts);
  const std::vector<int> starts = starts_of(counts);
  std::vector<T> came(static_cast<std::size_t>(starts.back()));
  const MpiType<T> type;
  MPI_Alltoallv(sent.data(), send_counts.data(), send_starts.data(), type.get(), came.data(),
                counts.data(), starts.data(), type.get(), all_);
  return came;
}

template <typename T>
std::vector<T> Processes::joined(const std::vector<T>& mine) {
  const std::vector<int> counts = counts_of(mine.size());
  const std::vector<int> starts = starts_of(counts);
  std::vector<T> all(static_cast<std::size_t>(starts.back()));
  const MpiType<T> type;
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), type.get(), all.data(), counts.data(),
                 starts.data(), type.get(), all_);
  return all;
}

template <typename T>
std::vector<T> Processes::joined(const std::vector<T>& mine, unsigned first_ones) {
  if (first_ones > 1) return joined(mine);
  const std::vector<int> counts = counts_of(mine.size());
  const std::vector<int> starts = starts_of(counts);
  std::vector<T> all(first() ? static_cast<std::size_t>(starts.back()) : 0);
  const MpiType<T> type;
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), type.get(), all.data(), counts.data(),
              starts.data(), type.get(), 0, all_);
  return all;
}

template <typename T>
void Processes::share(std::vector<T>& values, unsigned from) {
  std::uint64_t size = values.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, static_cast<int>(from), all_);
  values.resize(size);
  const MpiType<T> type;
  MPI_Bcast(values.data(), static_cast<int>(size), type.get(), static_cast<int>(from), all_);
}

}  // namespace tofa::cli
