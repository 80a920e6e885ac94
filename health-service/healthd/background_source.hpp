// SPDX-License-Identifier: BSD-3-Clause
// What sources have in common that ask somebody else once in a while: that is done by a thread of
// their own and with a deadline, so that whoever hangs never holds up heartbeats. What was said
// last stays valid while nobody answers, but not for long; after that such a source has no opinion,
// and says why.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "healthd/source.hpp"

namespace tofa::health {

// Of all hosts, at one time.
struct Opinions {
  std::vector<Verdict> verdicts;  // one per host
  std::unordered_map<std::size_t, std::string> causes = {};
  std::vector<double> booted = {};  // as in SourceReport
  std::string remark = {};          // what was passed over, for the admin; empty: nothing
};

// Whoever is asked.
class Oracle {
 public:
  virtual ~Oracle() = default;
  // In the thread. Throws an exception that says why there is no answer.
  virtual Opinions ask() = 0;
  // In any thread: ask() took too long, or nobody wants its answer any more; it is to end soon.
  virtual void give_up() {}
};

struct BackgroundOptions {
  std::string source = {};   // as in SourceReport
  std::string subject = {};  // of messages, e.g. "Prometheus at http://..."
  double period = 10;        // seconds from one question to the next
  double timeout = 5;        // seconds that an answer may take
  double validity = 30;      // seconds for which the last answer holds while there is no other
};

class BackgroundSource final : public HealthSource {
 public:
  BackgroundSource(BackgroundOptions options, std::size_t hosts, std::unique_ptr<Oracle> oracle);
  BackgroundSource(const BackgroundSource&) = delete;
  BackgroundSource& operator=(const BackgroundSource&) = delete;
  // Leaves the thread to itself where ask() does not end soon, as on a file system that hangs: a
  // new configuration must not stop heartbeats.
  ~BackgroundSource() override;

  std::optional<SourceReport> report(int interrupt) override;

 private:
  struct State;  // which the thread shares

  const std::size_t hosts_;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace tofa::health
