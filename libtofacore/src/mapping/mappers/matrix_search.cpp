// SPDX-License-Identifier: BSD-3-Clause
// Annealing a matrix: see matrix_search.hpp.
#include "mapping/mappers/matrix_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "mapping/rates.hpp"

namespace tofa {
namespace {

// Of a dimension; hops between all its positions are tabled.
constexpr unsigned kMostBits = 10;

std::uint16_t from_gray(std::uint32_t gray) {
  for (std::uint32_t shifted = gray >> 1U; shifted != 0; shifted >>= 1U) gray ^= shifted;
  return static_cast<std::uint16_t>(gray);
}

// Hops along a dimension by two codes of it, the first in the higher bits; none where nothing is
// far.
using LineHops = std::vector<float>;

LineHops tabulate(const HostBox& box, const HostBits& bits, std::size_t d) {
  LineHops hops;
  if (d + 1 == box.dimensions()) return hops;
  const std::uint32_t codes = 1U << bits.dimensions[d].bits;
  hops.reserve(std::size_t{codes} * codes);
  for (std::uint32_t a = 0; a < codes; ++a) {
    for (std::uint32_t b = 0; b < codes; ++b) {
      Cell from{};
      Cell to{};
      from[d] = from_gray(a);
      to[d] = from_gray(b);
      hops.push_back(static_cast<float>(box.hops(from, to)));
    }
  }
  return hops;
}

// One row of the matrix is added to another, or changes places with it. Twice is never.
struct Change {
  unsigned a;
  unsigned b;
  bool swaps;  // else b is added to a
};

void apply(const Change& change, std::uint32_t& code) {
  const std::uint32_t flip = ((code >> change.b) ^ (change.swaps ? code >> change.a : 0)) & 1U;
  code ^= (flip << change.a) | (change.swaps ? flip << change.b : 0);
}

// Some pairs, and where a matrix brings them.
class Arrangement {
 public:
  Arrangement(const HostBits& bits, const std::vector<LineHops>& hops, std::vector<CodedPair> pairs)
      : bits_(bits), pairs_(std::move(pairs)), lines_(hops.size()) {
    for (std::size_t d = 0; d < lines_.size(); ++d) lines_[d].hops = &hops[d];
    for (unsigned bit = 0; bit < bits.total; ++bit) {
      const std::size_t d = bits.dimension_of(bit);
      const unsigned y = bit - bits.dimensions[d].first;
      rows_.push_back({d, 1U << (y + bits.dimensions[d].bits), 1U << y});
    }
    for (const CodedPair& pair : pairs_) bytes_.push_back(pair.bytes);
  }

  std::size_t pairs() const { return pairs_.size(); }
  const Matrix& matrix() const { return matrix_; }

  void set(const Matrix& matrix) {
    matrix_ = matrix;
    for (Line& line : lines_) {
      line.at.clear();
      line.cost = 0;
    }
    for (const CodedPair& pair : pairs_) {
      const std::uint32_t a = image(matrix, pair.a);
      const std::uint32_t b = image(matrix, pair.b);
      for (std::size_t d = 0; d < lines_.size(); ++d) {
        const HostBits::Dimension& dimension = bits_.dimensions[d];
        Line& line = lines_[d];
        line.at.push_back((dimension.of(a) << dimension.bits) | dimension.of(b));
        if (!line.hops->empty()) line.cost += pair.bytes * (*line.hops)[line.at.back()];
      }
    }
  }

  // Hops in bytes.
  double cost() const {
    double sum = 0;
    for (const Line& line : lines_) sum += line.cost;
    return sum;
  }

  // What ranks scattered over the box cost.
  double scattered_cost() const {
    double hops = 0;
    for (const Line& line : lines_) {
      if (line.hops->empty()) continue;
      hops += std::accumulate(line.hops->begin(), line.hops->end(), 0.0) /
              static_cast<double>(line.hops->size());
    }
    return hops * std::accumulate(bytes_.begin(), bytes_.end(), 0.0);
  }

