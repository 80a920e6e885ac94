// SPDX-License-Identifier: BSD-3-Clause
// Runs along lines: see line_loads.hpp. The inner loops are compiled a second time for AVX2; they
// add in the same order whatever they are compiled for.
#include "mapping/search/line_loads.hpp"

#include <algorithm>

#include "mapping/tools/vectors.hpp"

namespace tofa {
namespace {

using Eight = Wide<32>;
constexpr std::uint32_t kPart = Eight::kCount;
constexpr unsigned kLongest = 64;  // tables of masks grow with the cube of it
constexpr std::uint32_t kMostPositions = 1U << 24U;

}  // namespace

// Copies of what the loop reads, since the compiler must take anything that it writes for a part of
// anything else.
struct LineLoads::Work {
  std::size_t stages;
  const Stage* stages_of;
  const Run* runs;
  const std::int32_t* masks;
  const Place* places;
  float* change;
  std::uint32_t* touched;
  std::uint32_t* stamp;
  std::uint32_t proposal;
  std::uint32_t count;

  [[gnu::always_inline]] inline void add(std::uint32_t part, const std::int32_t* mask,
                                         float amount) const {
    float* const at = change + std::size_t{part} * kPart;
    Eight::Ints on_it;
    Eight::Floats sum;
    load(mask, on_it);
    load(at, sum);
    const Eight::Floats amounts = amount - Eight::Floats{};
    sum += on_it ? amounts : Eight::Floats{};
    store(sum, at);
  }

  // Without branches where every line is one part: whether a route goes along a dimension at all is
  // anybody's guess.
  template <bool kOnePart>
  [[gnu::always_inline]] inline void send(std::uint32_t from, std::uint32_t to, float amount) {
    const Place* source = places + from * stages;
    const Place* target = places + to * stages;
    for (std::size_t k = 0; k < stages; ++k, ++source, ++target) {
      const Run& run = runs[source->row + target->at];
      const std::uint32_t line = source->from + target->to + run.back;
      const std::int32_t* mask = masks + std::size_t{run.masks} * kPart;
      if constexpr (kOnePart) {
        add(line, mask, amount);
        touched[count] = line;
        const std::uint32_t seen = stamp[line];
        count += static_cast<std::uint32_t>(seen != proposal) & run.parts;
        stamp[line] = run.parts > 0 ? proposal : seen;
      } else {
        std::uint32_t part = run.first;
        for (std::uint32_t i = 0; i < run.parts; ++i) {
          add(line + part, mask + std::size_t{part} * kPart, amount);
          touched[count] = line + part;
          count += stamp[line + part] != proposal ? 1 : 0;
          stamp[line + part] = proposal;
          part = part + 1 == stages_of[k].parts ? 0 : part + 1;
        }
      }
    }
  }

