// SPDX-License-Identifier: BSD-3-Clause
// What a misspelt word was meant to be.
#include <algorithm>
#include <cctype>

#include "tofa/text.hpp"

namespace tofa {
namespace {

// Longer words than any that is known; nobody waits for a comparison.
constexpr std::size_t kLongestWord = 64;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// How many letters to insert, drop, replace, or swap with their neighbour, to make one of the other
// ("optimal string alignment"); cases do not count.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string closest_word(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() < 2 || word.size() > kLongestWord) return "";
  const std::size_t most = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t best_distance = most + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const bool begins = candidate.size() > word.size() && candidate.starts_with(word);
    const std::size_t changes = begins ? 1 : distance(word, candidate);
    if (changes < best_distance) {
      best = candidate;
      best_distance = changes;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string closest = closest_word(word, known);
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

}  // namespace tofa
