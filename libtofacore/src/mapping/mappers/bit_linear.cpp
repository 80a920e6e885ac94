// SPDX-License-Identifier: BSD-3-Clause
// bit-linear: the bits of a rank's position, multiplied by a matrix over GF(2), are the bits of its
// node, Gray-coded along each dimension. Butterflies, transposes, hypercubes and folded grids are
// all of this kind, and so are their best mappings. The matrix is annealed: adding one row to
// another and swapping two keep it invertible, and each flips one bit of the node of half of the
// ranks.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mapping/mappers/host_box.hpp"
#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/tools/random_source.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {
namespace {

constexpr unsigned kMaxBits = 20;

unsigned whole_bits(unsigned extent) {
  return static_cast<unsigned>(std::bit_width(extent)) - 1;
}

unsigned needed_bits(unsigned extent) {
  return static_cast<unsigned>(std::bit_width(extent - 1));
}

// The power-of-two part of the box: which bit of a code belongs to which dimension.
struct HostBits {
  std::vector<unsigned> of_dimension;
  unsigned total = 0;

  explicit HostBits(const HostBox& box) {
    for (std::size_t d = 0; d < box.dimensions(); ++d) {
      of_dimension.push_back(whole_bits(box.extent(d)));
      total += of_dimension.back();
    }
  }

  Cell cell(std::uint32_t code) const {
    Cell result{};
    for (std::size_t d = 0; d < of_dimension.size(); ++d) {
      std::uint32_t gray = code & ((1U << of_dimension[d]) - 1);
      code >>= of_dimension[d];
      for (std::uint32_t shifted = gray >> 1U; shifted != 0; shifted >>= 1U) gray ^= shifted;
      result[d] = static_cast<std::uint16_t>(gray);
    }
    return result;
  }
};

// Positions as bits: the coordinates of the guest side by side. Empty if they are too many.
std::vector<std::uint32_t> position_codes(const GuestGrid& guest, unsigned host_bits) {
  unsigned total = 0;
  for (const unsigned extent : guest.shape) total += needed_bits(extent);
  if (total > host_bits) return {};
  std::vector<std::uint32_t> codes;
  codes.reserve(guest.positions.size());
  for (std::uint32_t position : guest.positions) {
    std::uint32_t code = 0;
    unsigned at = 0;
    for (const unsigned extent : guest.shape) {
      code |= (position % extent) << at;
      at += needed_bits(extent);
      position /= extent;
    }
    codes.push_back(code);
  }
  return codes;
}

class MatrixSearch {
 public:
  MatrixSearch(const MappingTask& task, const HostBox& box, const HostBits& bits,
               std::vector<std::uint32_t> codes)
      : task_(task), bits_(bits), box_(box), codes_(std::move(codes)), random_(task.seed) {
    const std::size_t cells = std::size_t{1} << bits_.total;
    cells_.reserve(cells);
    for (std::uint32_t code = 0; code < cells; ++code) cells_.push_back(bits_.cell(code));
    sample_pairs();
  }

  // Anneals the matrix, several times from scratch, and answers with the codes of all ranks that
  // each of these came to.
  std::vector<std::vector<std::uint32_t>> run() {
    const double work = (0.1 * task_.seconds + std::min(0.01, 0.1 * task_.seconds)) /
                        rates::kBitLinearPerPair /
                        static_cast<double>(pairs_.size() + codes_.size());
    const auto steps = static_cast<std::uint64_t>(std::clamp(work, 300.0, 60'000.0));
    const std::uint64_t restarts = std::clamp<std::uint64_t>(steps / 4000, 1, 8);
    const std::vector<std::uint32_t> first = codes_;
    best_ = codes_;
    best_cost_ = cost();
    // Traffic that no linear map suits shows it soon, and what is as good as scattered at once.
    constexpr double hopeless = 0.75;
    constexpr double scattered = 0.95;
    constexpr std::uint64_t few = 50;
    const std::uint64_t some = std::max<std::uint64_t>(steps / 16, 4 * few);
    const double highest = scattered_cost();
    anneal(few);
    if (best_cost_ <= scattered * highest) {
      tabulate_distances();
      anneal(some - few);
    }
    std::vector<std::vector<std::uint32_t>> found = {best_};
    if (best_cost_ > hopeless * highest) return found;
    for (std::uint64_t i = 0; i < restarts && !task_.deadline.passed(); ++i) {
      codes_ = first;
      best_cost_ = std::numeric_limits<double>::infinity();
      anneal(steps / restarts);
      found.push_back(best_);
    }
    return found;
  }

 private:
  struct Pair {
    std::uint32_t a;
    std::uint32_t b;
    float bytes;
  };

  // Up to 1024 codes, distances are a table, of two megabytes at most. To make it takes as long as
  // some hundred steps.
  static constexpr unsigned kMaxTableBits = 10;
  static constexpr std::size_t kMaxPairs = 4096;

  void tabulate_distances() {
    if (bits_.total > kMaxTableBits) return;
    distances_.reserve(cells_.size() * cells_.size());
    for (const Cell& a : cells_) {
      for (const Cell& b : cells_)
        distances_.push_back(static_cast<std::uint16_t>(box_.hops(a, b)));
    }
  }

  void sample_pairs() {
    const CommGraph& graph = task_.graph;
    const double share = std::min(1.0, static_cast<double>(kMaxPairs) /
                                           std::max<double>(1, static_cast<double>(graph.pairs())));
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
        if (partner < rank || (share < 1 && random_.unit() > share)) continue;
        pairs_.push_back({rank, partner, static_cast<float>(bytes)});
      }
    }
  }

