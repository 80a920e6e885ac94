// SPDX-License-Identifier: BSD-3-Clause
// What each step decides is in libtofacore (tofa/parallel.hpp); here it is done on all processes,
// and what one has to know of the others is sent.
#include "course.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "common_options.hpp"
#include "division.hpp"
#include "reading.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

// Ranks of a piece: what is searched at a time, so that memory for it stays little.
constexpr Rank kPieceRanks = 1U << 16U;
// Rounds of refinement, and moves for each rank in a round.
constexpr unsigned kRounds = 2;
constexpr std::uint64_t kMovesPerRank = 60;
// Of each rank, on average, that one process holds for a while: four bytes each.
constexpr std::size_t kPartnersToGather = 8;
// Groups are placed so often at least, each time from another start, and the best is taken.
constexpr unsigned kFewestStarts = 4;

// A row on its way to the process that has its piece: the rank, and so many partners.
struct RowHead {
  Rank rank;
  std::uint32_t partners;
};

class Course {
 public:
  Course(Processes& processes, const ParallelRequest& request,
         const std::function<void(const std::string&)>& tell)
      : processes_(processes), request_(request), tell_(tell) {}

  ParallelPlacement run() {
    read();
    const bool in_tiles = cut_in_tiles();
    if (!in_tiles) {
      divide_ranks();
      send_rows();
      cut_pieces();
    }
    place_groups();
    // Of tiles there is nothing to mend.
    for (unsigned round = 0; round < kRounds && !in_tiles; ++round) refine(round);
    return finish();
  }

 private:
  void read() {
    processes_.together([&] {
      topology_ = read_topology(request_.topology);
      allocation_ = make_allocation(*topology_, request_.nodes, request_.slots);
      if (request_.generate.empty()) files_ = files_of_graph(request_.graph);
    });
    DistributedRows read = request_.generate.empty()
                               ? read_files(processes_, files_)
                               : generate(processes_, request_.generate, request_.seed);
    ranks_ = read.ranks;
    rows_ = std::move(read.rows);
    processes_.together([&] { plan_.emplace(allocation_, ranks_); });
    tell_(fmt::format("read: {} ranks, {} pairs", ranks_,
                      processes_.sum(std::uint64_t{rows_.partners.size()}) / 2));
  }

  // Where ranks form a grid of few partners each, one process can hold who these are, and see it.
  // Answers whether they do, and groups are its tiles.
  bool cut_in_tiles() {
    const auto partners_of = [&](std::size_t row) {
      return rows_.offsets[row + 1] - rows_.offsets[row];
    };
    std::vector<std::uint8_t> degrees;
    degrees.reserve(rows_.ranks.size());
    for (std::size_t row = 0; row < rows_.ranks.size(); ++row) {
      if (partners_of(row) > kMaxGuestPartners) break;
      degrees.push_back(static_cast<std::uint8_t>(partners_of(row)));
    }
    const bool too_many = degrees.size() < rows_.ranks.size() ||
                          rows_.partners.size() > kPartnersToGather * rows_.ranks.size();
    const std::vector<std::uint32_t> sizes = plan_->sizes(0, plan_->groups());
    const auto is_full = [&sizes](std::uint32_t size) { return size == sizes.front(); };
    if (processes_.any(too_many) || !std::all_of(sizes.begin(), sizes.end(), is_full)) return false;
    const GuestGrid grid = share_grid(std::move(degrees));
    if (grid.shape.empty()) return false;
    std::vector<double> borders;
    processes_.together([&] { borders = border_traffic(rows_, grid); });
    for (double& bytes : borders) bytes = processes_.sum(bytes);
    processes_.together([&] { group_of_ = find_tiles(grid, borders, sizes.front()); });
    if (group_of_.empty()) return false;
    tell_(fmt::format("cut in {} tiles of a grid", plan_->groups()));
    return true;
  }

  // Of no dimension where there is none.
  GuestGrid share_grid(std::vector<std::uint8_t> degrees) {
    degrees = processes_.joined(degrees, 1);
    std::vector<Rank> partners = processes_.joined(rows_.partners, 1);
    GuestGrid grid;
    processes_.on_first([&] { grid = recognise_grid(degrees, partners).value_or(GuestGrid{}); });
    degrees = {};
    partners = {};
    processes_.share(grid.shape, 0);
    processes_.share(grid.wraps, 0);
    processes_.share(grid.positions, 0);
    return grid;
  }

