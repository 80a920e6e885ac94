// SPDX-License-Identifier: BSD-3-Clause
// The configuration of tofa-healthd: what it may say, and that every mistake is named with its
// line.
#include "healthd/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa::health::config_test {
namespace {

using ::testing::HasSubstr;

std::string mistake(const std::string& text) {
  return test::error_of([&] { parse_config(text, "healthd.toml"); });
}

TEST(HealthdConfig, NothingIsDrainedUnlessItSaysSo) {
  const std::string slurm = "[hosts]\nlist = \"a\"\n[slurm]\nenabled = true\n";
  EXPECT_EQ(parse_config(slurm, "f").drain.mode, DrainMode::never);
  EXPECT_EQ(parse_config(slurm + "drain = \"never\"\n", "f").drain.mode, DrainMode::never);
  EXPECT_EQ(parse_config(slurm + "drain = \"show\"\n", "f").drain.mode, DrainMode::show);
  EXPECT_EQ(parse_config(slurm + "drain = \"do\"\n", "f").drain.mode, DrainMode::act);
}

TEST(HealthdConfig, ReadsEverything) {
  const HealthdConfig config = parse_config(R"(
[poll]
period = 2
timeout = 0.25
key = "/etc/tofa/heartbeat.key"
[estimate]
method = "moving-average"
window = 50
half_life = 7.5
floor = 0.01
down_after = 5
[network]
share = 0.3
patience = 60
topology = "/etc/tofa/topology.toml"
[classes]
old = "n[08-09]"
[state]
database = "/tmp/a.db"
snapshot = "/tmp/a.json"
history_days = 7
save = 1.5
[hosts]
list = "n[08-10]"
address = "%h.mgmt"
port = 9000
[[host]]
name = "n09"
address = "10.0.0.9:7000"
[[host]]
name = "login"
)",
                                            "healthd.toml");
  EXPECT_EQ(config.period, 2);
  EXPECT_EQ(config.timeout, 0.25);
  EXPECT_EQ(config.heartbeat_key, "/etc/tofa/heartbeat.key");
  EXPECT_EQ(config.estimator.method, "moving-average");
  EXPECT_EQ(config.estimator.window, 50);
  EXPECT_EQ(config.estimator.half_life, 7.5);
  EXPECT_EQ(config.floor, 0.01);
  EXPECT_EQ(config.down_after, 5);
  EXPECT_EQ(config.network.share, 0.3);
  EXPECT_EQ(config.network.patience, 60);
  EXPECT_EQ(config.network.topology, "/etc/tofa/topology.toml");
  EXPECT_EQ(config.hosts[1].host_class, "old");
  EXPECT_EQ(config.hosts[2].host_class, "");
  EXPECT_EQ(config.database, "/tmp/a.db");
  EXPECT_EQ(config.snapshot, "/tmp/a.json");
  EXPECT_EQ(config.history_days, 7);
  EXPECT_EQ(config.save, 1.5);
  std::vector<std::string> hosts;
  for (const HostConfig& host : config.hosts) {
    hosts.push_back(host.name + "=" + host.address.host + ":" + std::to_string(host.address.port));
  }
  EXPECT_THAT(hosts, ::testing::ElementsAre("n08=n08.mgmt:9000", "n09=10.0.0.9:7000",
                                            "n10=n10.mgmt:9000", "login=login.mgmt:9000"));
}

TEST(HealthdConfig, HostsAreEnough) {
  const HealthdConfig config = parse_config("[hosts]\nlist = \"n[1-3]\"", "healthd.toml");
  EXPECT_EQ(config.hosts.size(), 3);
  EXPECT_EQ(config.hosts[2].address.host, "n3");
  EXPECT_EQ(config.hosts[2].address.port, 7411);
  EXPECT_EQ(config.estimator.method, "gamma");
  EXPECT_EQ(config.estimator.half_life_days, 180);
}

