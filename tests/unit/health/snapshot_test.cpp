// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: read back as written, refused otherwise, and read again when they change.
#include "common/snapshot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "gateway/snapshot_source.hpp"
#include "support.hpp"

namespace tofa::health {
namespace {

using ::testing::HasSubstr;

Snapshot make_snapshot() {
  return {1700000000.25, 1, {{"n1", 0, 1700000000, true}, {"n2", 1, 1699999990.5, false}}};
}

TEST(Snapshot, IsReadBack) {
  const Snapshot snapshot = make_snapshot();
  EXPECT_EQ(parse_snapshot(format_snapshot(snapshot), "s"), snapshot);
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
  EXPECT_THAT(with("\"n2\"", "\"n1\""), HasSubstr("host n1 is listed twice"));
  EXPECT_THAT(with("\"n2\"", "\"n\\n2\""), HasSubstr("malformed"));
  EXPECT_THAT(with("\"down\"", "\"ill\""), HasSubstr("neither up nor down"));
  EXPECT_THAT(with("\"probability\":1.0", "\"probability\":1.5"), HasSubstr("outside [0,1]"));
  EXPECT_THAT(with("\"probability\":1.0", "\"probability\":null"),
              HasSubstr("snapshot.json: is no snapshot"));
  EXPECT_THAT(with("\"version\":1", "\"version\":2"), HasSubstr("version 1 is expected"));
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

}  // namespace
}  // namespace tofa::health