  void divide_ranks() {
    const Rank share = (ranks_ + processes_.count() - 1) / processes_.count();
    const unsigned of_each = (share + kPieceRanks - 1) / kPieceRanks;
    pieces_ = std::min<unsigned>(of_each * processes_.count(), plan_->groups());
    const std::vector<std::uint32_t> mine = divide(processes_, rows_, pieces_, request_.seed);
    piece_of_ = processes_.joined(mine);
    // Pieces are of whole groups.
    std::vector<std::uint64_t> sizes(pieces_);
    for (const std::uint32_t piece : piece_of_) ++sizes[piece];
    first_group_ = plan_->cut_near(sizes);
    constexpr unsigned most = 1024;
    std::vector<BorderRank> border;
    processes_.together([&] { border = border_ranks(rows_, piece_of_, most); });
    settle_pieces(*plan_, first_group_, processes_.joined(border), piece_of_);
    tell_(fmt::format("divided in {} pieces", pieces_));
  }

  // Pieces that lie side by side go to the same process.
  unsigned owner(std::uint32_t piece) const {
    return static_cast<unsigned>(std::uint64_t{piece} * processes_.count() / pieces_);
  }

  void send_rows() {
    std::vector<std::vector<RowHead>> heads(processes_.count());
    for (std::size_t row = 0; row < rows_.ranks.size(); ++row) {
      const auto partners = static_cast<std::uint32_t>(rows_.offsets[row + 1] - rows_.offsets[row]);
      heads[owner(piece_of_[rows_.ranks[row]])].push_back({rows_.ranks[row], partners});
    }
    RankRows came;
    came.partners = processes_.exchange(by_owner(heads, std::exchange(rows_.partners, {})));
    came.bytes = processes_.exchange(by_owner(heads, std::exchange(rows_.bytes, {})));
    rows_ = {};
    // They come in the order of the processes they were on, which is that of the ranks.
    for (const RowHead& head : processes_.exchange(std::move(heads))) {
      came.ranks.push_back(head.rank);
      came.offsets.push_back(came.offsets.back() + head.partners);
    }
    rows_ = std::move(came);
    members_.resize(pieces_);
    for (std::uint32_t row = 0; row < rows_.ranks.size(); ++row)
      members_[piece_of_[rows_.ranks[row]]].push_back(row);
    piece_of_ = {};
  }