  // Makes a change if `accepts` what it saves, which may be less than nothing.
  template <typename Accepts>
  bool try_change(const Change& change, const Accepts& accepts) {
    const std::size_t one = rows_[change.a].line;
    const std::size_t other = change.swaps ? rows_[change.b].line : one;
    const double of_one = cost_after(change, one);
    const double of_other = other == one ? of_one : cost_after(change, other);
    const double saved =
        lines_[one].cost - of_one + (other == one ? 0 : lines_[other].cost - of_other);
    if (!accepts(saved)) return false;
    // Each goes by what the other says before.
    place(change, one, after_[0]);
    if (other != one) place(change, other, after_[1]);
    std::swap(lines_[one].at, after_[0]);
    if (other != one) std::swap(lines_[other].at, after_[1]);
    lines_[one].cost = of_one;
    lines_[other].cost = of_other;
    for (std::uint32_t& code : matrix_) apply(change, code);
    return true;
  }

 private:
  struct Line {
    const LineHops* hops = nullptr;
    std::vector<std::uint32_t> at;  // what the two codes of each pair say, as in `hops`
    double cost = 0;
  };

  // Where the bit is that a row of the matrix makes: in which line, and in what is said there.
  struct Row {
    std::size_t line;
    std::uint32_t first;  // of a pair
    std::uint32_t second;
  };

  // Calls `use` with each pair and what it says about the `line` after the change.
  template <typename Use>
  void for_each_after(const Change& change, std::size_t line, const Use& use) const {
    const Row& a = rows_[change.a];
    const Row& b = rows_[change.b];
    Row flipped{line, 0, 0};
    if (a.line == line) flipped = a;
    if (change.swaps && b.line == line) {
      flipped.first |= b.first;
      flipped.second |= b.second;
    }
    const std::uint32_t a_first = change.swaps ? a.first : 0;
    const std::uint32_t a_second = change.swaps ? a.second : 0;
    const std::uint32_t* from_a = lines_[a.line].at.data();
    const std::uint32_t* from_b = lines_[b.line].at.data();
    const std::uint32_t* at = lines_[line].at.data();
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const bool first = ((from_b[i] & b.first) != 0) != ((from_a[i] & a_first) != 0);
      const bool second = ((from_b[i] & b.second) != 0) != ((from_a[i] & a_second) != 0);
      use(i, at[i] ^ (first ? flipped.first : 0) ^ (second ? flipped.second : 0));
    }
  }

