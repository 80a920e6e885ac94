// SPDX-License-Identifier: BSD-3-Clause
// The loads of a grid's links, line by line: a route is one straight run for each dimension, and a
// run changes a few neighbouring links of a line, eight of them at once. What a move changes is put
// down beside the loads first, since most moves are not made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/search/flows.hpp"
#include "mapping/search/smooth_time.hpp"
#include "mapping/seats/seat_plan.hpp"

namespace tofa {

class LineLoads {
 public:
  // Whether routes are straight runs, of links that are alike, along lines of moderate length.
  static bool serves(const Topology& topology);
  // Nothing where it does not serve. `plainly`: with no more than what
  // all processors of a kind have, for tests; loads are the same to the last bit.
  static std::optional<LineLoads> of(const Topology& topology, const SeatPlan& plan,
                                     bool plainly = false);

  // Puts down that `here` exchanges so much more (sign 1) or less (-1) with other entries; what
  // stays there needs no link.
  void put_down(std::span<const EntryFlow> flows, std::uint32_t here, float sign);
  // What that comes to, all in all.
  SmoothTime::Change change(const SmoothTime& time) const;
  // Loads become what was put down, or it is forgotten.
  void keep();
  void forget();

  // Marks all links that carry so much now.
  void mark(float load);
  // Whether any of that goes along a marked link, between `here` and other entries.
  bool meets_marked(std::span<const EntryFlow> flows, std::uint32_t here) const;

  LoadSums sums() const { return sums_of_loads(load_); }
  void clear();

 private:
  // How a route crosses a dimension.
  struct Run {
    std::uint32_t back;   // parts of the links that lead the other way, which come first
    std::uint32_t masks;  // where those of its parts begin
    std::uint16_t first;  // part of the line that holds its start
    std::uint16_t parts;  // that it may touch; they may go on at the other end of the line
  };
  struct Stage {
    unsigned extent;
    unsigned parts;  // of a line, one way
  };
  // What an entry adds to the numbers of what a route uses, by stage.
  struct Place {
    std::uint32_t row;   // of runs, where the route begins there
    std::uint32_t at;    // in that row, where it ends there
    std::uint32_t from;  // of parts, where the route begins there
    std::uint32_t to;    // of parts, where it ends there
  };
  // All that the inner loop works with.
  struct Work;

  LineLoads(const Topology& topology, const SeatPlan& plan);
  void add_runs(const Topology& topology, unsigned dimension, const Stage& stage);
  void add_masks(const Stage& stage, unsigned start, unsigned length);
  Work work();
  bool is_marked(std::uint32_t from, std::uint32_t to) const;  // the way

  std::vector<Stage> stages_;
  std::vector<Run> runs_;
  std::vector<std::int32_t> masks_;  // by part of a run, ones where it goes
  std::vector<Place> places_;        // by entry and stage
  bool one_part_ = true;             // whether every line has one part only
  bool plainly_ = false;
  std::vector<float> load_;
  std::vector<float> change_;
  std::vector<std::uint32_t> touched_;  // parts with something put down, each once
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t proposal_ = 1;
  std::vector<std::uint8_t> marked_;  // by part, a bit for each of its links
};

}  // namespace tofa
