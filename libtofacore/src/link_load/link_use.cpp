// SPDX-License-Identifier: BSD-3-Clause
// Which links measurements are about: names become vertices, directions neighbours in the grid. One
// walk over all links then finds those that are meant, so that a large machine needs no index of
// its links.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tofa/link_load.hpp"
#include "tofa/topology.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kAny = 0xffffffffU;
constexpr std::string_view kLetters = "xyzuvw";

class Ends {
 public:
  explicit Ends(const Topology& topology) : topology_(topology) {}

  // Nothing where the topology has no such link.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> find(const LinkSample& sample) {
    auto from = vertex(sample.from);
    auto to = vertex(sample.to);
    if (!from && to && *to != kAny) from = neighbour(*to, sample.from);
    if (!to && from && *from != kAny) to = neighbour(*from, sample.to);
    if (!from || !to || (*from == kAny && *to == kAny)) return std::nullopt;
    return std::pair{*from, *to};
  }

 private:
  std::optional<std::uint32_t> vertex(const std::string& name) {
    if (name == "*") return kAny;
    if (const auto node = topology_.find(name)) return topology_.host(*node);
    if (switches_.empty()) {
      for (std::uint32_t v = topology_.nodes(); v < topology_.vertices(); ++v)
        switches_.emplace(topology_.vertex_name(v), v);
    }
    const auto found = switches_.find(name);
    return found == switches_.end() ? std::nullopt : std::optional(found->second);
  }

  // `x+`, `Z-`.
  std::optional<std::uint32_t> neighbour(std::uint32_t vertex, std::string_view direction) {
    const Grid* grid = topology_.grid();
    if (grid == nullptr || direction.size() != 2) return std::nullopt;
    const std::size_t dim =
        kLetters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(direction[0]))));
    const int step = direction[1] == '+' ? 1 : direction[1] == '-' ? -1 : 0;
    if (step == 0 || dim >= grid->dimensions()) return std::nullopt;
    std::vector<unsigned> at = topology_.coordinates(vertex);
    const auto moved = grid->moved(dim, at[dim], step);
    if (!moved || *moved == at[dim]) return std::nullopt;
    at[dim] = *moved;
    return vertex_at(*grid, at);
  }

  std::uint32_t vertex_at(const Grid& grid, const std::vector<unsigned>& at) {
    if (vertex_at_.empty()) {
      vertex_at_.resize(grid.positions(), kAny);
      for (std::uint32_t v = 0; v < topology_.vertices(); ++v) {
        if (v < topology_.nodes() && topology_.host(v) != v) continue;
        vertex_at_[grid.position(topology_.coordinates(v))] = v;
      }
    }
    return vertex_at_[grid.position(at)];
  }

  const Topology& topology_;
  std::unordered_map<std::string, std::uint32_t> switches_;
  std::vector<std::uint32_t> vertex_at_;  // by position
};

// Measurements by the ends they name.
class Wanted {
 public:
  explicit Wanted(std::size_t samples) : next_(samples, kAny) {}

  void add(std::pair<std::uint32_t, std::uint32_t> ends, std::uint32_t sample) {
    (ends.first == kAny || ends.second == kAny ? any_ : exact_) = true;
    const auto [it, added] = first_.try_emplace(key(ends.first, ends.second), sample);
    if (!added) next_[sample] = std::exchange(it->second, sample);
  }

  template <typename Use>
  void each(std::pair<std::uint32_t, std::uint32_t> ends, const Use& use) const {
    if (exact_) visit(key(ends.first, ends.second), use);
    if (!any_) return;
    visit(key(ends.first, kAny), use);
    visit(key(kAny, ends.second), use);
  }

 private:
  static std::uint64_t key(std::uint32_t from, std::uint32_t to) {
    return (std::uint64_t{from} << 32U) | to;
  }
  template <typename Use>
  void visit(std::uint64_t key, const Use& use) const {
    const auto found = first_.find(key);
    if (found == first_.end()) return;
    for (std::uint32_t sample = found->second; sample != kAny; sample = next_[sample]) use(sample);
  }

  bool exact_ = false;
  bool any_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> first_;
  std::vector<std::uint32_t> next_;  // of the same ends
};

}  // namespace

LinkUse link_use_of(const LinkLoadList& load, const Topology& topology) {
  LinkUse use;
  Ends ends(topology);
  Wanted wanted(load.size());
  std::vector<bool> known(load.size());
  bool stalls = false;
  for (std::uint32_t i = 0; i < load.size(); ++i) {
    if (const auto found = ends.find(load[i])) wanted.add(*found, i);
    stalls = stalls || load[i].stalled >= 0;
  }
  use.bytes_per_second.resize(topology.links());
  if (stalls) use.stalls.resize(topology.links());
  for (Link link = 0; link < topology.links(); ++link) {
    if (!topology.has_link(link)) continue;
    bool said = false;
    wanted.each(topology.link_ends(link), [&](std::uint32_t i) {
      const LinkSample& sample = load[i];
      use.bytes_per_second[link] +=
          sample.share >= 0 ? sample.share * bandwidth_of(topology, link) : sample.bytes_per_second;
      if (stalls) use.stalls[link] = std::max(use.stalls[link], sample.stalled);
      known[i] = said = true;
    });
    use.measured += said;
  }
  use.unknown = static_cast<std::size_t>(std::count(known.begin(), known.end(), false));
  return use;
}

}  // namespace tofa