TEST(HealthdConfig, NamesEveryMistakeWithItsLine) {
  const std::string hosts = "[hosts]\nlist = \"n1\"\n";
  EXPECT_THAT(mistake("x = ["), HasSubstr("healthd.toml:1: "));
  EXPECT_THAT(
      mistake(hosts + "[poll]\nperid = 1\n"),
      HasSubstr(
          "healthd.toml:4: [poll] perid: unknown key; known are: period, timeout, heartbeats, key"));
  EXPECT_THAT(
      mistake(hosts + "[pol]\n"),
      HasSubstr("healthd.toml:3: unknown section \"pol\"; known are: [poll], [slurm], [folder], "
                "[prometheus], [estimate], [network], [state], [control], [classes], "
                "[hosts], [[host]]"));
  EXPECT_THAT(mistake(hosts + "[poll]\nperiod = \"1\"\n"),
              HasSubstr(":4: [poll] period: a number"));
  EXPECT_THAT(mistake(hosts + "[poll]\nperiod = nan\n"),
              HasSubstr(":4: [poll] period: nan is outside"));
  EXPECT_THAT(mistake(hosts + "[poll]\nperiod = 0\n"),
              HasSubstr(":4: [poll] period: 0 is outside"));
  EXPECT_THAT(mistake(hosts + "[poll]\nperiod = 301\n"),
              HasSubstr(":4: [poll] period: 301 is outside"));
  EXPECT_THAT(mistake(hosts + "[poll]\n\ntimeout = 3\n"),
              HasSubstr(":5: [poll] timeout: 3 s is longer"));
  EXPECT_THAT(mistake(hosts + "[classes]\ngpu = 1\n"), HasSubstr(":4: [classes] gpu: write gpu ="));
  EXPECT_THAT(mistake(hosts + "[classes]\ngpu = \"stranger\"\n"),
              HasSubstr(":4: [classes] gpu: no host \"stranger\" is configured"));
  EXPECT_THAT(mistake(hosts + "[classes]\ngpu = \"n[\"\n"), HasSubstr(":4: [classes] gpu: "));
  EXPECT_THAT(mistake("[hosts]\nlist = \"n1\"\n[classes]\na = \"n1\"\nb = \"n1\"\n"),
              HasSubstr(":5: [classes] b: host \"n1\" is in class \"a\" already"));
  EXPECT_THAT(mistake(hosts + "[estimate]\nmethod = \"guess\"\n"),
              HasSubstr(":4: [estimate] method: unknown estimation method \"guess\"; known are"));
  EXPECT_THAT(mistake(hosts + "[estimate]\ndown_after = 1.5\n"),
              HasSubstr(":4: [estimate] down_after: a whole"));
  EXPECT_THAT(mistake(hosts + "[estimate]\nwindow = -1\n"),
              HasSubstr(":4: [estimate] window: -1 is outside"));
  EXPECT_THAT(mistake(hosts + "[state]\ndatabase = \"\"\n"),
              HasSubstr(":4: [state] database: must not be empty"));
  EXPECT_THAT(mistake("poll = 1\n" + hosts), HasSubstr("healthd.toml:1: \"poll\" is not a table"));
  EXPECT_THAT(mistake("host = 1\n" + hosts), HasSubstr("healthd.toml:1: \"host\" is not an array"));
}

TEST(HealthdConfig, TheControlSocketIsOffUnlessNamed) {
  const std::string hosts = "[hosts]\nlist = \"n1\"\n";
  EXPECT_EQ(parse_config(hosts, "healthd.toml").control, ControlConfig());
  EXPECT_EQ(parse_config(hosts + "[control]\nsocket = \"/run/s\"\ngroup = \"g\"\n", "h").control,
            (ControlConfig{"/run/s", "g"}));
  EXPECT_THAT(mistake(hosts + "[control]\nsocket = \"s\"\n"),
              HasSubstr(":4: [control] socket: a path from /"));
  EXPECT_THAT(mistake(hosts + "[control]\nsocket = \"/" + std::string(100, 'x') + "\"\n"),
              HasSubstr("at most 100 bytes"));
  EXPECT_THAT(mistake(hosts + "[control]\ngroup = \"g\"\n"),
              HasSubstr(":4: [control] group: there is no socket"));
  EXPECT_THAT(mistake(hosts + "[control]\nmode = 1\n"), HasSubstr("mode: unknown key"));
}

