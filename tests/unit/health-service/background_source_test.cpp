// SPDX-License-Identifier: BSD-3-Clause
// Sources that ask somebody else: answers hold for a while, and nobody waits for who hangs.
#include "healthd/background_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "tofa/error.hpp"

namespace tofa::health::background_source_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using V = Verdict;

class Scripted final : public Oracle {
 public:
  explicit Scripted(std::function<Opinions()> answer, std::function<void()> given_up = {})
      : answer_(std::move(answer)), given_up_(std::move(given_up)) {}
  Opinions ask() override { return answer_(); }
  void give_up() override {
    if (given_up_) given_up_();
  }

 private:
  std::function<Opinions()> answer_;
  std::function<void()> given_up_;
};

constexpr double kFar = 1000;  // seconds, which no test takes

std::unique_ptr<BackgroundSource> make_source(BackgroundOptions options,
                                              std::function<Opinions()> answer,
                                              std::function<void()> given_up = {}) {
  options.source = "test";
  options.subject = "the oracle";
  return std::make_unique<BackgroundSource>(
      options, 1, std::make_unique<Scripted>(std::move(answer), std::move(given_up)));
}

// The first report of which this is true; the last one after a long time.
SourceReport wait_for(BackgroundSource& source,
                      const std::function<bool(const SourceReport&)>& condition) {
  SourceReport report;
  for (int i = 0; i < 30'000; ++i) {
    report = *source.report(-1);
    if (condition(report)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return report;
}

TEST(BackgroundSource, AnAnswerIsFreshOnceAndHolds) {
  const auto source = make_source({.period = kFar, .validity = kFar}, [] {
    return Opinions{.verdicts = {V::down}, .causes = {{0, "test: bad"}}};
  });
  const auto report = wait_for(*source, [](const auto& r) { return r.fresh; });
  EXPECT_THAT(report.verdicts, ElementsAre(V::down));
  EXPECT_EQ(report.cause_of(0), "test: bad");
  EXPECT_EQ(report.trouble, "");
  const auto later = *source->report(-1);
  EXPECT_FALSE(later.fresh);
  EXPECT_THAT(later.verdicts, ElementsAre(V::down));
}

TEST(BackgroundSource, WithoutAnAnswerItIsPendingAndSaysWhy) {
  const auto source = make_source({.period = kFar, .validity = kFar}, []() -> Opinions {
    throw Error(ErrorKind::unavailable, "nobody is there");
  });
  const auto report = wait_for(*source, [](const auto& r) { return !r.trouble.empty(); });
  EXPECT_THAT(report.trouble, HasSubstr("no node states from the oracle: nobody is there"));
  EXPECT_TRUE(report.pending);
  EXPECT_THAT(report.verdicts, ElementsAre(V::unknown));
}

TEST(BackgroundSource, TheLastAnswerGrowsOld) {
  std::atomic<bool> first = true;
  const auto source = make_source({.period = 0.01, .validity = 1}, [&]() -> Opinions {
    if (first.exchange(false)) return {.verdicts = {V::up}};
    throw Error(ErrorKind::unavailable, "gone");
  });
  EXPECT_THAT(wait_for(*source, [](const auto& r) { return r.fresh; }).verdicts,
              ElementsAre(V::up));
  const auto old = wait_for(*source, [](const auto& r) { return r.verdicts[0] == V::unknown; });
  EXPECT_THAT(old.verdicts, ElementsAre(V::unknown));
  EXPECT_FALSE(old.pending) << "outages of others may end";
  EXPECT_THAT(old.trouble, HasSubstr("gone"));
}

// Ends with the time limit of the test when somebody waits.
TEST(BackgroundSource, NobodyWaitsForWhoHangs) {
  struct Gate {
    std::atomic<bool> open = false;
    std::atomic<bool> given_up = false;
    std::atomic<bool> left = false;
  };
  const auto gate = std::make_shared<Gate>();
  auto source = make_source(
      {.period = 0.01, .timeout = 0.01, .validity = kFar},
      [gate]() -> Opinions {
        while (!gate->open) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        gate->left = true;
        return {.verdicts = {V::up}};
      },
      [gate] { gate->given_up = true; });
  const auto report = wait_for(*source, [](const auto& r) { return !r.trouble.empty(); });
  EXPECT_THAT(report.trouble, HasSubstr("no answer within 0.01 s"));
  EXPECT_TRUE(gate->given_up);
  source.reset();
  EXPECT_FALSE(gate->left);
  gate->open = true;
  for (int i = 0; i < 30'000 && !gate->left; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(gate->left);
}

}  // namespace
}  // namespace tofa::health::background_source_test
