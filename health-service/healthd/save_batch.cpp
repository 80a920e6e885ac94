// SPDX-License-Identifier: BSD-3-Clause
// Rows that are there already are replaced where they are.
#include "healthd/save_batch.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace tofa::health {
namespace {

// `position` has each row's key; a row whose key is new is added.
template <class Row, class Positions, class KeyOf>
void replace_rows(std::vector<Row>& rows, std::vector<Row> later, Positions position,
                  const KeyOf& key_of) {
  if (rows.empty()) {
    rows = std::move(later);
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) position.emplace(key_of(rows[i]), i);
  for (Row& row : later) {
    const auto [found, added] = position.emplace(key_of(row), rows.size());
    if (added) {
      rows.push_back(std::move(row));
    } else {
      rows[found->second] = std::move(row);
    }
  }
}

}  // namespace

SaveBatch merge(SaveBatch earlier, SaveBatch later) {
  replace_rows(earlier.records, std::move(later.records),
               std::unordered_map<std::string, std::size_t>(),
               [](const HostRecord& record) { return record.name; });
  replace_rows(earlier.days, std::move(later.days),
               std::map<std::pair<std::string, std::int64_t>, std::size_t>(),
               [](const HostDay& row) { return std::pair(row.host, row.day.day); });
  const std::size_t room =
      kMostUnsavedTransitions - std::min(kMostUnsavedTransitions, earlier.transitions.size());
  const auto end = later.transitions.begin() +
                   static_cast<std::ptrdiff_t>(std::min(room, later.transitions.size()));
  std::move(later.transitions.begin(), end, std::back_inserter(earlier.transitions));
  earlier.last_round = later.last_round;
  earlier.clock = later.clock;
  if (later.forget) earlier.forget = later.forget;
  return earlier;
}

}  // namespace tofa::health
