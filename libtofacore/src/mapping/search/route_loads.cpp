// SPDX-License-Identifier: BSD-3-Clause
// Link by link: see route_loads.hpp.
#include "mapping/search/route_loads.hpp"

#include <algorithm>

namespace tofa {

RouteLoads::RouteLoads(const Topology& topology, const SeatPlan& plan)
    : routes_(topology, plan),
      load_(topology.links()),
      change_(topology.links()),
      stamp_(topology.links()) {
  const LinkCosts* costs = topology.link_costs();
  if (costs == nullptr) return;
  ease_.reserve(load_.size());
  for (const double cost : costs->costs()) ease_.push_back(static_cast<float>(1 / cost));
}

void RouteLoads::send(std::uint32_t from, std::uint32_t to, float amount) {
  for (const Link link : routes_.route(from, to)) {
    if (stamp_[link] != proposal_) {
      stamp_[link] = proposal_;
      touched_.push_back(link);
    }
    change_[link] += ease_.empty() ? amount : amount / ease_[link];
  }
}

void RouteLoads::put_down(std::span<const Flow> flows, Rank except, const std::uint32_t* entry_of,
                          std::uint32_t here, float sign) {
  for (const Flow& flow : flows) {
    const std::uint32_t there = entry_of[flow.partner];
    if (flow.partner == except || there == here) continue;
    if (flow.out > 0) send(here, there, sign * flow.out);
    if (flow.in > 0) send(there, here, sign * flow.in);
  }
}

SmoothTime::Change RouteLoads::change(const SmoothTime& time) const {
  SmoothTime::Change change;
  for (const Link link : touched_) {
    time.add(load_[link], change_[link], ease_.empty() ? 1.0F : ease_[link], change.squares,
             change.powers);
  }
  return change;
}

void RouteLoads::keep() {
  for (const Link link : touched_) load_[link] += change_[link];
  forget();
}

void RouteLoads::forget() {
  for (const Link link : touched_) change_[link] = 0;
  touched_.clear();
  ++proposal_;
}

void RouteLoads::clear() {
  forget();
  std::fill(load_.begin(), load_.end(), 0.0F);
}

}  // namespace tofa
