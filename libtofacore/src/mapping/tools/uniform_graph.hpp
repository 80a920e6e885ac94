// SPDX-License-Identifier: BSD-3-Clause
// Rows of partners as a graph in which all exchange as much: who recognises grids asks for no more,
// and of traffic that no process can hold, that is what there is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Where a row begins is kept for some ranks only: of large graphs there is one process that holds
// them whole.
class UniformGraph {
 public:
  struct Edge {
    Rank partner;
  };
  class Iterator {
   public:
    explicit Iterator(const Rank* at) : at_(at) {}
    Edge operator*() const { return {*at_}; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Rank* at_;
  };
  class Row {
   public:
    Row(const Rank* first, const Rank* last) : first_(first), last_(last) {}
    Iterator begin() const { return Iterator(first_); }
    Iterator end() const { return Iterator(last_); }
    std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }

   private:
    const Rank* first_;
    const Rank* last_;
  };

  UniformGraph(const std::vector<std::uint8_t>& degrees, const std::vector<Rank>& partners)
      : degrees_(degrees), partners_(partners) {
    offsets_.reserve(degrees.size() / kStride + 1);
    std::uint64_t offset = 0;
    for (std::size_t rank = 0; rank < degrees.size(); ++rank) {
      if (rank % kStride == 0) offsets_.push_back(offset);
      offset += degrees[rank];
    }
  }
  Rank ranks() const { return static_cast<Rank>(degrees_.size()); }
  Row partners(Rank rank) const {
    const std::size_t known = rank / kStride;
    const std::uint8_t* degrees = degrees_.data();
    const Rank* first = partners_.data() +
                        std::accumulate(degrees + known * kStride, degrees + rank, offsets_[known]);
    return {first, first + degrees_[rank]};
  }

 private:
  static constexpr std::size_t kStride = 16;

  const std::vector<std::uint8_t>& degrees_;
  const std::vector<Rank>& partners_;
  std::vector<std::uint64_t> offsets_;  // of every kStride-th rank
};

}  // namespace tofa
