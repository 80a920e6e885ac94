// SPDX-License-Identifier: BSD-3-Clause
// How often the gateway is asked. In a flood of connections it ends those that deserve least, and
// an honest client that the machine kept waiting may be among them; libpmix takes that for a final
// answer and cannot be initialised twice, so each attempt executes the program anew.
#pragma once

#include <string>

namespace tofa::health {

struct Attempt {
  int number = 1;
  double seconds = 0;  // until the deadline
};

// The one that ask_again() told this program about, else the first with `deadline` seconds.
Attempt this_attempt(double deadline);

// Whether there is time for another one, and somebody listens at the URI, which is as full_uri()
// yields it. `left` is in seconds.
bool may_ask_again(const Attempt& attempt, double left, const std::string& uri);

// Returns when the program cannot be executed.
void ask_again(const Attempt& attempt, double left, char** argv);

}  // namespace tofa::health