  double cost_after(const Change& change, std::size_t line) const {
    if (lines_[line].hops->empty()) return 0;
    const float* hops = lines_[line].hops->data();
    std::array<double, 4> sums{};  // so that not each addition waits for the one before
    for_each_after(change, line, [&](std::size_t i, std::uint32_t at) {
      sums[i % sums.size()] += bytes_[i] * hops[at];
    });
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  void place(const Change& change, std::size_t line, std::vector<std::uint32_t>& after) const {
    after.resize(pairs_.size());
    for_each_after(change, line, [&after](std::size_t i, std::uint32_t at) { after[i] = at; });
  }

  const HostBits& bits_;
  const std::vector<CodedPair> pairs_;
  std::vector<float> bytes_;
  std::vector<Line> lines_;  // by dimension
  std::vector<Row> rows_;
  std::array<std::vector<std::uint32_t>, 2> after_;
  Matrix matrix_;
};

// Shares of what the pairs cost.
struct Temperatures {
  double start;
  double end;
};
constexpr Temperatures kMelting{0.02, 0.002};
constexpr Temperatures kMending{0.004, 0.001};

struct Found {
  Matrix matrix;
  double cost;
};

// From the matrix of the arrangement; what was best on the way.
Found anneal(const MappingTask& task, Arrangement& arrangement, const Temperatures& temperatures,
             std::uint64_t steps, RandomSource& random) {
  constexpr std::uint64_t stride = 64;
  const auto bits = static_cast<unsigned>(arrangement.matrix().size());
  Found best{arrangement.matrix(), arrangement.cost()};
  double temperature = 0;
  for (std::uint64_t step = 0; step < steps; ++step) {
    if (step % stride == 0) {
      task.trace.report_progress();
      if (task.deadline.passed()) break;
      const double progress = static_cast<double>(step) / static_cast<double>(steps);
      temperature = arrangement.cost() * temperatures.start *
                    std::pow(temperatures.end / temperatures.start, progress);
    }
    const unsigned a = random.below(bits);
    const unsigned b = (a + 1 + random.below(bits - 1)) % bits;
    const Change change{a, b, random.below(3) == 0};
    const bool made = arrangement.try_change(change, [&](double saved) {
      return saved >= 0 || random.unit() < std::exp(saved / temperature);
    });
    if (made && arrangement.cost() < best.cost) best = {arrangement.matrix(), arrangement.cost()};
  }
  return best;
}

Matrix identity(const HostBits& bits) {
  Matrix matrix;
  for (unsigned bit = 0; bit < bits.total; ++bit) matrix.push_back(1U << bit);
  return matrix;
}

std::uint64_t steps_in(double seconds, const Arrangement& arrangement) {
  const double steps =
      seconds / rates::kBitLinearPerPair / static_cast<double>(arrangement.pairs());
  return static_cast<std::uint64_t>(std::clamp(steps, 300.0, 400'000.0));
}

// Few pairs tell roughly where to go, in many steps, and more of them mend that.
void search(const MappingTask& task, const HostBits& bits, Arrangement& rough, Arrangement& exact,
            double seconds, RandomSource& random, std::vector<Matrix>& found) {
  constexpr double share_of_mending = 0.3;
  constexpr std::uint64_t most_searches = 8;
  constexpr std::uint64_t long_search = 10'000;  // steps
  // Few bits are soon where nothing better is to be found.
  constexpr unsigned few_bits = 10;
  const double worth = bits.total > few_bits ? 2 * seconds : seconds;
  const std::uint64_t melting = steps_in((1 - share_of_mending) * worth, rough);
  const std::uint64_t mending = steps_in(share_of_mending * worth, exact);
  const std::uint64_t searches = std::clamp<std::uint64_t>(melting / long_search, 1, most_searches);
  for (std::uint64_t i = 0; i < searches && !task.deadline.passed(); ++i) {
    rough.set(identity(bits));
    exact.set(anneal(task, rough, kMelting, melting / searches, random).matrix);
    found.push_back(anneal(task, exact, kMending, mending / searches, random).matrix);
  }
}

}  // namespace

HostBits::HostBits(const HostBox& box) {
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    const auto whole = static_cast<unsigned>(std::bit_width(box.extent(d))) - 1;
    dimensions.push_back({total, whole});
    total += whole;
  }
}

std::size_t HostBits::dimension_of(unsigned bit) const {
  std::size_t d = 0;
  while (bit >= dimensions[d].first + dimensions[d].bits) ++d;
  return d;
}

Cell HostBits::cell(std::uint32_t code) const {
  Cell result{};
  for (std::size_t d = 0; d < dimensions.size(); ++d) result[d] = from_gray(dimensions[d].of(code));
  return result;
}

std::uint32_t image(const Matrix& matrix, std::uint32_t code) {
  std::uint32_t result = 0;
  for (std::size_t bit = 0; code != 0; ++bit, code >>= 1U) {
    if ((code & 1U) != 0) result ^= matrix[bit];
  }
  return result;
}

std::vector<Matrix> find_matrices(const MappingTask& task, const HostBox& box, const HostBits& bits,
                                  const std::vector<std::uint32_t>& codes) {
  // Pairs that differ in many ways suit no matrix. Other traffic that none suits shows it soon, and
  // what is as good as scattered at once.
  constexpr double hopeless = 0.75;
  constexpr double scattered = 0.95;
  constexpr std::uint64_t few = 50;   // steps
  constexpr std::size_t roughly = 8;  // pairs of a difference
  constexpr std::size_t exactly = 64;
  if (bits.total < 2) return {};
  std::vector<LineHops> hops;
  for (std::size_t d = 0; d < bits.dimensions.size(); ++d) {
    if (d + 1 < box.dimensions() && bits.dimensions[d].bits > kMostBits) return {};
    hops.push_back(tabulate(box, bits, d));
  }
  RandomSource random(task.seed);
  const CodedPairs pairs(task.graph, codes, random);
  Arrangement exact(bits, hops, pairs.some(exactly));
  if (exact.pairs() == 0) return {};
  const double seconds = 0.1 * task.seconds + std::min(0.01, 0.1 * task.seconds);
  const double highest = exact.scattered_cost();
  exact.set(identity(bits));
  Found tried = anneal(task, exact, kMelting, few, random);
  if (tried.cost <= scattered * highest) {
    const Found longer = anneal(task, exact, kMelting, steps_in(seconds / 16, exact), random);
    if (longer.cost < tried.cost) tried = longer;
  }
  std::vector<Matrix> found = {tried.matrix};
  if (!pairs.alike() || tried.cost >= hopeless * highest) return found;
  Arrangement rough(bits, hops, pairs.some(roughly));
  search(task, bits, rough, exact, seconds, random, found);
  return found;
}

}  // namespace tofa
