// SPDX-License-Identifier: BSD-3-Clause
// Two lanes of work side by side. What each lane does is fixed beforehand and lanes share nothing
// they write, so that the outcome does not depend on how they are scheduled, or on whether the
// machine has one core or many.
#pragma once

#include <functional>
#include <memory>

namespace tofa {

inline constexpr unsigned kLanes = 2;

// Runs `work(0)` to `work(kLanes - 1)`, in threads where those can be had. An exception of a lane
// is rethrown here, once all lanes have ended.
void run_lanes(const std::function<void(unsigned lane)>& work);

// The same, but one lane after the other where the work is not worth a second thread.
void run_lanes_if(bool worth_a_thread, const std::function<void(unsigned lane)>& work);

class LaneThread;

// While one of these lives, lanes that are run by the thread that made it share a second thread
// instead of starting one every time: a search meets a hundred times in as many milliseconds. That
// thread has ended when this has.
class KeptLanes {
 public:
  KeptLanes();
  ~KeptLanes();
  KeptLanes(const KeptLanes&) = delete;
  KeptLanes& operator=(const KeptLanes&) = delete;

 private:
  std::unique_ptr<LaneThread> thread_;
  LaneThread* before_;
};

}  // namespace tofa
