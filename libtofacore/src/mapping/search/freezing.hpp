// SPDX-License-Identifier: BSD-3-Clause
// Between which temperatures an arrangement freezes. What that is depends on the traffic and the
// machine, by orders of magnitude where weights have heavy tails: so it is measured, in a quick
// anneal of many temperatures, and temperatures are then asked for by how much of the cost is gone.
#pragma once

#include <vector>

namespace tofa {

class Freezing {
 public:
  // `costs[i]` is the mean cost of arrangements met at `temperatures[i]`; these fall, are greater
  // than 0, and there are at least two. `stirring` and `hurry` see below.
  Freezing(std::vector<double> temperatures, std::vector<double> costs, double stirring = 0,
           double hurry = 0);

  // The temperature at which this share, 0 to 1, of what cooling saves is saved. Between measured
  // ones by interpolation; it falls as the share grows.
  double temperature(double share) const;

  // The temperature at which one of ten moves would be made from the arrangement that was measured.
  // In a hurry nothing melts, and what saves most of that seems to be far below.
  double stirring() const { return stirring_; }
  // How little the measurement is to be trusted beside that, from 0 to 1.
  double hurry() const { return hurry_; }

  // The share that an arrangement of this cost, in the same units, has saved; over 1 where it costs
  // less than all that was met.
  double share_saved(double cost) const;

 private:
  double stirring_;
  double hurry_;
  double highest_;  // cost
  double drop_;     // from there to the last
  std::vector<double> temperatures_;
  std::vector<double> saved_;  // share of the savings at each of them; rises from 0 to 1
};

}  // namespace tofa