  // What rows have of their partners, for the processes that these rows go to; `values` are freed,
  // as they are the most of all that is held.
  template <typename T>
  std::vector<std::vector<T>> by_owner(const std::vector<std::vector<RowHead>>& heads,
                                       std::vector<T> values) const {
    std::vector<std::vector<T>> to(processes_.count());
    for (unsigned i = 0; i < processes_.count(); ++i) {
      std::size_t sum = 0;
      for (const RowHead& head : heads[i]) sum += head.partners;
      to[i].reserve(sum);
    }
    for (std::size_t row = 0; row < rows_.ranks.size(); ++row) {
      std::vector<T>& there = to[owner(piece_of_[rows_.ranks[row]])];
      there.insert(there.end(), values.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row]),
                   values.begin() + static_cast<std::ptrdiff_t>(rows_.offsets[row + 1]));
    }
    return to;
  }

  void cut_pieces() {
    std::vector<std::uint32_t> groups(rows_.ranks.size());
    processes_.together([&] {
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        if (owner(piece) != processes_.rank()) continue;
        const std::vector<std::uint32_t> sizes =
            plan_->sizes(first_group_[piece], first_group_[piece + 1]);
        const auto cut = cut_in_groups(rows_, members_[piece], sizes, request_.seed + piece);
        for (std::size_t i = 0; i < cut.size(); ++i)
          groups[members_[piece][i]] = first_group_[piece] + cut[i];
      }
    });
    group_of_ = of_all_ranks(groups);
    tell_(fmt::format("cut in {} groups", plan_->groups()));
  }

  // What is known of the rows here and there, by rank.
  std::vector<std::uint32_t> of_all_ranks(const std::vector<std::uint32_t>& mine) {
    struct Known {
      Rank rank;
      std::uint32_t value;
    };
    std::vector<std::vector<Known>> to(processes_.count());
    const std::vector<Rank> bounds = even_bounds(ranks_, processes_.count());
    for (std::size_t row = 0, part = 0; row < mine.size(); ++row) {
      while (rows_.ranks[row] >= bounds[part + 1]) ++part;
      to[part].push_back({rows_.ranks[row], mine[row]});
    }
    const Rank first = bounds[processes_.rank()];
    std::vector<std::uint32_t> share(bounds[processes_.rank() + 1] - first);
    for (const Known& known : processes_.exchange(std::move(to)))
      share[known.rank - first] = known.value;
    return processes_.joined(share);
  }

  // Searches often end with parts of the traffic the wrong way round on the machine, and never
  // leave that again: other starts help more than a longer search.
  void place_groups() {
    Traffic traffic;
    processes_.together(
        [&] { traffic.entries = group_traffic(rows_, group_of_, plan_->groups()); });
    traffic.ranks = plan_->groups();
    const unsigned starters = count_starters(traffic);
    traffic.entries = processes_.joined(traffic.entries, starters);
    Placement best;
    best.chosen_cost = std::numeric_limits<double>::infinity();
    processes_.together([&] {
      if (processes_.rank() >= starters) return;
      traffic.normalise();
      const CommGraph graph(traffic);
      traffic = {};
      const unsigned starts = std::max(kFewestStarts, starters);
      for (unsigned start = processes_.rank(); start < starts; start += starters) {
        Placement found = place(graph, *topology_, {}, plan_->nodes(), options_of(start, starters));
        if (found.chosen_cost < best.chosen_cost) best = std::move(found);
      }
    });
    const auto costs = processes_.joined(std::vector<double>{best.chosen_cost});
    const auto least = std::min_element(costs.begin(), costs.end()) - costs.begin();
    processes_.share(best.mapping, static_cast<unsigned>(least));
    nodes_.resize(ranks_);
    for (Rank rank = 0; rank < ranks_; ++rank) nodes_[rank] = best.mapping[group_of_[rank]];
    group_of_ = {};
    cost_ = measure();
    tell_(fmt::format("placed groups: hop-bytes {:.0f}", cost_.hop_bytes));
  }

  // All processes, unless what groups exchange is more than what each of them has of the ranks.
  unsigned count_starters(const Traffic& mine) {
    const std::uint64_t of_groups = processes_.sum(std::uint64_t{mine.entries.size()});
    const std::uint64_t of_ranks = processes_.sum(std::uint64_t{rows_.partners.size()});
    return of_groups <= of_ranks / processes_.count() ? processes_.count() : 1;
  }

  PlaceOptions options_of(unsigned start, unsigned starters) const {
    const unsigned of_each = (kFewestStarts + starters - 1) / starters;
    PlaceOptions options;
    options.objective = parse_objective("hop-bytes");
    options.seed = request_.seed + start;
    options.effort = parse_effort(request_.effort);
    options.time_limit_seconds = request_.time_limit / of_each;
    options.limit_was_given = true;  // these are few, and everything else is built on them
    return options;
  }

  RowCost measure() {
    const RowCost mine = cost_of_rows(rows_, nodes_, *topology_);
    return {processes_.sum(mine.hop_bytes), processes_.sum(mine.bytes)};
  }

  // Every process takes the others' ranks to stay where they were, which they do not: what comes of
  // it is kept only if it is better.
  void refine(unsigned round) {
    std::vector<std::uint32_t> mine(rows_.ranks.size());
    Mapping before = nodes_;
    processes_.together([&] {
      for (std::uint32_t piece = 0; piece < pieces_; ++piece) {
        if (members_[piece].empty()) continue;
        const Mapping refined =
            refine_piece(rows_, members_[piece], nodes_, *topology_, kMovesPerRank,
                         request_.seed + std::uint64_t{pieces_} * (round + 1) + piece);
        for (std::size_t i = 0; i < refined.size(); ++i)
          nodes_[rows_.ranks[members_[piece][i]]] = refined[i];
      }
      for (std::size_t row = 0; row < mine.size(); ++row) mine[row] = nodes_[rows_.ranks[row]];
    });
    nodes_ = of_all_ranks(mine);
    const RowCost after = measure();
    if (after.hop_bytes >= cost_.hop_bytes) {
      nodes_ = std::move(before);
      return;
    }
    cost_ = after;
    tell_(fmt::format("refined: hop-bytes {:.0f}", cost_.hop_bytes));
  }

  ParallelPlacement finish() {
    const Mapping before = nodes_;
    processes_.together([&] { respect_slots(nodes_, *topology_, allocation_); });
    if (nodes_ != before) cost_ = measure();
    return {std::move(topology_), std::move(nodes_), cost_, ranks_, plan_->groups(), pieces_};
  }

  Processes& processes_;
  const ParallelRequest& request_;
  const std::function<void(const std::string&)>& tell_;
  std::vector<std::string> files_;
  std::unique_ptr<Topology> topology_;
  Allocation allocation_;
  Rank ranks_ = 0;
  RankRows rows_;
  std::optional<GroupPlan> plan_;
  unsigned pieces_ = 0;
  std::vector<std::uint32_t> first_group_;
  std::vector<std::uint32_t> piece_of_;              // by rank
  std::vector<std::uint32_t> group_of_;              // by rank
  std::vector<std::vector<std::uint32_t>> members_;  // rows of each piece that is here
  Mapping nodes_;
  RowCost cost_;
};

}  // namespace

ParallelPlacement place_together(Processes& processes, const ParallelRequest& request,
                                 const std::function<void(const std::string&)>& tell) {
  return Course(processes, request, tell).run();
}

}  // namespace tofa::cli
