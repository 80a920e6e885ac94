// SPDX-License-Identifier: BSD-3-Clause
// The table of settings: what it says is what holds, and whoever offers a setting describes it.
#include "tofa/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tofa/error.hpp"
#include "tofa/file_io.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;

const std::string kSources = TOFA_FIXTURES "/../..";

std::string problem_of(const char* name, const std::string& value) {
  for (const FrontEnd front_end : {FrontEnd::command, FrontEnd::mapper, FrontEnd::plugin}) {
    const Setting* setting = find_setting(name, front_end);
    if (setting == nullptr) continue;
    try {
      PlacementSettings settings;
      setting->set(settings, value);
      place_options(settings);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  return "no such setting";
}

TEST(Settings, DefaultsAreThoseThatHold) {
  for (const Setting& setting : all_settings()) {
    if (setting.default_value == nullptr) continue;
    PlacementSettings settings;
    setting.set(settings, setting.default_value);
    // It is told apart whether somebody has asked for that.
    if (settings.time_limit == kTimeLimit) settings.time_limit.reset();
    EXPECT_EQ(settings, PlacementSettings()) << setting.name;
  }
  const PlaceOptions options = place_options({});
  EXPECT_EQ(options.objective, PlaceOptions().objective);
  EXPECT_EQ(options.mapper, PlaceOptions().mapper);
  EXPECT_EQ(options.abort_cost, PlaceOptions().abort_cost);
  EXPECT_EQ(options.effort, PlaceOptions().effort);
  EXPECT_EQ(options.seed, PlaceOptions().seed);
  EXPECT_EQ(options.time_limit_seconds, PlaceOptions().time_limit_seconds);
}

TEST(Settings, EachIsThereOnce) {
  std::set<std::string> names, options;
  for (const Setting& setting : all_settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_TRUE(options.insert(option_name(setting)).second) << setting.name;
  }
}

TEST(Settings, ValuesAreTaken) {
  PlacementSettings settings;
  const auto set = [&](const char* name, const char* value) {
    find_setting(name, FrontEnd::mapper)->set(settings, value);
  };
  set("graph", "app");
  set("health", "");
  set("horizon", "1h");
  set("gres", "fpga:0-3+8");
  set("objective", "congestion");
  set("effort", "fast");
  set("time_limit", "0.5");
  set("strict", "yes");
  EXPECT_EQ(settings.graph, "app");
  EXPECT_EQ(settings.health, "");
  EXPECT_EQ(settings.topology, std::nullopt);
  EXPECT_EQ(settings.horizon, 3600);
  EXPECT_TRUE(settings.strict);
  const PlaceOptions options = place_options(settings);
  EXPECT_EQ(objective_name(options.objective), "congestion");
  EXPECT_EQ(options.effort, Effort::fast);
  EXPECT_EQ(options.time_limit_seconds, 0.5);
  EXPECT_EQ(options.needs, parse_resource_needs("fpga:0-3,8"));
  const InputRequest request = input_request(settings);
  EXPECT_EQ(request.graph, "app");
  EXPECT_EQ(request.horizon, 3600);
}

TEST(Settings, WrongValuesAreRefusedWithWhatIsRight) {
  for (const char* limit : {"0", "-1", "nan", "1e7", "soon", ""})
    EXPECT_THAT(problem_of("time_limit", limit),
                HasSubstr("is not a number of seconds from 0.001 to 1000000"));
  for (const char* cost : {"-1", "nan", "inf", "1e10", "much"})
    EXPECT_THAT(problem_of("abort_cost", cost), HasSubstr("is not a number from 0 to 1e9"));
  for (const char* seed : {"-1", "1.5", ""})
    EXPECT_THAT(problem_of("seed", seed), HasSubstr("is not a non-negative integer"));
  EXPECT_THAT(problem_of("horizon", "soon"), HasSubstr("\"soon\" is not a time"));
  EXPECT_THAT(problem_of("strict", "maybe"), HasSubstr("\"maybe\" is not 1 or 0"));
  EXPECT_THAT(problem_of("mapper", "scoth"), HasSubstr("did you mean scotch?"));
  EXPECT_THAT(problem_of("objective", "hopbytes"), HasSubstr("did you mean hop-bytes?"));
  EXPECT_THAT(problem_of("effort", "much"), HasSubstr("known are fast, normal, thorough"));
  EXPECT_EQ(problem_of("time_limit", "1000000"), "");
  EXPECT_EQ(problem_of("abort_cost", "0"), "");
}

TEST(Settings, FrontEndsFindWhatTheyOffer) {
  EXPECT_EQ(find_setting("spawn", FrontEnd::command), nullptr);
  EXPECT_EQ(find_setting("graph", FrontEnd::plugin), nullptr);
  EXPECT_EQ(find_setting("time_limits", FrontEnd::mapper), nullptr);
  EXPECT_EQ(option_name(*find_setting("time_limit", FrontEnd::command)), "--time-limit");
  EXPECT_EQ(option_name(*find_setting("gres", FrontEnd::command)), "--bind-gres");
}

// What users read of each front-end names all of its settings.
TEST(Settings, AreDocumented) {
  const std::string command = read_file(kSources + "/docs/man/tofa.1");
  for (const Setting* setting : settings_of(FrontEnd::command))
    EXPECT_THAT(command, HasSubstr("\n.It Fl " + option_name(*setting).substr(1)));
  const std::string mapper = read_file(kSources + "/docs/man/tofa.7");
  const std::size_t keys = mapper.find(".Ss Placing ranks");
  for (const std::string& name : setting_names(FrontEnd::mapper))
    EXPECT_THAT(mapper.substr(keys), HasSubstr(name));
  const std::string plugin = read_file(kSources + "/slurm/plugstack.conf.example");
  for (const Setting* setting : settings_of(FrontEnd::plugin))
    EXPECT_THAT(plugin, HasSubstr(setting->name + std::string(setting->is_switch() ? " " : "=")));
}

}  // namespace
}  // namespace tofa
