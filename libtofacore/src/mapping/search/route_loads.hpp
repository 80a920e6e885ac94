// SPDX-License-Identifier: BSD-3-Clause
// The loads of links on any machine, link by link along routes: what LineLoads is for grids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/search/flows.hpp"
#include "mapping/search/route_table.hpp"
#include "mapping/search/smooth_time.hpp"

namespace tofa {

// See LineLoads for what it does. Loads are times what the link costs.
class RouteLoads {
 public:
  RouteLoads(const Topology& topology, const SeatPlan& plan);

  void put_down(std::span<const EntryFlow> flows, std::uint32_t here, float sign);
  SmoothTime::Change change(const SmoothTime& time) const;
  void keep();
  void forget();

  // To be asked before anything else is put down.
  void mark(float load) { marked_from_ = load; }
  bool meets_marked(std::span<const EntryFlow> flows, std::uint32_t here);

  LoadSums sums() const { return sums_of_loads(load_, ease_); }
  void clear();

 private:
  void send(std::uint32_t from, std::uint32_t to, float amount);
  bool is_marked(std::uint32_t from, std::uint32_t to);  // the way

  RouteTable routes_;
  std::vector<float> ease_;  // by link; empty where links are alike
  std::vector<float> load_;
  std::vector<float> change_;
  std::vector<Link> touched_;  // links with something put down, each once
  std::vector<std::uint32_t> stamp_;
  std::uint32_t proposal_ = 1;
  float marked_from_ = 0;  // load
};

}  // namespace tofa
