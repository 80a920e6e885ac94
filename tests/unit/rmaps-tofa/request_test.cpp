// SPDX-License-Identifier: BSD-3-Clause
// The text of a request: which keys are taken, and what is left for the runtime.
#include "request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <span>
#include <string>

#include "keys.h"

namespace tofa::request_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::span<const tofa_key> keys() {
  size_t count = 0;
  const tofa_key* first = tofa_all_keys(&count);
  return {first, count};
}

class Request : public ::testing::Test {
 protected:
  ~Request() override { tofa_settings_clear(&settings_); }

  void parse(const char* policy) {
    char* stock = nullptr;
    char* error = tofa_request_parse(policy, &settings_, &stock);
    error_ = error ? error : "";
    stock_ = stock ? stock : "";
    std::free(error);
    std::free(stock);
  }
  std::string value(const char* key) const {
    const char* found = tofa_settings_get(&settings_, key);
    return found ? found : "(none)";
  }

  tofa_settings settings_ = {nullptr, 0};
  std::string error_, stock_;
};

TEST_F(Request, RecognisesItsOwnPolicyOnly) {
  EXPECT_TRUE(tofa_request_matches("tofa"));
  EXPECT_TRUE(tofa_request_matches("TOFA:PE=2"));
  EXPECT_FALSE(tofa_request_matches("tofu"));
  EXPECT_FALSE(tofa_request_matches("tofax"));
  EXPECT_FALSE(tofa_request_matches("tof"));
  EXPECT_FALSE(tofa_request_matches(nullptr));
}

TEST_F(Request, BareNameIsSlot) {
  parse("tofa");
  EXPECT_EQ(error_, "");
  EXPECT_EQ(stock_, "slot");
  EXPECT_EQ(settings_.count, 0u);
}

TEST_F(Request, TakesItsKeysAndLeavesStockModifiers) {
  parse("tofa:graph=app,PE=2,topology=t.toml,OVERSUBSCRIBE,seed=7,span");
  EXPECT_EQ(error_, "");
  EXPECT_EQ(stock_, "slot:PE=2,OVERSUBSCRIBE,span");
  EXPECT_EQ(value("graph"), "app");
  EXPECT_EQ(value("topology"), "t.toml");
  EXPECT_EQ(value("seed"), "7");
}

TEST_F(Request, ValuesMayContainColonsAndEqualSigns) {
  parse("tofa:health=tofa-health.0;tcp4://127.0.0.1:7412,graph=a=b");
  EXPECT_EQ(error_, "");
  EXPECT_EQ(value("health"), "tofa-health.0;tcp4://127.0.0.1:7412");
  EXPECT_EQ(value("graph"), "a=b");
}

TEST_F(Request, SwitchesNeedNoValueOthersDo) {
  parse("tofa:strict,report=0");
  EXPECT_EQ(error_, "");
  EXPECT_EQ(value("strict"), "1");
  EXPECT_EQ(value("report"), "0");
  parse("tofa:graph");
  EXPECT_THAT(error_, HasSubstr("\"graph\" needs a value"));
}

TEST_F(Request, EmptyItemsMeanNothing) {
  parse("tofa:,graph=,");
  EXPECT_EQ(error_, "");
  EXPECT_EQ(stock_, "slot");
  EXPECT_EQ(value("graph"), "");
}

TEST_F(Request, LastValueWins) {
  parse("tofa:seed=1,seed=2");
  EXPECT_EQ(value("seed"), "2");
}

TEST_F(Request, UnknownKeyNamesTheKnownOnes) {
  parse("tofa:grpah=app");
  EXPECT_THAT(error_, HasSubstr("--map-by tofa:grpah=app: unknown key \"grpah\""));
  EXPECT_THAT(error_, HasSubstr("did you mean graph?"));
  for (const tofa_key& key : keys()) EXPECT_THAT(error_, HasSubstr(key.name));
  EXPECT_THAT(error_, HasSubstr("PE=N"));
  parse("tofa:sideways");
  EXPECT_THAT(error_, HasSubstr("unknown key \"sideways\""));
  EXPECT_THAT(error_, Not(HasSubstr("did you mean")));
}

TEST_F(Request, WrongValueSaysWhatIsRight) {
  parse("tofa:time_limit=soon");
  EXPECT_THAT(error_, HasSubstr("time_limit=\"soon\" is not a number of seconds"));
  parse("tofa:mapper=best");
  EXPECT_THAT(error_, HasSubstr("scotch"));
  parse("tofa:objective=fast");
  EXPECT_THAT(error_, HasSubstr("hop-bytes"));
  parse("tofa:strict=maybe");
  EXPECT_THAT(error_, HasSubstr("strict=\"maybe\" is not 1 or 0"));
  parse("tofa:seed=-1");
  EXPECT_THAT(error_, HasSubstr("non-negative"));
}

TEST_F(Request, EveryKeyIsKnownToThePlannerWithItsDefault) {
  for (const tofa_key& key : keys()) {
    const char* value = key.default_value;
    const std::string name = key.name;
    const char* example = name == "horizon" ? "1h" : name == "log" ? "syslog" : "x=1";
    char* wrong = tofa_check_setting(key.name, value != nullptr ? value : example);
    EXPECT_EQ(wrong, nullptr) << wrong;
    std::free(wrong);
  }
}

}  // namespace
}  // namespace tofa::request_test
