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

void RouteLoads::put_down(std::span<const EntryFlow> flows, std::uint32_t here, float sign) {
  for (const auto& [there, out, in] : flows) {
    if (there == here) continue;
    if (out != 0) send(here, there, sign * out);
    if (in != 0) send(there, here, sign * in);
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

bool RouteLoads::is_marked(std::uint32_t from, std::uint32_t to) {
  const std::span<const Link> route = routes_.route(from, to);
  return std::any_of(route.begin(), route.end(),
                     [this](Link link) { return load_[link] >= marked_from_; });
}

bool RouteLoads::meets_marked(std::span<const EntryFlow> flows, std::uint32_t here) {
  return std::any_of(flows.begin(), flows.end(), [&](const EntryFlow& flow) {
    return flow.entry != here && ((flow.out > 0 && is_marked(here, flow.entry)) ||
                                  (flow.in > 0 && is_marked(flow.entry, here)));
  });
}

void RouteLoads::clear() {
  forget();
  std::fill(load_.begin(), load_.end(), 0.0F);
}

}  // namespace tofa
