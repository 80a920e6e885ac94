// SPDX-License-Identifier: BSD-3-Clause
// The true metrics of a seating, kept up to date swap by swap: loads of all links with their
// maximum, hop-bytes, and which suspect nodes hold or forward traffic.
#pragma once

#include <limits>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/search/route_table.hpp"
#include "mapping/seats/seating.hpp"

namespace tofa {

// Values in a binary tree of maxima: an update costs the logarithm of their number, the maximum
// nothing.
class MaxTree {
 public:
  explicit MaxTree(std::size_t values);
  double max() const { return tree_[1]; }
  double value(std::size_t index) const { return tree_[leaves_ + index]; }
  void add(std::size_t index, double amount);

 private:
  std::size_t leaves_;
  std::vector<double> tree_;
};

class LinkState {
 public:
  LinkState(const MappingTask& task, const SeatPlan& plan, Seating& seating);

  // Swaps in the seating, to a seat other than the rank's own, and answers what the objective says
  // afterwards; once that is sure to be above `ceiling`, any number above it. Must be followed by
  // keep(), unless the answer is above the ceiling, or undo(), which restores the state exactly:
  // loads are sums of whole bytes, or of 64ths where links differ, which doubles hold exactly, and
  // their squares are remembered.
  double propose(Rank rank, Seat target, double ceiling = std::numeric_limits<double>::infinity());
  void keep();
  void undo();

  double hop_bytes() const { return sums_.hop_bytes; }
  // What the objective says of evaluate(...), up to rounding.
  double cost() const { return value(load_.max(), sums_.squared_load); }

 private:
  struct Sums {
    double hop_bytes = 0;
    double pair_cost = 0;
    double squared_load = 0;
    double fault_cost = 0;
    double survival_exponent = 0;  // log of the product of (1 - p) over touched nodes
  };

  void account(Rank rank, Rank except, int sign);
  void account_both(Rank rank, Rank other, int sign);
  void send(std::uint32_t from, std::uint32_t to, Bytes sent, Bytes exchanged, int sign);
  void hold(Node node, int sign);
  void touch(std::uint32_t vertex, int sign);
  void note_touch(std::uint32_t vertex, int sign);
  void change_load(Link link, double amount) {
    if (stamp_[link] != proposal_) {
      stamp_[link] = proposal_;
      pending_[link] = 0;
      changed_.push_back(link);
    }
    pending_[link] += costs_ == nullptr ? amount : amount * costs_->cost(link);
  }
  void apply_changes();
  void settle();
  // What a change of the load of a link by `change` adds to the sum of squares.
  double squared_change(Link link, double load, double change) const {
    const double squares = change * (2 * load + change);
    return costs_ == nullptr ? squares : squares / costs_->cost(link);
  }
  double value(double max_load, double squared_load) const;

  const MappingTask& task_;
  const SeatPlan& plan_;
  Seating& seating_;
  FaultWeights weights_;
  const LinkCosts* costs_;  // null where links are alike
  MaxTree load_;            // times what the link costs
  Sums sums_;
  bool count_fault_cost_;
  std::vector<double> log_survival_;  // by node; empty when none is suspect
  std::vector<std::uint32_t> touches_;
  std::size_t touched_suspects_ = 0;
  RouteTable routes_;

  // The swap under discussion. Most are rejected, so loads are not touched before they must be.
  Rank moved_ = kNoRank;
  Seat came_from_ = 0;
  struct Touch {
    std::uint32_t vertex;
    int sign;
  };
  Sums before_;
  bool applied_ = false;         // whether the loads have changed already
  std::vector<Link> changed_;    // links with a pending change, each once
  std::vector<double> pending_;  // by link, where its stamp is that of this proposal
  std::vector<std::uint32_t> stamp_;
  std::uint32_t proposal_ = 1;
  std::vector<Touch> touched_;  // in order
};

}  // namespace tofa