TEST(HealthdConfig, SourcesAreHeartbeatsUnlessSwitchedOtherwise) {
  const auto sources = [](const std::string& text) {
    return parse_config("[hosts]\nlist = \"n1\"\n" + text, "healthd.toml").sources.size();
  };
  EXPECT_EQ(sources(""), 1);
  EXPECT_EQ(sources("[slurm]\nsinfo = \"/opt/slurm/bin/sinfo\"\n"), 1);
  EXPECT_EQ(sources("[slurm]\nenabled = true\ninterval = 30\ntimeout = 20\n"), 2);
  EXPECT_EQ(sources("[slurm]\nenabled = true\nlibslurm = false\n"), 2);
  EXPECT_EQ(sources("[slurm]\nenabled = true\nprogram = \"/opt/tofa-slurm-nodes\"\n"), 2);
  EXPECT_EQ(sources("[slurm]\nenabled = true\n[poll]\nheartbeats = false\n"), 1);
  const std::string hosts = "[hosts]\nlist = \"n1\"\n";
  EXPECT_THAT(mistake(hosts + "[poll]\nheartbeats = false\n"),
              HasSubstr("healthd.toml:3: no source of health is switched on; set [poll]"));
  EXPECT_THAT(mistake(hosts + "[slurm]\ndrain = \"show\"\n"),
              HasSubstr(":4: [slurm] drain: needs enabled = true and libslurm = true"));
  const std::string drain = hosts + "[slurm]\nenabled = true\ndrain = ";
  EXPECT_THAT(mistake(drain + "\"always\"\n"), HasSubstr("\"never\", \"show\" or \"do\""));
  EXPECT_THAT(mistake(drain + "\"do\"\ndrain_above = 0.3\nresume_below = 0.4\n"),
              HasSubstr(":7: [slurm] resume_below: must not be above drain_above"));
  EXPECT_THAT(mistake(drain + "\"do\"\n[estimate]\nmethod = \"ewma\"\n"),
              HasSubstr(":5: [slurm] drain: needs method = \"gamma\""));
  EXPECT_THAT(mistake(hosts + "[slurm]\nenabled = 1\n"),
              HasSubstr(":4: [slurm] enabled: true or false is expected"));
  EXPECT_THAT(mistake(hosts + "[slurm]\ninterval = 301\n"),
              HasSubstr(":4: [slurm] interval: 301 is outside"));
}

TEST(HealthdConfig, OtherSourcesAreThereWhenTheirPlaceIsNamed) {
  const std::string hosts = "[hosts]\nlist = \"n1\"\n";
  const auto sources = [&](const std::string& text) {
    return parse_config(hosts + text, "healthd.toml").sources.size();
  };
  EXPECT_EQ(sources("[folder]\nmax_age = 10\n[prometheus]\nquery = \"up\"\n"), 1);
  EXPECT_EQ(sources("[folder]\npath = \"/srv/reports\"\nperiod = 60\n"), 2);
  EXPECT_EQ(sources("[prometheus]\nurl = \"https://[::1]:9090/prefix/\"\n"), 2);
  EXPECT_EQ(sources("[poll]\nheartbeats = false\n[folder]\npath = \"/srv\"\n"), 1);
  EXPECT_THAT(mistake(hosts + "[folder]\nmax_age = 0\n"),
              HasSubstr(":4: [folder] max_age: 0 is outside"));
  EXPECT_THAT(mistake(hosts + "[folder]\npath = \"\"\n"),
              HasSubstr(":4: [folder] path: must not be empty"));
  EXPECT_THAT(mistake(hosts + "[prometheus]\nperiod = 1\nurl = \"x\"\n"),
              HasSubstr(":5: [prometheus] url: \"x\" is no address"));
}

TEST(HealthdConfig, NamesEveryMistakeAboutHosts) {
  EXPECT_THAT(mistake(""), HasSubstr("0 hosts to poll"));
  EXPECT_THAT(mistake("[hosts]\nlist = \"n[1-\"\n"), HasSubstr("healthd.toml:2: [hosts] list: "));
  EXPECT_THAT(mistake("[hosts]\nlist = \"n[1-999999]\"\n"),
              HasSubstr("healthd.toml:2: [hosts] list: "));
  EXPECT_THAT(mistake("[hosts]\nlist = \"n1,n1\"\n"),
              HasSubstr(":2: [hosts] list: host \"n1\" is listed twice"));
  EXPECT_THAT(
      mistake("[hosts]\nlist = \"n[1-2]\"\naddress = \"10.0.0.1\"\n"),
      HasSubstr(
          ":3: [hosts] address: hosts \"n1\" and \"n2\" have the same address 10.0.0.1:7411"));
  EXPECT_THAT(mistake("[hosts]\nlist = \"n1\"\naddress = \"%h:99999\"\n"),
              HasSubstr("no port from 1"));
  EXPECT_THAT(mistake("[[host]]\naddress = \"10.0.0.1\"\n"),
              HasSubstr("healthd.toml:1: [[host]] has no name"));
  EXPECT_THAT(mistake("[[host]]\nname = \"a b\"\n"),
              HasSubstr(":1: [[host]] \"a b\" is no host name"));
  EXPECT_THAT(mistake("[[host]]\nname = \"a\"\n[[host]]\nname = \"a\"\n"),
              HasSubstr(":3: [[host]] host \"a\" has two"));
  EXPECT_THAT(mistake("[[host]]\nname = \"a\"\nadress = \"b\"\n"),
              HasSubstr(":3: [[host]] adress: unknown key"));
}

}  // namespace
}  // namespace tofa::health::config_test