  template <bool kOnePart>
  [[gnu::always_inline]] inline void put_down(std::span<const EntryFlow> flows, std::uint32_t here,
                                              float sign) {
    for (const auto& [there, out, in] : flows) {
      if (there == here) continue;
      if (out != 0) send<kOnePart>(here, there, sign * out);
      if (in != 0) send<kOnePart>(there, here, sign * in);
    }
  }
};

namespace {

[[gnu::always_inline]] inline void add_up(const SmoothTime& time, const float* load_of,
                                          const float* change_of,
                                          std::span<const std::uint32_t> touched,
                                          SmoothTime::Change& all) {
  const Eight::Floats alike = 1.0F - Eight::Floats{};
  Eight::Floats squares{};
  Eight::Floats powers{};
  for (const std::uint32_t part : touched) {
    Eight::Floats before;
    Eight::Floats by;
    load(load_of + std::size_t{part} * kPart, before);
    load(change_of + std::size_t{part} * kPart, by);
    time.add(before, by, alike, squares, powers);
  }
  for (std::uint32_t i = 0; i < kPart; ++i) {
    all.squares += squares[i];
    all.powers += powers[i];
  }
}

// What is compiled for each kind of processor.
template <typename Work>
[[gnu::always_inline]] inline std::uint32_t put_down_any(Work work, bool one_part,
                                                         std::span<const EntryFlow> flows,
                                                         std::uint32_t here, float sign) {
  if (one_part) {
    work.template put_down<true>(flows, here, sign);
  } else {
    work.template put_down<false>(flows, here, sign);
  }
  return work.count;
}

template <typename Work>
std::uint32_t put_down_plainly(const Work& work, bool one_part, std::span<const EntryFlow> flows,
                               std::uint32_t here, float sign) {
  return put_down_any(work, one_part, flows, here, sign);
}

#if defined(__x86_64__)
template <typename Work>
[[gnu::target("avx2")]] std::uint32_t put_down_with_avx2(const Work& work, bool one_part,
                                                         std::span<const EntryFlow> flows,
                                                         std::uint32_t here, float sign) {
  return put_down_any(work, one_part, flows, here, sign);
}
[[gnu::target("avx2")]] void add_up_with_avx2(const SmoothTime& time, const float* load_of,
                                              const float* change_of,
                                              std::span<const std::uint32_t> touched,
                                              SmoothTime::Change& all) {
  add_up(time, load_of, change_of, touched, all);
}
#endif

}  // namespace

bool LineLoads::serves(const Topology& topology) {
  const Grid* grid = topology.grid();
  if (grid == nullptr || topology.link_costs() != nullptr) return false;
  for (std::size_t d = 0; d < grid->dimensions(); ++d) {
    if (grid->extent(d) > kLongest) return false;
  }
  return grid->positions() <= kMostPositions;
}

std::optional<LineLoads> LineLoads::of(const Topology& topology, const SeatPlan& plan,
                                       bool plainly) {
  if (!serves(topology)) return std::nullopt;
  LineLoads loads(topology, plan);
  loads.plainly_ = plainly;
  return loads;
}

LineLoads::LineLoads(const Topology& topology, const SeatPlan& plan) {
  const Grid& grid = *topology.grid();
  std::vector<unsigned> order = topology.route_order();
  std::erase_if(order, [&grid](unsigned dimension) { return grid.extent(dimension) < 2; });
  std::vector<std::vector<unsigned>> at;
  at.reserve(plan.entries());
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry)
    at.push_back(topology.coordinates(plan.node(entry)));
  places_.resize(plan.entries() * order.size());
  std::uint32_t begin = 0;  // of the parts of a stage
  for (std::size_t k = 0; k < order.size(); ++k) {
    const unsigned extent = grid.extent(order[k]);
    const Stage stage{extent, (extent + kPart - 1) / kPart};
    const auto runs = static_cast<std::uint32_t>(runs_.size());
    for (std::size_t entry = 0; entry < plan.entries(); ++entry) {
      const unsigned here = at[entry][order[k]];
      places_[entry * order.size() + k] = {runs + here * extent, here, 0, begin};
    }
    // What was crossed before is where the message goes to, the rest where it comes from.
    std::uint32_t stride = 2 * stage.parts;
    for (std::size_t j = 0; j < order.size(); ++j) {
      if (j == k) continue;
      for (std::size_t entry = 0; entry < plan.entries(); ++entry) {
        Place& place = places_[entry * order.size() + k];
        (j < k ? place.to : place.from) += at[entry][order[j]] * stride;
      }
      stride *= grid.extent(order[j]);
    }
    add_runs(topology, order[k], stage);
    stages_.push_back(stage);
    one_part_ = one_part_ && stage.parts == 1;
    begin += stride;
  }
  load_.resize(std::size_t{begin} * kPart);
  change_.resize(load_.size());
  stamp_.resize(begin);
  touched_.resize(std::size_t{begin} + 1);
}

void LineLoads::add_runs(const Topology& topology, unsigned dimension, const Stage& stage) {
  for (unsigned a = 0; a < stage.extent; ++a) {
    for (unsigned b = 0; b < stage.extent; ++b) {
      const auto [up, length] = topology.route_run(dimension, a, b);
      const unsigned start = up ? a : (a + 1 + stage.extent - length) % stage.extent;
      const unsigned first = start / kPart;
      const bool wraps = start + length > stage.extent;
      const unsigned last = (start + std::max(length, 1U) - 1) % stage.extent / kPart;
      const unsigned parts = wraps ? stage.parts - first + last + 1 : last - first + 1;
      runs_.push_back({up ? 0 : stage.parts, static_cast<std::uint32_t>(masks_.size() / kPart),
                       static_cast<std::uint16_t>(first),
                       static_cast<std::uint16_t>(length == 0 ? 0 : std::min(parts, stage.parts))});
      add_masks(stage, start, length);
    }
  }
}

