// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: read back as written, refused otherwise, and read again when they change.
#include "common/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "common/snapshot_source.hpp"
#include "support.hpp"

namespace tofa::health::snapshot_test {
namespace {

using ::testing::HasSubstr;

Snapshot make_snapshot() {
  return {1700000000.25,
          1,
          {{"n1", 0, 1700000000, true, 0.125, HostNote::none, HazardsWithin{0.0625, 1.5, 8}},
           {"n2", 1, 1699999990.5, false}},
          {{"n2", 1699999000, 1699999001.5, "slurm"}, {"n2", 1699999990.5, 0, "heartbeat"}}};
}

TEST(Snapshot, IsReadBack) {
  const Snapshot snapshot = make_snapshot();
  EXPECT_EQ(parse_snapshot(format_snapshot(snapshot), "s"), snapshot);
}

TEST(Snapshot, WhoIsExcludedIsReadBack) {
  Snapshot snapshot = make_snapshot();
  snapshot.hosts[0].note = HostNote::planned;
  snapshot.hosts[0].excluded = HostExclusion{"Lüfter \"2\", \\", "root", 1699999990.5, 1700086400};
  snapshot.hosts[1].excluded = HostExclusion{"disk", "alice", 1699999990, 0};
  const std::string text = format_snapshot(snapshot);
  EXPECT_EQ(parse_snapshot(text, "s"), snapshot);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return test::error_of([&] { parse_snapshot(changed, "s"); });
  };
  EXPECT_THAT(with("\"alice\"", "7"),
              HasSubstr("\"excluded\" of entry 2 of \"hosts\" has no \"by\""));
  EXPECT_THAT(with("\"disk\"", "\"a\\u001b[2J\""), HasSubstr("has control characters"));
  EXPECT_THAT(with("\"since\":1699999990.5", "\"since\":-1"), HasSubstr("\"since\" that is not"));
}

TEST(Snapshot, NamesThatAHostHadAreReadBack) {
  Snapshot snapshot = make_snapshot();
  snapshot.hosts[1].was = {{"m2", 1699999990.5, "alice", "new \"rack\""}, {"m3", 9, "root", ""}};
  const std::string text = format_snapshot(snapshot);
  EXPECT_EQ(parse_snapshot(text, "s"), snapshot);
  const auto with = [&](const std::string& from, const std::string& to) {
    return test::error_of(
        [&] { parse_snapshot(std::string(text).replace(text.find(from), from.size(), to), "s"); });
  };
  EXPECT_THAT(with("\"alice\"", "7"), HasSubstr("\"was\" of entry 2 of \"hosts\" has no \"by\""));
  EXPECT_THAT(with("\"m3\"", "\"\\u0007\""), HasSubstr("has control characters"));
  EXPECT_THAT(with("\"until\":9.0", "\"until\":-1"), HasSubstr("\"until\" that is not"));
  EXPECT_THAT(with("\"was\":[", "\"was\":7,\"x\":["), HasSubstr("is not an array"));
}

TEST(Snapshot, AnyProbabilityIsReadBack) {
  EXPECT_TRUE(rc::check([](std::uint32_t numerator) {
    Snapshot snapshot = make_snapshot();
    snapshot.hosts[0].probability = numerator / 4294967295.0;
    RC_ASSERT(parse_snapshot(format_snapshot(snapshot), "s") == snapshot);
  }));
}

TEST(Snapshot, RefusesEveryTruncation) {
  const std::string text = format_snapshot(make_snapshot());
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_THROW(parse_snapshot(text.substr(0, size), "s"), Error) << size;
  }
}

