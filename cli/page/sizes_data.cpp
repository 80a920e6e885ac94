// SPDX-License-Identifier: BSD-3-Clause
// Sizes of messages for a page: see sizes_data.hpp. Of each cell with messages there are numbers in
// a row: how far it is behind the one before, of how many ranges of sizes it has messages, and for
// each of these how far the range is behind the one before, and how many messages. That is some ten
// bytes a cell.
#include "page/sizes_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "page/packed.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostCells = 400'000;  // some 6 MB of page

// 0 is a range of its own, then 1, 2 to 3, 4 to 7 and so on.
int range_of(Bytes least) {
  return std::bit_width(least);
}

struct CellCount {
  std::size_t cell;
  int range;
  std::uint64_t messages;
};

// Of all pairs of ranks in a cell together, by cell, then range.
std::vector<CellCount> cell_counts(const MessageSizes& sizes, const RankOrder& order) {
  const Rank step = fitting_ranks_per_cell(sizes.ranks);
  const std::size_t side = (std::size_t{sizes.ranks} + step - 1) / step;
  std::vector<CellCount> counts;
  counts.reserve(sizes.counts.size());
  for (const SizeCount& count : sizes.counts) {
    const std::size_t row = order.position_of(count.sender) / step;
    const std::size_t column = order.position_of(count.receiver) / step;
    counts.push_back({row * side + column, range_of(count.least), count.messages});
  }
  const auto key = [](const CellCount& count) { return std::tie(count.cell, count.range); };
  std::sort(counts.begin(), counts.end(),
            [&](const CellCount& a, const CellCount& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const CellCount& count : counts) {
    if (kept > 0 && key(counts[kept - 1]) == key(count)) {
      counts[kept - 1].messages += count.messages;  // the sum of all fits
    } else {
      counts[kept++] = count;
    }
  }
  counts.resize(kept);
  return counts;
}

// The packed numbers; adds to `cells` how many there are.
std::string pack(const std::vector<CellCount>& counts, int first_range, std::size_t& cells) {
  std::string bytes;
  std::size_t next = 0;
  for (auto from = counts.begin(); from != counts.end(); ++cells) {
    const auto end = std::find_if(from, counts.end(),
                                  [&](const CellCount& count) { return count.cell != from->cell; });
    add_number(bytes, from->cell - next);
    next = from->cell + 1;
    add_number(bytes, static_cast<std::size_t>(end - from));
    for (int range = first_range; from != end; ++from) {
      add_number(bytes, static_cast<std::size_t>(from->range - range));
      add_number(bytes, from->messages);
      range = from->range + 1;
    }
  }
  return base64(bytes);
}

}  // namespace

Json message_sizes_json(const MessageSizes& sizes, const std::vector<TitledOrder>& orders) {
  const std::vector<SizeTotal> totals = total_sizes(sizes);
  if (totals.empty()) return nullptr;
  const int first = range_of(totals.front().least);
  const int last = range_of(totals.back().least);
  Json labels = Json::array();
  for (int range = first; range <= last; ++range)
    labels.push_back(human_bytes(range == 0 ? 0 : std::exp2(range - 1)));
  std::vector<std::uint64_t> all(static_cast<std::size_t>(last - first) + 1);
  for (const SizeTotal& total : totals)
    all[static_cast<std::size_t>(range_of(total.least) - first)] = total.messages;
  std::size_t cells = 0;
  Json views = Json::array();
  for (const TitledOrder& titled : orders)
    views.push_back(pack(cell_counts(sizes, titled.order), first, cells));
  if (cells > kMostCells) views = Json::array();
  return {{"labels", labels}, {"all", all}, {"views", views}};
}

}  // namespace tofa::cli