void LineLoads::add_masks(const Stage& stage, unsigned start, unsigned length) {
  for (unsigned i = 0; i < stage.parts * kPart; ++i) {
    const unsigned ahead = (i + stage.extent - start) % stage.extent;
    masks_.push_back(i < stage.extent && ahead < length ? -1 : 0);
  }
}

LineLoads::Work LineLoads::work() {
  return {stages_.size(), stages_.data(),  runs_.data(),  masks_.data(), places_.data(),
          change_.data(), touched_.data(), stamp_.data(), proposal_,     count_};
}

void LineLoads::put_down(std::span<const EntryFlow> flows, std::uint32_t here, float sign) {
#if defined(__x86_64__)
  if (!plainly_ && has_avx2()) {
    count_ = put_down_with_avx2(work(), one_part_, flows, here, sign);
    return;
  }
#endif
  count_ = put_down_plainly(work(), one_part_, flows, here, sign);
}

SmoothTime::Change LineLoads::change(const SmoothTime& time) const {
  const std::span<const std::uint32_t> touched{touched_.data(), count_};
  SmoothTime::Change change;
#if defined(__x86_64__)
  if (!plainly_ && has_avx2()) {
    add_up_with_avx2(time, load_.data(), change_.data(), touched, change);
    return change;
  }
#endif
  add_up(time, load_.data(), change_.data(), touched, change);
  return change;
}

void LineLoads::keep() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    float* const load = load_.data() + std::size_t{touched_[i]} * kPart;
    const float* const by = change_.data() + std::size_t{touched_[i]} * kPart;
    for (std::uint32_t j = 0; j < kPart; ++j) load[j] += by[j];
  }
  forget();
}

void LineLoads::forget() {
  for (std::uint32_t i = 0; i < count_; ++i)
    std::fill_n(change_.data() + std::size_t{touched_[i]} * kPart, kPart, 0.0F);
  count_ = 0;
  ++proposal_;
}

void LineLoads::mark(float load) {
  marked_.assign(stamp_.size(), 0);
  for (std::size_t link = 0; link < load_.size(); ++link) {
    if (load_[link] >= load) marked_[link / kPart] |= static_cast<std::uint8_t>(1U << link % kPart);
  }
}

// Few are marked as a rule, so that most parts are passed without looking at links.
bool LineLoads::is_marked(std::uint32_t from, std::uint32_t to) const {
  const Place* source = &places_[from * stages_.size()];
  const Place* target = &places_[to * stages_.size()];
  for (const Stage& stage : stages_) {
    const Run& run = runs_[source->row + target->at];
    const std::uint32_t line = source->from + target->to + run.back;
    std::uint32_t part = run.first;
    for (std::uint32_t i = 0; i < run.parts; ++i) {
      if (marked_[line + part] != 0) {
        const std::int32_t* goes = &masks_[(std::size_t{run.masks} + part) * kPart];
        for (std::uint32_t j = 0; j < kPart; ++j)
          if (goes[j] != 0 && (marked_[line + part] >> j & 1U) != 0) return true;
      }
      part = part + 1 == stage.parts ? 0 : part + 1;
    }
    ++source;
    ++target;
  }
  return false;
}

bool LineLoads::meets_marked(std::span<const EntryFlow> flows, std::uint32_t here) const {
  return std::any_of(flows.begin(), flows.end(), [&](const EntryFlow& flow) {
    return flow.entry != here && ((flow.out > 0 && is_marked(here, flow.entry)) ||
                                  (flow.in > 0 && is_marked(flow.entry, here)));
  });
}

void LineLoads::clear() {
  forget();
  std::fill(load_.begin(), load_.end(), 0.0F);
}

}  // namespace tofa
