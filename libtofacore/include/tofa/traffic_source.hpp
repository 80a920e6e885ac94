// SPDX-License-Identifier: BSD-3-Clause
// Traffic that is too much for one process: each of several gets a part of the entries, a bounded
// number at a time. Which part is nobody's business but the source's; together they are all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Which of how many parts.
struct PartOf {
  unsigned part = 0;
  unsigned parts = 1;
};

class TrafficSource {
 public:
  virtual ~TrafficSource() = default;

  virtual Rank ranks() const = 0;
  // Appends some entries of the part; false when there was none left. Throws Error, naming file and
  // line.
  virtual bool next(std::vector<TrafficEntry>& entries) = 0;
  // Entries read so far, as the file counts them.
  virtual std::uint64_t read() const = 0;
  // Throws Error unless this is how many all parts should have read.
  virtual void check_total(std::uint64_t read_by_all) const = 0;
};

// The lines of a Matrix Market file that begin in the part's share of its bytes. Throws Error,
// bad_input, when the file cannot be read, or what is above its entries is malformed.
std::unique_ptr<TrafficSource> open_matrix_part(const std::string& path, PartOf part);

// Traffic to measure with, shuffled so that ranks that talk are anywhere: stencil3d:AxBxC, a
// periodic 7-point stencil, or geometric:N, points at random in a periodic cube that exchange 1 to
// 50 bytes with the dozen or so that are close. All parts together are the same however many there
// are. Throws Error (bad_input) for other texts.
std::unique_ptr<TrafficSource> generate_traffic_part(std::string_view text, std::uint64_t seed,
                                                     PartOf part);

}  // namespace tofa
