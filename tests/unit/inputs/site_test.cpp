// SPDX-License-Identifier: BSD-3-Clause
// Site defaults: the environment before the file, a missing file is fine, a malformed one is not.
#include "tofa/site.hpp"

#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/health_query.hpp"

namespace tofa {
namespace {

using test::error_of;
using test::ScratchDirectory;
using testing::HasSubstr;

class SiteDefaultsTest : public testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }

  static void clear() {
    for (const char* name :
         {"TOFA_TOPOLOGY", "TOFA_OUTAGES", "TOFA_HEALTH", "TOFA_HEALTH_KEY", "TOFA_HEALTH_KEY_USER",
          "TOFA_HEALTH_MAX_AGE", "TOFA_LINK_LOAD", "TOFA_SITE_FILE"}) {
      ::unsetenv(name);
    }
  }

  void use_site_file(const std::string& text) {
    ::setenv("TOFA_SITE_FILE", scratch_.write("tofa.toml", text).c_str(), 1);
  }

  ScratchDirectory scratch_;
};

TEST_F(SiteDefaultsTest, MissingFileIsFine) {
  ::setenv("TOFA_SITE_FILE", (scratch_ / "none").c_str(), 1);
  EXPECT_EQ(load_site_defaults().topology, "");
}

TEST_F(SiteDefaultsTest, EnvironmentWins) {
  use_site_file(
      "topology = \"/a.toml\"\noutages = \"b.txt\"\nhealth = \"10.0.0.1:7000\"\n[healthd]\nx = "
      "1\n");
  ::setenv("TOFA_TOPOLOGY", "/env.toml", 1);
  const SiteDefaults defaults = load_site_defaults();
  EXPECT_EQ(defaults.topology, "/env.toml");
  EXPECT_EQ(defaults.outages, scratch_ / "b.txt");
  EXPECT_EQ(defaults.health, "10.0.0.1:7000");
}

TEST_F(SiteDefaultsTest, SaysWhatIsWrong) {
  use_site_file("\ntopolgy = \"x\"\n");
  EXPECT_THAT(error_of([] { load_site_defaults(); }),
              HasSubstr("tofa.toml:2: unknown key \"topolgy\""));
  use_site_file("health = 7\n");
  EXPECT_THAT(error_of([] { load_site_defaults(); }),
              HasSubstr("tofa.toml:1: health must be a string"));
  use_site_file("health = \n");
  EXPECT_THAT(error_of([] { load_site_defaults(); }), HasSubstr("tofa.toml:1: "));
  use_site_file("health_key = 7\n");
  EXPECT_THAT(error_of([] { load_site_defaults(); }), HasSubstr("health_key must be a string"));
  use_site_file("health = \"\xff\"\n");
  EXPECT_THAT(error_of([] { load_site_defaults(); }), HasSubstr("not text"));
}

TEST_F(SiteDefaultsTest, SayWhoIsTrusted) {
  use_site_file("health_key = \"health.pub\"\nhealth_max_age = 60\n");
  const HealthQuery query = trusted_by(load_site_defaults(), {.uri = "10.0.0.1:7000"});
  EXPECT_EQ(query.uri, "10.0.0.1:7000");
  EXPECT_EQ(query.key, scratch_ / "health.pub");
  EXPECT_EQ(query.max_signature_age_seconds, 60);
  ::setenv("TOFA_HEALTH_KEY", "none", 1);
  EXPECT_EQ(trusted_by(load_site_defaults(), {.uri = "u"}).key, "");
  for (const char* age : {"0", "x", "-3", "1e9", "nan"}) {
    ::setenv("TOFA_HEALTH_MAX_AGE", age, 1);
    EXPECT_THAT(error_of([] { trusted_by(load_site_defaults(), {.uri = "u"}); }),
                HasSubstr("TOFA_HEALTH_MAX_AGE: health_max_age is"))
        << age;
  }
}

TEST_F(SiteDefaultsTest, MungeIsNoFile) {
  for (const std::string key : {"munge", "munge:/run/munge/socket"}) {
    use_site_file("health_key = \"" + key + "\"\nhealth_key_user = 990\n");
    const HealthQuery query = trusted_by(load_site_defaults(), {.uri = "u"});
    EXPECT_EQ(query.key, key);
    EXPECT_EQ(query.key_user, "990");
  }
  use_site_file("health_key = \"munge.pub\"\nhealth_key_user = \"tofa\"\n");
  const HealthQuery query = trusted_by(load_site_defaults(), {.uri = "u"});
  EXPECT_EQ(query.key, scratch_ / "munge.pub");
  EXPECT_EQ(query.key_user, "tofa");
}

TEST_F(SiteDefaultsTest, TrustAnybodyWhereNothingIsSet) {
  ::setenv("TOFA_SITE_FILE", (scratch_ / "none").c_str(), 1);
  const HealthQuery query = trusted_by(load_site_defaults(), {.uri = "u"});
  EXPECT_EQ(query.key, "");
  EXPECT_EQ(query.max_signature_age_seconds, 300);
}

}  // namespace
}  // namespace tofa