  double cost() const {
    double sum = 0;
    if (distances_.empty()) {
      for (const Pair& pair : pairs_) {
        sum += pair.bytes *
               static_cast<float>(box_.hops(cells_[codes_[pair.a]], cells_[codes_[pair.b]]));
      }
    } else {
      for (const Pair& pair : pairs_) {
        sum += pair.bytes *
               static_cast<float>(distances_[(codes_[pair.a] << bits_.total) | codes_[pair.b]]);
      }
    }
    return sum;
  }

  // What ranks scattered over the box cost.
  double scattered_cost() const {
    double bytes = 0;
    for (const Pair& pair : pairs_) bytes += pair.bytes;
    double hops = 0;
    for (const Cell& cell : cells_) hops += box_.hops(cells_.front(), cell);
    return bytes * hops / static_cast<double>(cells_.size());
  }

  void add_row(unsigned to, unsigned from) {
    for (std::uint32_t& code : codes_) code ^= ((code >> from) & 1U) << to;
  }

  void swap_rows(unsigned a, unsigned b) {
    for (std::uint32_t& code : codes_) {
      const std::uint32_t differ = ((code >> a) ^ (code >> b)) & 1U;
      code ^= (differ << a) | (differ << b);
    }
  }

  void anneal(std::uint64_t steps) {
    constexpr double start = 0.05;  // of the cost so far
    constexpr double end = 0.0005;
    double current = cost();
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (step % 64 == 0) {
        task_.trace.report_progress();
        if (task_.deadline.passed()) return;
      }
      const double temperature =
          current * start *
          std::pow(end / start, static_cast<double>(step) / static_cast<double>(steps));
      const unsigned a = random_.below(bits_.total);
      const unsigned b = (a + 1 + random_.below(bits_.total - 1)) % bits_.total;
      const bool swapping = random_.below(3) == 0;
      swapping ? swap_rows(a, b) : add_row(a, b);
      const double proposed = cost();
      if (proposed <= current || random_.unit() < std::exp((current - proposed) / temperature)) {
        current = proposed;
        if (current < best_cost_) {
          best_cost_ = current;
          best_ = codes_;
        }
      } else {
        // Both operations undo themselves.
        swapping ? swap_rows(a, b) : add_row(a, b);
      }
    }
  }

  const MappingTask& task_;
  const HostBits& bits_;
  const HostBox& box_;
  std::vector<std::uint32_t> codes_;  // by rank
  RandomSource random_;
  std::vector<Cell> cells_;  // by code
  std::vector<std::uint16_t> distances_;
  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> best_;
  double best_cost_ = 0;
};

Mapping map_bit_linear(const MappingTask& task) {
  const auto box = HostBox::of(task);
  if (!box || !box->holds_together()) return linear_mapping(task.allocation, task.graph.ranks());
  const HostBits bits(*box);
  if (bits.total < 2 || bits.total > kMaxBits) {
    return linear_mapping(task.allocation, task.graph.ranks());
  }
  std::vector<std::uint32_t> codes = position_codes(guest_grid(task.graph), bits.total);
  if (codes.empty()) return linear_mapping(task.allocation, task.graph.ranks());
  // Many matrices lead to the same hop-bytes, and the links tell them apart.
  Mapping best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const auto& found : MatrixSearch(task, *box, bits, std::move(codes)).run()) {
    std::vector<Cell> cells;
    cells.reserve(task.graph.ranks());
    for (const std::uint32_t code : found) cells.push_back(bits.cell(code));
    Mapping mapping = box->settle(cells, task);
    const Metrics metrics = evaluate_for(task.objective, task.graph, task.topology, task.outages,
                                         mapping, task.abort_cost);
    const double cost = objective_value(task.objective, metrics, task.abort_cost);
    if (cost >= best_cost) continue;
    best_cost = cost;
    best = std::move(mapping);
  }
  return best;
}

// Larger tasks have too many bits for the little that a sample of the pairs tells about them.
bool bit_linear_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr && task.graph.ranks() <= (1U << 15U);
}

}  // namespace

extern constexpr Mapper kBitLinearMapper{"bit-linear", map_bit_linear, bit_linear_is_candidate,
                                         Turn::any_lane};

}  // namespace tofa