TEST(Snapshot, RefusesWhatHealthdDoesNotWrite) {
  const std::string good = format_snapshot(make_snapshot());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return test::error_of([&] { parse_snapshot(text, "snapshot.json"); });
  };
  EXPECT_THAT(with("\"n2\"", "\"n1\""), HasSubstr("host \"n1\" is listed twice"));
  EXPECT_THAT(with("\"n2\"", "\"n\\n2\""), HasSubstr("malformed"));
  EXPECT_THAT(with("\"down\"", "\"ill\""), HasSubstr("is not up, down, planned or unreachable"));
  EXPECT_THAT(with("\"probability\":1.0", "\"probability\":1.5"), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(with("\"probability\":1.0", "\"probability\":null"),
              HasSubstr("snapshot.json: is no snapshot"));
  EXPECT_THAT(with("\"version\":1", "\"version\":2"), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(with("\"rate\":0.125", "\"rate\":-1"), HasSubstr("\"rate\" that is not a number"));
  EXPECT_THAT(with("\"within\":[0.0625,", "\"within\":["), HasSubstr("is not 3 hazards"));
  EXPECT_THAT(with("\"cause\":\"slurm\"", "\"cause\":\"\""), HasSubstr("malformed"));
  EXPECT_THAT(with("\"cause\":\"slurm\"", "\"cause\":\"slurm\",\"reason\":\"\\u001b[0m\""),
              HasSubstr("malformed"));
  EXPECT_THAT(with("\"start\":1699999990.5", "\"start\":-1"),
              HasSubstr("\"start\" that is not a time"));
}

TEST(Snapshot, CausesOfSeveralWordsAreReadBackAndEarlierReadersSeeTheFirst) {
  Snapshot snapshot = make_snapshot();
  for (const char* cause :
       {"check gpu: no \"device\"", "Not responding", "(who knows)", "prometheus"}) {
    snapshot.outages[0].cause = cause;
    EXPECT_EQ(parse_snapshot(format_snapshot(snapshot), "s"), snapshot) << cause;
  }
  snapshot.outages[0].cause = "check gpu: no device";
  EXPECT_THAT(format_snapshot(snapshot),
              HasSubstr(R"("cause":"check","reason":"check gpu: no device"})"));
  snapshot.outages[0].cause = "(who knows)";
  EXPECT_THAT(format_snapshot(snapshot), HasSubstr(R"x("cause":"other","reason":"(who knows)"})x"));
}

TEST(Snapshot, OfAnEarlierVersionHasNeitherRatesNorOutages) {
  const Snapshot old =
      parse_snapshot(R"({"version":1,"time":2,"period":1,)"
                     R"("hosts":[{"host":"n1","probability":0.5,"polled":1,"state":"up"}]})",
                     "s");
  EXPECT_EQ(old, (Snapshot{2, 1, {{"n1", 0.5, 1, true, 0}}, {}}));
}

TEST(SnapshotSource, FollowsTheFile) {
  const test::ScratchDirectory directory;
  const std::string path = directory / "snapshot.json";
  SnapshotSource source(path);
  EXPECT_THAT(test::error_of([&] { source.get(); }), HasSubstr("is tofa-healthd running"));
  Snapshot snapshot = make_snapshot();
  write_snapshot(snapshot, path);
  const auto first = source.get();
  EXPECT_EQ(*first, snapshot);
  EXPECT_EQ(source.get(), first) << "not read again";
  snapshot.hosts.pop_back();
  write_snapshot(snapshot, path);
  EXPECT_EQ(*source.get(), snapshot);
  EXPECT_EQ(first->hosts.size(), 2) << "what was handed out stays";
  directory.write("snapshot.json", "garbage");
  EXPECT_THAT(test::error_of([&] { source.get(); }), HasSubstr("is no snapshot"));
  EXPECT_THAT(test::error_of([&] { source.get(); }), HasSubstr("is no snapshot"))
      << "nor the next time";
}

TEST(SnapshotSource, HandsOutTheTextWithTheTimeOfTheAnswer) {
  const test::ScratchDirectory directory;
  const std::string path = directory / "snapshot.json";
  Snapshot snapshot = make_snapshot();
  write_snapshot(snapshot, path);
  SnapshotSource source(path);
  const auto text = source.text(1700000100);
  EXPECT_EQ(source.text(1700000100), text) << "one text for all who ask within a second";
  snapshot.time = 1700000100;
  EXPECT_EQ(parse_snapshot(text->text, "s"), snapshot);
  EXPECT_EQ(text->signature, "");
  EXPECT_EQ(outages_of(parse_snapshot(source.text(1700000200)->text, "s"))[0].age_seconds, 200);
  snapshot.hosts.pop_back();
  write_snapshot(snapshot, path);
  EXPECT_EQ(parse_snapshot(source.text(1700000100)->text, "s"), snapshot)
      << "as soon as it has changed";
  directory.write("snapshot.json", "garbage");
  EXPECT_THAT(test::error_of([&] { source.text(1700000100); }), HasSubstr("is no snapshot"));
}

TEST(SnapshotSource, SignsWithTheTimeOfTheAnswer) {
  const test::ScratchDirectory directory;
  const std::string path = directory / "snapshot.json";
  write_snapshot(make_snapshot(), path);
  const Signer signer(parse_secret_key(std::string(64, '7')));
  SnapshotSource source(path, signer);
  const KeyBytes key = parse_public_key(signer.public_key());
  for (const std::time_t now : {1700000100, 1700000200}) {
    const auto answer = source.text(now);
    EXPECT_NO_THROW(check_signature(answer->text, answer->signature, key, now, 0));
  }
}

}  // namespace
}  // namespace tofa::health::snapshot_test
